//! An agent that keeps failing: on one task, on all of them, as a reviewer, or because its provider is away.

use super::trial::{Call, Provider, Trial, tested};
use crate::{
    effect::AgentCall,
    ending::Ending,
    event::Event,
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task, person::TaskWish},
    settings::{Length, Settings},
    time::{Millis, Timestamp},
    vocabulary::{Kind, ReviewMode},
};

/// Calls for these tasks crash, all others go well.
struct CrashesOn {
    tasks: &'static [&'static str],
    /// Only reviews of them.
    reviews: bool,
}

impl Provider for CrashesOn {
    fn serve(&mut self, call: &AgentCall, _: Timestamp) -> (Call, Ending, Millis) {
        let is_meant = self.reviews == (call.kind == Kind::Review);
        if is_meant && self.tasks.contains(&call.task.as_str()) {
            let ending = Ending::Crashed { detail: "exit 1".into() };
            return (Call::Crash, ending, Millis::secs(1));
        }
        (Call::Good, Ending::Ok, Millis::secs(60))
    }
}

fn task(id: &str) -> Task {
    let works = Criterion::Checked { text: "works".into(), check: "true".into() };
    let criteria = vec![works, Criterion::Sentence("is tidy".into())];
    Task { id: id.into(), acceptance_criteria: criteria, ..Task::default() }
}

fn plan(ids: &[&str]) -> Plan {
    Plan { tasks: ids.iter().map(|id| task(id)).collect(), ..Plan::default() }
}

fn run_with(plan: Plan, settings: Settings, crashes: CrashesOn) -> Trial {
    let mut trial = Trial::of(plan, settings, &[]);
    trial.reviews = vec![super::review::APPROVES.into()];
    trial.night = Some(Box::new(crashes));
    trial.drive();
    trial
}

/// A run over these tasks with an agent that crashes on those.
fn run(ids: &[&str], tasks: &'static [&'static str]) -> Trial {
    run_with(plan(ids), tested(), CrashesOn { tasks, reviews: false })
}

fn statuses(trial: &Trial) -> Vec<Status> {
    trial.state.tasks.iter().map(|task| task.status).collect()
}

fn is_unusable(trial: &Trial) -> bool {
    matches!(trial.state.outcome(), Some(Outcome::AgentUnusable { .. }))
}

#[test]
fn a_task_that_crashes_the_agent_is_parked_wherever_it_stands_and_all_others_are_done() {
    for (tasks, parked) in [(&["a"][..], 0), (&["b"], 1), (&["c"], 2)] {
        let trial = run(&["a", "b", "c"], tasks);
        let mut expected = [Status::Done; 3];
        expected[parked] = Status::Parked;
        assert_eq!(statuses(&trial), expected);
        let needs = Outcome::NeedsPerson { why: "1 parked".into() };
        assert_eq!(trial.state.outcome(), Some(&needs));
        assert_eq!(trial.called, 4, "one retry of it, and one call for each other task");
        let counters = &trial.state.counters;
        assert_eq!((counters.uncharged, counters.uncharged_in_a_row), (2, 0));
        let why = trial.state.detail(parked).map(|detail| detail.why.as_str());
        let said = "2 calls in a row failed; the last: claude crashed: exit 1";
        assert_eq!(why, Some(said));
        let branch = trial.state.detail(parked).and_then(|detail| detail.branch.clone());
        assert!(branch.is_some_and(|branch| branch.starts_with("ralph/parked/")));
    }
}

#[test]
fn two_tasks_in_a_row_end_the_run_and_the_help_names_both_commands() {
    let trial = run(&["a", "b", "c"], &["a", "b", "c"]);
    assert_eq!(statuses(&trial), [Status::Parked, Status::InProgress, Status::Pending]);
    assert_eq!(trial.called, 4);
    let Some(Outcome::AgentUnusable { why, help }) = trial.state.outcome() else {
        panic!("{:?}", trial.state.outcome());
    };
    assert_eq!(why, "claude crashed: exit 1");
    assert!(help.ends_with("then run ralph task retry a and ralph resume"), "{help}");
}

#[test]
fn good_work_between_two_of_them_clears_the_agent() {
    let trial = run(&["a", "b", "c", "d"], &["a", "c"]);
    let expected = [Status::Parked, Status::Done, Status::Parked, Status::Done];
    assert_eq!(statuses(&trial), expected);
}

#[test]
fn where_nothing_speaks_for_the_agent_and_nothing_else_can_be_tried_it_is_unusable() {
    let alone = run(&["a"], &["a"]);
    assert!(is_unusable(&alone) && statuses(&alone) == [Status::InProgress]);
    let mut plan = plan(&["a", "b"]);
    plan.tasks[1].depends_on = vec!["a".into()];
    let blocked = run_with(plan, tested(), CrashesOn { tasks: &["a"], reviews: false });
    assert!(is_unusable(&blocked), "{:?}", blocked.state.outcome());
    assert_eq!(blocked.called, 2);
}

#[test]
fn a_person_retries_the_task_once_the_cause_is_gone() {
    let mut trial = run(&["a", "b"], &["a"]);
    assert_eq!(statuses(&trial), [Status::Parked, Status::Done]);
    trial.wish(TaskWish::Retry { id: "a".into() });
    assert!(is_unusable(&trial), "nothing spoke for the agent since the run was resumed");
    trial.night = Some(Box::new(CrashesOn { tasks: &[], reviews: false }));
    trial.feed(crate::input::What::Resumed(crate::input::Resumption::default()));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert_eq!(trial.state.detail(0).and_then(|detail| detail.agent_failed.clone()), None);
}

#[test]
fn work_is_no_excuse_for_a_reviewer_that_fails_on_every_task() {
    let mut settings = tested();
    settings.review.mode = ReviewMode::On;
    let crashes = CrashesOn { tasks: &["a", "b", "c"], reviews: true };
    let trial = run_with(plan(&["a", "b", "c"]), settings.clone(), crashes);
    assert_eq!(statuses(&trial), [Status::Parked, Status::NeedsReview, Status::Pending]);
    assert!(is_unusable(&trial));
    let crashes = CrashesOn { tasks: &["a"], reviews: true };
    let trial = run_with(plan(&["a", "b"]), settings, crashes);
    assert_eq!(statuses(&trial), [Status::Parked, Status::Done]);
}

#[test]
fn calls_that_fail_stay_bounded_for_the_whole_run() {
    let mut settings = tested();
    settings.limits.max_uncharged = 3;
    let crashes = CrashesOn { tasks: &["a", "c"], reviews: false };
    let trial = run_with(plan(&["a", "b", "c", "d"]), settings, crashes);
    assert!(is_unusable(&trial));
    let failed = |event: &&Event| match event {
        Event::AgentEnded(report) => matches!(report.ending, Ending::Crashed { .. }),
        _ => false,
    };
    assert_eq!(trial.events().filter(failed).count(), 4);
}

/// The provider is away until then.
struct AwayUntil(Timestamp);

impl Provider for AwayUntil {
    fn serve(&mut self, _: &AgentCall, now: Timestamp) -> (Call, Ending, Millis) {
        if now < self.0 {
            let ending = Ending::Overloaded { detail: "fetch failed".into() };
            return (Call::Crash, ending, Millis::secs(1));
        }
        (Call::Good, Ending::Ok, Millis::secs(60))
    }
}

#[test]
fn an_outage_is_waited_out_up_to_the_longest_wait_and_blamed_on_nobody() {
    let outage = |hours: i64, longest: u64| {
        let mut settings = tested();
        settings.limits.max_wait = Length(Millis::secs(longest * 3_600));
        settings.limits.max_uncharged = 3;
        let mut trial = Trial::of(plan(&["a", "b"]), settings, &[]);
        trial.night = Some(Box::new(AwayUntil(Timestamp(hours * 3_600_000))));
        trial.drive();
        trial
    };
    let waited = outage(20, 24);
    assert_eq!(waited.state.outcome(), Some(&Outcome::Done));
    assert_eq!(waited.state.counters.uncharged, 0);
    let gave_up = outage(20, 6);
    assert!(is_unusable(&gave_up));
    assert!(gave_up.now > Timestamp(5 * 3_600_000), "it waited until {}", gave_up.now);
    assert_eq!(statuses(&gave_up), [Status::InProgress, Status::Pending]);
}
