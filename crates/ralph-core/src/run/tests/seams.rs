//! Where runs, reviews and people meet: what an earlier run left, and what changes between two steps.

use super::trial::{Trial, tested};
use crate::{
    event::{Event, Source},
    ids::TaskId,
    input::{Request, What, Wish},
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task, amend::Changes, person::TaskWish},
    run::Phase,
    settings::Settings,
    vocabulary::{Kind, ReviewMode},
};

const APPROVES: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":true,"evidence":"src/a.rs:3","comment":""}],"findings":[],"summary":"fine"}"#;
const REFUSES: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":false,"evidence":"src/a.rs:9","comment":"a loop is left"}],"findings":[],"summary":"no"}"#;
const ADDS: &str = r#"{"task_completed":{"fully_complete":true},"plan_amendments":[{"action":"add","task":{"id":"n","title":"n","description":"more"},"reason":"needed"}]}"#;

fn reviewed() -> Settings {
    let mut settings = tested();
    settings.review.mode = ReviewMode::On;
    settings
}

fn task(id: &str, status: Status) -> Task {
    let check = Criterion::Checked { text: "works".into(), check: "true".into() };
    Task {
        id: id.into(),
        title: id.into(),
        status,
        acceptance_criteria: vec![check, Criterion::Sentence("is tidy".into())],
        ..Task::default()
    }
}

fn of(tasks: Vec<Task>, settings: Settings, reviews: &[&str]) -> Trial {
    let mut trial = Trial::of(Plan { tasks, ..Plan::default() }, settings, &[]);
    trial.reviews = reviews.iter().map(|&said| said.to_owned()).collect();
    trial
}

fn starts(trial: &Trial) -> Vec<(Kind, TaskId)> {
    let start = |event: &Event| match event {
        Event::IterationStarted(start) => Some((start.kind, start.task.clone())),
        _ => None,
    };
    trial.events().filter_map(start).collect()
}

fn statuses(trial: &Trial) -> Vec<Status> {
    trial.state.tasks.iter().map(|task| task.status).collect()
}

fn asked(number: u32, change: TaskWish) -> Request {
    Request { id: number.to_string(), wish: Wish::Task { change } }
}

#[test]
fn what_an_earlier_run_left_under_review_is_done_only_once_its_checks_have_run() {
    let mut trial = of(vec![task("a", Status::NeedsReview)], reviewed(), &[APPROVES]);
    trial.drive();
    let kinds: Vec<Kind> = starts(&trial).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Kind::Implement, Kind::Review]);
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
}

#[test]
fn work_that_an_earlier_run_began_is_parked_from_where_this_run_found_it() {
    let mut settings = reviewed();
    settings.review.cap = 1;
    let begun = Task { review_count: Some(1), ..task("a", Status::ChangesRequested) };
    let mut trial = of(vec![begun], settings, &[REFUSES]);
    trial.drive();
    assert_eq!(statuses(&trial), [Status::Parked]);
    assert_eq!(trial.state.head.as_str(), "c0", "the run branch is back where the task began");
}

#[test]
fn a_task_under_way_is_ended_before_another_one_goes_on() {
    let tasks = vec![task("a", Status::NeedsReview), task("b", Status::ChangesRequested)];
    let mut trial = of(tasks, reviewed(), &[REFUSES, APPROVES]);
    trial.drive();
    assert_eq!(statuses(&trial), [Status::Done, Status::Done]);
    let mut order: Vec<TaskId> = starts(&trial).into_iter().map(|(_, task)| task).collect();
    order.dedup();
    assert_eq!(order, ["b".into(), "a".into()], "commits of two tasks must not mix");
}

#[test]
fn a_task_that_is_tried_again_can_be_edited_whatever_the_plan_said_at_first() {
    let mut trial = of(vec![task("a", Status::Done)], tested(), &[]);
    let criteria = vec![Criterion::Sentence("is quick".into())];
    let changes = Changes { acceptance_criteria: Some(criteria.clone()), ..Changes::default() };
    let edit = TaskWish::Edit { id: "a".into(), changes: Box::new(changes) };
    trial.state.phase = Phase::Boundary;
    for (number, wish) in (1..).zip([edit.clone(), TaskWish::Retry { id: "a".into() }, edit]) {
        let before = trial.state.start.plan.tasks[0].acceptance_criteria.clone();
        assert_ne!(before, criteria, "what is done keeps its criteria");
        trial.feed(What::Asked(asked(number, wish)));
    }
    assert_eq!(trial.state.start.plan.tasks[0].acceptance_criteria, criteria);
}

#[test]
fn a_prompt_has_no_plan_that_anybody_could_change() {
    let mut trial = of(vec![task("prompt", Status::Pending)], tested(), &[]);
    trial.state.start.source = Source::Prompt { file: None, text: "make it".into() };
    trial.handoff = Some(ADDS.into());
    trial.wishes = vec![asked(1, TaskWish::Add { task: Box::new(task("n", Status::Pending)) })];
    trial.drive();
    assert_eq!(trial.state.tasks.len(), 1);
}

#[test]
fn a_persons_approval_needs_no_budget_and_their_answer_gives_a_new_one() {
    let mut settings = tested();
    settings.limits.max_task_cost_usd = 0.1;
    for (answers, expected) in [(false, Status::Done), (true, Status::Parked)] {
        let mut trial = of(vec![task("a", Status::Pending)], settings.clone(), &[]);
        trial.handoff = Some(r#"{"question":"Which database?"}"#.into());
        trial.drive();
        assert_eq!(statuses(&trial), [Status::Parked]);
        let id: TaskId = "a".into();
        trial.wish(if answers {
            TaskWish::Answer { id, text: "PostgreSQL".into() }
        } else {
            TaskWish::Approve { id }
        });
        assert_eq!(statuses(&trial), [expected]);
        let branch = trial.state.detail(0).and_then(|detail| detail.branch.clone());
        assert_eq!(
            branch.as_deref(),
            answers.then_some("ralph/parked/a"),
            "work that is kept is named"
        );
    }
}
