//! What people may do to tasks in every status, and what they are told otherwise.

use serde_json::json;

use super::{
    super::{TaskWish, apply_wish},
    *,
};
use crate::plan::{Criterion, check_move, problems};

const ALL: [Status; 8] = [
    Status::Pending,
    Status::InProgress,
    Status::NeedsReview,
    Status::ChangesRequested,
    Status::Done,
    Status::Failed,
    Status::Skipped,
    Status::Parked,
];

/// One task in every status, named after it.
fn plan() -> Plan {
    let task = |status: Status| Task {
        id: status.word().into(),
        title: "t".into(),
        acceptance_criteria: vec![Criterion::Sentence("it works".into())],
        status,
        review_count: Some(2),
        review_feedback: Some("not yet".into()),
        notes: Some("n".into()),
        ..Task::default()
    };
    Plan { tasks: ALL.map(task).into(), ..Plan::default() }
}

fn wishes(id: &TaskId) -> [TaskWish; 4] {
    let id = id.clone();
    [
        TaskWish::Skip { id: id.clone(), why: "no use".into() },
        TaskWish::Retry { id: id.clone() },
        TaskWish::Approve { id: id.clone() },
        TaskWish::Answer { id, text: "blue".into() },
    ]
}

fn status(plan: &Plan, id: &str) -> Option<Status> {
    plan.tasks.iter().find(|task| task.id.as_str() == id).map(|task| task.status)
}

#[test]
fn each_wish_is_granted_in_these_statuses_and_no_other() {
    let granted = |at: usize| -> Vec<&str> {
        let plan = plan();
        let ids = plan.tasks.iter().filter(|task| rule(&plan, &wishes(&task.id)[at]).is_ok());
        ids.map(|task| task.status.word()).collect()
    };
    assert_eq!(
        granted(0),
        ["pending", "in_progress", "needs_review", "changes_requested", "failed", "parked"]
    );
    assert_eq!(granted(1), ["done", "failed", "skipped", "parked"]);
    assert_eq!(granted(2), ["needs_review", "changes_requested", "parked"]);
    assert_eq!(granted(3), ["parked"]);
}

#[test]
fn every_step_of_a_granted_wish_is_a_legal_move() {
    for from in ALL {
        for wish in wishes(&"x".into()) {
            let mut at = from;
            for to in path(&wish, from).unwrap_or_default() {
                assert_eq!(check_move(at, *to), Ok(()), "{wish:?}");
                at = *to;
            }
        }
    }
}

#[test]
fn the_file_is_changed_only_by_what_is_granted() {
    for task in plan().tasks {
        for wish in wishes(&task.id) {
            let mut changed = plan();
            let is_for_the_file = matches!(wish, TaskWish::Skip { .. } | TaskWish::Retry { .. });
            let done = apply_wish(&mut changed, &wish);
            assert_eq!(done.is_ok(), is_for_the_file && rule(&plan(), &wish).is_ok(), "{wish:?}");
            let last = path(&wish, task.status).and_then(<[_]>::last).copied();
            let expected = if done.is_ok() { last } else { Some(task.status) };
            assert_eq!(status(&changed, task.id.as_str()), expected, "{wish:?}");
            assert!(done.is_ok() || changed == plan(), "{wish:?}");
        }
    }
}

#[test]
fn a_retry_starts_with_no_reviews_and_a_skip_keeps_its_reason() {
    let mut changed = plan();
    assert_eq!(apply_wish(&mut changed, &TaskWish::Retry { id: "failed".into() }), Ok(()));
    let wish = TaskWish::Skip { id: "parked".into(), why: " not ours ".into() };
    assert_eq!(apply_wish(&mut changed, &wish), Ok(()));
    let [.., failed, _, parked] = changed.tasks.as_slice() else { panic!("tasks are gone") };
    assert_eq!((failed.review_count, &failed.review_feedback), (None, &None));
    assert_eq!(failed.notes.as_deref(), Some("n"));
    assert_eq!(parked.notes.as_deref(), Some("n\nskipped: not ours"));
}

#[test]
fn a_person_may_choose_what_an_agent_may_not() {
    let mut after = plan();
    let changes = Changes {
        model: Some(Some("big".into())),
        max_attempts: Some(Some(9)),
        acceptance_criteria: Some(Vec::new()),
        ..Changes::default()
    };
    let edit = TaskWish::Edit { id: "pending".into(), changes: Box::new(changes) };
    assert_eq!(apply_wish(&mut after, &edit), Ok(()));
    let task = &after.tasks[0];
    assert_eq!((task.model.as_deref(), task.own_max_attempts()), (Some("big"), Some(9)));
    assert!(task.acceptance_criteria.is_empty());
    let new =
        Task { id: "n".into(), title: "t".into(), agent: Some("codex".into()), ..Task::default() };
    assert_eq!(apply_wish(&mut after, &TaskWish::Add { task: Box::new(new) }), Ok(()));
    assert_eq!((after.tasks.len(), problems(&after)), (9, Vec::new()));
}

#[test]
fn what_is_not_possible_says_why_and_what_to_do() {
    let edit =
        |id: &str, changes: Changes| TaskWish::Edit { id: id.into(), changes: Box::new(changes) };
    let add = |task: Task| TaskWish::Add { task: Box::new(task) };
    let titled = |id: &str| Task { id: id.into(), title: "t".into(), ..Task::default() };
    let needs = |id: &str| Changes { depends_on: Some(vec![id.into()]), ..Changes::default() };
    let wishes = [
        TaskWish::Retry { id: "gone".into() },
        TaskWish::Retry { id: "pending".into() },
        TaskWish::Approve { id: "failed".into() },
        TaskWish::Answer { id: "pending".into(), text: "x".into() },
        TaskWish::Answer { id: "parked".into(), text: "  ".into() },
        TaskWish::Skip { id: "done".into(), why: String::new() },
        edit("done", Changes { acceptance_criteria: Some(Vec::new()), ..Changes::default() }),
        edit("pending", Changes { status: Some(Status::Done), ..Changes::default() }),
        edit("pending", Changes { title: Some("t".into()), ..Changes::default() }),
        edit("pending", needs("pending")),
        edit("pending", needs("gone")),
        add(titled("")),
        add(Task { title: String::new(), ..titled("n") }),
        add(titled("done")),
        add(Task { status: Status::Done, ..titled("n") }),
        TaskWish::Accept { proposal: 1 },
    ];
    let mut shown = String::new();
    for wish in wishes {
        let mut changed = plan();
        let told = apply_wish(&mut changed, &wish).err();
        let told = told.map(|error| format!("error: {error}\nhelp:  {}\n", error.help()));
        shown.push_str(&told.unwrap_or_else(|| format!("granted: {wish:?}\n")));
        assert_eq!(changed, plan(), "{wish:?}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn wishes_survive_the_inbox() {
    let text = json!([
        {"wish": "add", "task": {"id": "n", "title": "t", "status": "pending"}},
        {"wish": "edit", "id": "a", "changes": {"model": null, "order": 3}},
        {"wish": "skip", "id": "a", "why": "w"},
        {"wish": "retry", "id": "a"},
        {"wish": "approve", "id": "a"},
        {"wish": "answer", "id": "a", "text": "blue"},
        {"wish": "accept", "proposal": 2},
        {"wish": "decline", "proposal": 2, "why": "no"},
    ]);
    let wishes: Vec<TaskWish> = serde_json::from_value(text.clone()).unwrap_or_default();
    assert_eq!(wishes.len(), 8);
    assert_eq!(serde_json::to_value(&wishes).ok(), Some(text));
}
