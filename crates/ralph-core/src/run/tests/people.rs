//! What people ask of a run: taken where it belongs, made as it was ruled on, or said to be impossible.

use super::trial::{Trial, tested};
use crate::{
    event::{Event, Source},
    ids::RunId,
    plan::{
        Criterion, Plan, Status, Task,
        amend::{Amendment, Changes, Proposal, Ruled, Ruling, Source as From},
        person::TaskWish,
    },
    run::{RunState, StartOptions, begin},
    time::Timestamp,
};

pub(super) fn plan(status: Status) -> Plan {
    let criterion = Criterion::Checked { text: "works".into(), check: "true".into() };
    let task = |id: &str, status| Task {
        id: id.into(),
        title: "t".into(),
        acceptance_criteria: vec![criterion.clone()],
        status,
        ..Task::default()
    };
    Plan { tasks: vec![task("a", status), task("b", Status::Pending)], ..Plan::default() }
}

#[test]
fn what_is_said_about_work_that_a_run_leaves_alone_waits_for_another() {
    let answer = |id: &str| TaskWish::Answer { id: id.into(), text: "blue".into() };
    let skip = TaskWish::Skip { id: "a".into(), why: String::new() };
    let mut trial = Trial::of(plan(Status::Parked), tested(), &[]);
    assert!(trial.state.takes(&answer("a")) && trial.state.takes(&skip));
    trial.state.start.source = Source::Tasks { ids: vec!["b".into()] };
    assert!(!trial.state.takes(&answer("a")) && trial.state.takes(&answer("b")));
    assert!(trial.state.takes(&skip), "the plan itself is every run's");
    trial.wish(answer("a"));
    assert!(trial.state.taken.is_empty(), "it stays in the inbox");
    assert_eq!(trial.state.tasks[0].status, Status::Parked);
    trial.state.start.source = Source::Prompt { file: None, text: String::new() };
    assert!(!trial.state.takes(&skip));
    let retry = TaskWish::Retry { id: "prompt".into() };
    assert!(trial.state.takes(&retry), "its one task is its own");
    trial.state.start.source = Source::Plan;
    assert!(!trial.state.takes(&retry), "and no plan's");
}

#[test]
fn a_task_that_was_done_at_the_start_can_be_edited_once_it_is_to_be_done_again() {
    let mut trial = Trial::of(plan(Status::Done), tested(), &[]);
    let criteria = vec![Criterion::Checked { text: "works better".into(), check: "true".into() }];
    let changes = Changes { acceptance_criteria: Some(criteria.clone()), ..Changes::default() };
    let edit = TaskWish::Edit { id: "a".into(), changes: Box::new(changes) };
    trial.wish(TaskWish::Retry { id: "a".into() });
    assert_eq!(trial.state.tasks[0].status, Status::Done, "it was done once more");
    trial.wish(edit.clone());
    assert_ne!(trial.state.start.plan.tasks[0].acceptance_criteria, criteria);
    trial.wishes.clear();
    trial.state.tasks[0].status = Status::Pending;
    trial.wish(edit);
    assert_eq!(trial.state.start.plan.tasks[0].acceptance_criteria, criteria);
}

#[test]
fn a_new_run_takes_along_the_proposals_that_still_fit() {
    let waits = |id: &str| {
        let amendment = Amendment::Remove { id: id.into(), reason: "no use".into() };
        let proposal = Proposal { from: From::Handoff, amendment };
        Ruled { proposal, ruling: Ruling::Waits { why: "w".into() } }
    };
    let proposals = [(2, waits("a")), (5, waits("gone"))].into();
    let options = StartOptions { proposals, ..StartOptions::default() };
    let start = begin(Source::Plan, plan(Status::Pending), tested(), options);
    let start = start.unwrap_or_else(|error| panic!("{error}"));
    let written = serde_json::to_string(&Event::RunStarted(Box::new(start)));
    let read = written.and_then(|text| serde_json::from_str::<Event>(&text));
    let Ok(Event::RunStarted(start)) = read else { panic!("a journal cannot hold it: {read:?}") };
    let state = RunState::new(RunId("r".into()), Timestamp::default(), *start);
    assert_eq!(state.proposals.keys().collect::<Vec<_>>(), [&2]);
    assert_eq!(state.proposals_numbered, 2);
}

#[test]
fn a_proposal_that_does_not_fit_any_more_is_not_accepted() {
    let mut trial = Trial::of(plan(Status::Pending), tested(), &[]);
    let amendment = Amendment::Remove { id: "a".into(), reason: "no use".into() };
    let proposal = Proposal { from: From::Handoff, amendment };
    let waits = Ruled { proposal, ruling: Ruling::Waits { why: "w".into() } };
    trial.drive();
    trial.state.proposals.insert(1, waits);
    trial.wish(TaskWish::Accept { proposal: 1 });
    assert_eq!(trial.state.tasks[0].status, Status::Done);
    let told =
        |event: &Event| matches!(event, Event::Warned { text } if text.contains("no longer fits"));
    assert!(trial.events().any(told));
    trial.wish(TaskWish::Decline { proposal: 1, why: "done already".into() });
    assert!(trial.state.proposals.is_empty());
}
