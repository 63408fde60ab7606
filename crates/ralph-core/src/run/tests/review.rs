//! The life of a task under review: the states of source 002, proposals that an agent makes of itself, and
//! what people say.

use super::trial::{Call, Trial, tested};
use crate::{
    effect::Effect,
    event::Event,
    evidence::{Judged, Label},
    isolation::Isolation,
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task, amend::Changes, person::TaskWish},
    settings::{AtCap, Settings},
    vocabulary::{Kind, ReviewMode},
};

pub(super) const APPROVES: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":true,"evidence":"src/a.rs:3 is short","comment":""}],"findings":[],"summary":"fine"}"#;
const REFUSES: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":false,"evidence":"src/a.rs:9","comment":"a loop is left"}],"findings":[],"summary":"no"}"#;
const REFUSES_ANEW: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":false,"evidence":"src/b.rs:1","comment":"a name is odd"}],"findings":[],"summary":"no"}"#;
const SELF_APPROVAL: &str = r#"{"task_completed":{"task_id":"a","summary":"done","fully_complete":true},
    "plan_amendments":[{"action":"modify","task_id":"a","changes":{"status":"done","review_status":"approved","review_count":1},"reason":"it is done"}]}"#;

fn reviewed() -> Settings {
    let mut settings = tested();
    settings.review.mode = ReviewMode::On;
    settings.limits.max_attempts = 5;
    settings
}

fn one_task() -> Plan {
    let check = Criterion::Checked { text: "works".into(), check: "true".into() };
    let task = Task {
        id: "a".into(),
        title: "a".into(),
        acceptance_criteria: vec![check, Criterion::Sentence("is tidy".into())],
        ..Task::default()
    };
    Plan { tasks: vec![task], ..Plan::default() }
}

fn run(settings: Settings, reviews: &[&str]) -> Trial {
    let mut trial = Trial::of(one_task(), settings, &[]);
    trial.reviews = reviews.iter().map(|&said| said.to_owned()).collect();
    trial.drive();
    trial
}

fn kinds(trial: &Trial) -> Vec<Kind> {
    let kind = |event: &Event| match event {
        Event::IterationStarted(start) => Some(start.kind),
        _ => None,
    };
    trial.events().filter_map(kind).collect()
}

fn status(trial: &Trial) -> Status {
    trial.state.tasks[0].status
}

fn statuses(trial: &Trial) -> Vec<Status> {
    let to = |event: &Event| match event {
        Event::TaskMoved { to, .. } => Some(*to),
        _ => None,
    };
    trial.events().filter_map(to).collect()
}

#[test]
fn work_is_done_only_after_a_review_and_the_review_counts() {
    let trial = run(reviewed(), &[APPROVES]);
    assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review]);
    assert_eq!(statuses(&trial), [Status::InProgress, Status::NeedsReview, Status::Done]);
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!((detail.reviews, detail.labels.len()), (1, 0));
    assert!(matches!(detail.evidence[0].by, Judged::Check { exit_code: 0, .. }));
    assert!(matches!(&detail.evidence[1].by, Judged::Reviewer { met: true, .. }));
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
}

#[test]
fn changes_are_fixed_and_reviewed_again_and_only_reviews_count() {
    let trial = run(reviewed(), &[REFUSES, APPROVES]);
    assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review, Kind::Fix, Kind::Review]);
    let expected = [
        Status::InProgress,
        Status::NeedsReview,
        Status::ChangesRequested,
        Status::InProgress,
        Status::NeedsReview,
        Status::Done,
    ];
    assert_eq!(statuses(&trial), expected);
    assert_eq!(trial.state.detail(0).map(|detail| detail.reviews), Some(2));
    let told = trial.effects.iter().any(|(_, effect)| {
        matches!(effect, Effect::RunAgent(call) if call.kind == Kind::Fix && call.prompt.contains("a loop is left"))
    });
    assert!(told, "the fixer is told every finding");
}

#[test]
fn a_change_request_always_has_feedback() {
    let trial = run(reviewed(), &[REFUSES, REFUSES_ANEW, APPROVES]);
    for event in trial.events() {
        if let Event::Reviewed(reviewed) = event {
            assert_eq!(reviewed.judgement.approved, reviewed.judgement.findings.is_empty());
        }
    }
}

#[test]
fn at_the_cap_the_task_is_parked_and_its_work_kept() {
    let mut settings = reviewed();
    settings.review.cap = 1;
    let trial = run(settings, &[REFUSES]);
    assert_eq!(status(&trial), Status::Parked);
    assert!(matches!(trial.state.outcome(), Some(Outcome::NeedsPerson { .. })));
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!(detail.branch.as_deref(), Some("ralph/parked/a"));
    assert_eq!(trial.state.head.as_str(), "c0", "the run branch is back where the task began");
}

#[test]
fn at_the_cap_the_setting_may_approve_and_then_it_is_labelled() {
    let mut settings = reviewed();
    settings.review.cap = 1;
    settings.review.at_cap = AtCap::Approve;
    let trial = run(settings, &[REFUSES]);
    assert_eq!(status(&trial), Status::Done);
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!(detail.labels, [Label::AutoApprovedAtCap { findings: 1 }]);
    let feedback = trial.state.plan_view().tasks[0].review_feedback.clone().unwrap_or_default();
    assert!(feedback.starts_with("[AUTO-APPROVED AT CAP]"), "{feedback}");
}

#[test]
fn without_review_the_task_is_done_and_labelled_and_nothing_is_counted() {
    let trial = run(tested(), &[]);
    assert_eq!(kinds(&trial), [Kind::Implement]);
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!((status(&trial), detail.reviews), (Status::Done, 0));
    assert_eq!(detail.labels, [Label::Unreviewed { criteria: 1 }]);
    assert_eq!(trial.state.plan_view().tasks[0].review_count, None);
}

#[test]
fn a_review_that_does_not_fit_is_asked_for_once_more_and_never_approves() {
    for said in
        ["", "{}", r#"{"approved":true}"#, r#"{"summary":"all criteria are met, approved"}"#]
    {
        let trial = run(reviewed(), &[said]);
        assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review, Kind::Review], "{said}");
        assert_eq!(status(&trial), Status::Parked, "{said}");
        assert_eq!(trial.state.detail(0).map(|detail| detail.reviews), Some(0));
    }
    let trial = run(reviewed(), &["", APPROVES]);
    assert_eq!(status(&trial), Status::Done);
}

#[test]
fn the_same_findings_twice_shift_the_strategy_and_then_end_the_task() {
    let trial = run(reviewed(), &[REFUSES]);
    let stuck = trial.events().filter(|event| matches!(event, Event::Escalated { .. })).count();
    assert!(stuck >= 1);
    assert!(matches!(status(&trial), Status::Failed | Status::Parked), "{:?}", status(&trial));
}

#[test]
fn an_agent_cannot_approve_itself_by_its_handoff_or_the_plan_file() {
    for by_file in [false, true] {
        let mut trial = Trial::of(one_task(), reviewed(), &[]);
        trial.reviews = vec![REFUSES.into(), APPROVES.into()];
        if by_file {
            let mut plan = trial.state.plan_view();
            plan.tasks[0].status = Status::Done;
            plan.tasks[0].review_count = Some(3);
            trial.plan_edit = Some(crate::plan::formats::plan_json::render(&plan));
        } else {
            trial.handoff = Some(SELF_APPROVAL.into());
        }
        trial.drive();
        assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review, Kind::Fix, Kind::Review]);
        assert_eq!(trial.state.detail(0).map(|detail| detail.reviews), Some(2));
        let refused = trial.events().any(|event| {
            matches!(event, Event::AmendmentsRuled { ruled, .. }
                if ruled.iter().any(|one| matches!(one.ruling, crate::plan::amend::Ruling::Refused { .. })))
        });
        assert!(refused, "by file: {by_file}");
    }
}

#[test]
fn a_person_may_still_change_what_the_task_under_way_asks_for() {
    let mut trial = Trial::of(one_task(), tested(), &[]);
    trial.state.start.isolation =
        Isolation { backend: "bubblewrap".into(), ..Isolation::default() };
    let mut plan = trial.state.plan_view();
    plan.tasks[0].status = Status::InProgress;
    plan.tasks[0].title = "another title".into();
    plan.tasks[0].acceptance_criteria.push(Criterion::Sentence("one more".into()));
    trial.plan_edit = Some(crate::plan::formats::plan_json::render(&plan));
    trial.drive();
    let view = trial.state.plan_view();
    assert_eq!(view.tasks[0].acceptance_criteria, plan.tasks[0].acceptance_criteria);
    assert_eq!(view.tasks[0].title, "another title");
    assert!(trial.state.proposals.is_empty(), "{:?}", trial.state.proposals);
}

#[test]
fn a_rejected_attempts_amendments_are_not_applied() {
    let mut trial = Trial::of(one_task(), reviewed(), &[Call::Red, Call::Red]);
    trial.handoff = Some(
        r#"{"plan_amendments":[{"action":"add","task":{"id":"n","title":"n","description":"more"},"reason":"needed"}]}"#.into(),
    );
    trial.state.start.max_iterations = 2;
    trial.drive();
    assert_eq!(trial.state.tasks.len(), 1);
    let mut trial = Trial::of(one_task(), tested(), &[]);
    trial.handoff = Some(
        r#"{"task_completed":{"fully_complete":true},"plan_amendments":[{"action":"add","task":{"id":"n","title":"n","description":"more","acceptance_criteria":["x"]},"reason":"needed"}]}"#.into(),
    );
    trial.drive();
    assert_eq!(trial.state.tasks.len(), 2);
    assert!(trial.state.complete());
}

#[test]
fn a_question_parks_the_task_and_the_answer_brings_its_work_back() {
    let mut trial = Trial::of(one_task(), tested(), &[]);
    trial.handoff = Some(r#"{"question":"Which database?"}"#.into());
    trial.drive();
    assert_eq!(status(&trial), Status::Parked);
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!(detail.question.as_deref(), Some("Which database?"));
    trial.handoff = None;
    trial.wish(TaskWish::Answer { id: "a".into(), text: "PostgreSQL".into() });
    assert_eq!(status(&trial), Status::Done);
    let answered = trial.effects.iter().rev().find_map(|(_, effect)| match effect {
        Effect::RunAgent(call) => Some(call.prompt.clone()),
        _ => None,
    });
    assert!(answered.is_some_and(|prompt| prompt.contains("PostgreSQL")));
    assert!(trial.effects.iter().any(|(_, effect)| matches!(effect, Effect::Reapply(_))));
}

#[test]
fn a_question_beside_finished_work_is_kept_and_the_work_is_judged() {
    let asks = r#"{"task_completed":{"fully_complete":true},"question":"Which database?"}"#;
    let mut trial = Trial::of(one_task(), tested(), &[]);
    trial.handoff = Some(asks.into());
    trial.drive();
    assert_eq!(status(&trial), Status::Done);
    let plan = trial.state.plan_view();
    assert_eq!(plan.tasks[0].question.as_deref(), Some("Which database?"));
    let report = crate::report::markdown(&crate::report::Report::of(&trial.state));
    assert!(report.contains("## Questions that agents left"), "{report}");
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert_eq!(detail.question, None, "nothing waits for an answer");
}

#[test]
fn a_person_approves_parked_work_only_through_the_gates() {
    let mut settings = reviewed();
    settings.review.cap = 1;
    let mut trial = run(settings.clone(), &[REFUSES]);
    trial.wish(TaskWish::Approve { id: "a".into() });
    assert_eq!(status(&trial), Status::Done);
    assert_eq!(kinds(&trial).last(), Some(&Kind::Apply));
    let labels = trial.state.detail(0).map(|detail| detail.labels.clone()).unwrap_or_default();
    assert_eq!(labels, [Label::ApprovedByPerson]);

    let mut conflicting = run(settings, &[REFUSES]);
    conflicting.fits = false;
    conflicting.wish(TaskWish::Approve { id: "a".into() });
    assert_eq!(status(&conflicting), Status::Parked);
    let branch = conflicting.state.detail(0).and_then(|detail| detail.branch.clone());
    assert_eq!(branch.as_deref(), Some("ralph/parked/a"));
}

#[test]
fn a_retry_starts_over_and_names_the_earlier_branch() {
    let mut settings = tested();
    settings.limits.max_attempts = 1;
    let mut trial = Trial::of(one_task(), settings, &[Call::Red]);
    trial.drive();
    assert_eq!(status(&trial), Status::Failed);
    let branch = trial.state.detail(0).and_then(|detail| detail.branch.clone()).unwrap_or_default();
    assert!(branch.starts_with("wip/ralph-fail-a-"), "{branch}");
    trial.wish(TaskWish::Retry { id: "a".into() });
    assert_eq!(status(&trial), Status::Done);
    let named = trial.effects.iter().any(
        |(_, effect)| matches!(effect, Effect::RunAgent(call) if call.prompt.contains(&branch)),
    );
    assert!(named);
}

#[test]
fn stuck_work_is_shifted_and_then_given_up_before_its_attempts_are_used_up() {
    let mut settings = tested();
    settings.limits.max_attempts = 9;
    let mut trial = Trial::of(one_task(), settings, &[Call::Red; 20]);
    trial.drive();
    assert_eq!(status(&trial), Status::Failed);
    let attempts = trial.state.detail(0).map_or(0, |detail| detail.attempts);
    assert!((3..9).contains(&attempts), "{attempts}");
    let gave_up = trial.effects.iter().filter(|(_, effect)| matches!(effect, Effect::GiveUp(_)));
    assert_eq!(gave_up.count(), 1);
    assert!(trial.state.detail(0).is_some_and(|detail| detail.why.starts_with("stuck")));
}

#[test]
fn a_new_task_that_fails_as_the_last_one_did_stops_the_run() {
    let mut settings = tested();
    settings.limits.max_attempts = 2;
    let mut plan = one_task();
    let own = Criterion::Checked { text: "its own".into(), check: "another".into() };
    let other = Task { id: "b".into(), acceptance_criteria: vec![own], ..plan.tasks[0].clone() };
    plan.tasks.push(other);
    let mut trial = Trial::of(plan, settings, &[Call::Red; 20]);
    trial.drive();
    let why = match trial.state.outcome() {
        Some(Outcome::NeedsPerson { why }) => why.clone(),
        other => panic!("{other:?}"),
    };
    assert!(why.contains("probably not the cause"), "{why}");
    assert_eq!(trial.called, 3);
}

fn begun_with(change: impl FnOnce(&mut Task)) -> Trial {
    let mut plan = one_task();
    change(&mut plan.tasks[0]);
    let mut trial = Trial::of(plan, reviewed(), &[]);
    trial.reviews = vec![APPROVES.to_owned()];
    trial.drive();
    trial
}

#[test]
fn a_new_run_proves_the_checks_of_work_that_waits_for_its_review() {
    let trial = begun_with(|task| task.status = Status::NeedsReview);
    assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review]);
    assert_eq!((status(&trial), trial.state.outcome()), (Status::Done, Some(&Outcome::Done)));
}

#[test]
fn a_new_run_tells_the_fixer_what_the_plan_says_a_reviewer_wants() {
    let trial = begun_with(|task| {
        task.status = Status::ChangesRequested;
        task.review_feedback = Some("src/a.rs:9: a loop is left\n\nsrc/b.rs: a name is odd".into());
        task.review_count = Some(1);
    });
    assert_eq!(kinds(&trial), [Kind::Fix, Kind::Review]);
    let prompts = trial.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::RunAgent(call) => Some(call.prompt.as_str()),
        _ => None,
    });
    let first = prompts.take(1).collect::<String>();
    assert!(first.contains("a loop is left") && first.contains("a name is odd"), "{first}");
    assert_eq!(trial.state.detail(0).map(|detail| detail.reviews), Some(2));
}

#[test]
fn a_check_that_a_person_adds_before_the_review_must_run_before_the_task_is_done() {
    let mut trial = Trial::of(one_task(), reviewed(), &[]);
    trial.reviews = vec![APPROVES.to_owned()];
    let mut criteria = one_task().tasks[0].acceptance_criteria.clone();
    criteria.push(Criterion::Checked { text: "is fast".into(), check: "bench".into() });
    let changes = Box::new(Changes { acceptance_criteria: Some(criteria), ..Changes::default() });
    trial.drive_until(|state| state.tasks[0].status == Status::NeedsReview);
    trial.wish(TaskWish::Edit { id: "a".into(), changes });
    assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review, Kind::Fix, Kind::Review]);
    assert_eq!((status(&trial), trial.state.outcome()), (Status::Done, Some(&Outcome::Done)));
    assert_eq!(trial.state.detail(0).map(|detail| detail.evidence.len()), Some(3));
}

#[test]
fn what_was_refused_is_told_to_the_next_implementer_though_a_review_comes_between() {
    let mut trial = Trial::of(one_task(), reviewed(), &[]);
    trial.reviews = vec![REFUSES.to_owned(), APPROVES.to_owned()];
    trial.handoff = Some(SELF_APPROVAL.to_owned());
    trial.drive();
    let told = trial.effects.iter().any(|(_, effect)| match effect {
        Effect::RunAgent(call) => {
            call.kind == Kind::Fix && call.prompt.contains("cannot set a task's status")
        }
        _ => false,
    });
    assert!(told);
}

#[test]
fn nothing_brings_a_run_back_to_life_that_ends() {
    // A criterion that says nothing cannot be judged, and no plan that ralph reads has one.
    let blank = Criterion::Sentence(" ".into());
    let trial = begun_with(|task| task.acceptance_criteria.push(blank));
    let ends = |event: &&Event| matches!(event, Event::RunFinished { .. });
    assert_eq!(trial.events().filter(ends).count(), 1, "{:?}", trial.state.outcome());
    assert_ne!(status(&trial), Status::Done);
}

#[test]
fn two_checks_of_one_wording_are_two_checks() {
    let trial = begun_with(|task| {
        let again = Criterion::Checked { text: "works".into(), check: "true again".into() };
        task.acceptance_criteria.push(again);
    });
    assert_eq!(kinds(&trial), [Kind::Implement, Kind::Review]);
    assert_eq!(status(&trial), Status::Done);
}
