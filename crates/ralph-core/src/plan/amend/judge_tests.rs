//! Which proposals are applied, which wait for a person, which are refused.

use serde_json::{Value, json};

use super::*;
use crate::{
    handoff::Handoff,
    plan::{
        Criterion,
        amend::{apply, from_edit, from_handoff},
        formats::plan_json,
        problems,
    },
};

const FREE: Permits = Permits { may_add: true, may_modify: true, may_remove: false };

fn criterion(text: &str) -> Criterion {
    Criterion::Sentence(text.into())
}

/// `done` <- `now` (in progress) and `next` (pending); `stuck` failed, `asks` parked, `seen` needs a review.
fn plan() -> Plan {
    let task = |id: &str, status, depends_on: &[&str]| Task {
        id: id.into(),
        title: format!("title of {id}"),
        description: format!("what {id} is about"),
        acceptance_criteria: vec![
            criterion("it works"),
            Criterion::Checked { text: "it runs".into(), check: "make run".into() },
        ],
        status,
        depends_on: depends_on.iter().map(|id| TaskId::from(*id)).collect(),
        notes: Some("mind the gap".into()),
        ..Task::default()
    };
    Plan {
        project: "demo".into(),
        tasks: vec![
            task("done", Status::Done, &[]),
            task("now", Status::InProgress, &["done"]),
            task("next", Status::Pending, &["done", "now"]),
            task("last", Status::Pending, &[]),
            task("stuck", Status::Failed, &[]),
            task("asks", Status::Parked, &[]),
            task("seen", Status::NeedsReview, &[]),
            task("left", Status::Skipped, &[]),
        ],
        ..Plan::default()
    }
}

/// The rulings on the amendments of a handoff as words: `applied`, `waits: …`, `refused: …`.
fn rulings(plan: &Plan, permits: Permits, amendments: &Value) -> Vec<String> {
    let handoff = Handoff {
        rest: [("plan_amendments".to_owned(), amendments.clone())].into_iter().collect(),
        ..Handoff::default()
    };
    let (proposals, words) = from_handoff(&handoff);
    assert_eq!(words, Vec::<String>::new(), "{amendments}");
    let now = TaskId::from("now");
    let judging = Judging {
        truth: plan,
        current: Some(&now),
        is_unjudged: false,
        mode: Mode::Implement,
        permits,
        waiting: Vec::new(),
        ungated: None,
    };
    judge(&judging, proposals).into_iter().map(|ruled| said(&ruled.ruling)).collect()
}

fn said(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Applied => "applied".into(),
        Ruling::Waits { why } => format!("waits: {why}"),
        Ruling::Refused { why } => format!("refused: {why}"),
    }
}

fn modify(id: &str, changes: &Value) -> String {
    let amendment = json!([{"action": "modify", "task_id": id, "changes": changes, "reason": "r"}]);
    rulings(&plan(), FREE, &amendment).concat()
}

fn add(task: &Value) -> String {
    let amendment = json!([{"action": "add", "task": task, "reason": "r"}]);
    rulings(&plan(), FREE, &amendment).concat()
}

#[test]
fn what_explains_or_adds_to_a_pending_task_is_applied() {
    for changes in [
        json!({"title": "better"}),
        json!({"description": "clearer"}),
        json!({"acceptance_criteria": [{"text": "it runs", "check": "make run"}, "and more", "it works"]}),
        json!({"priority": 1, "order": 7}),
        json!({"depends_on": ["now", "last", "done"]}),
        json!({"skills": ["rust"], "libraries": ["serde"], "needs_docs": true}),
        json!({"notes": "mind the gap\nand the step"}),
    ] {
        assert_eq!(modify("next", &changes), "applied", "{changes}");
    }
    assert_eq!(modify("now", &json!({"notes": "mind the gap; found two more"})), "applied");
    assert_eq!(modify("stuck", &json!({"order": 2})), "applied");
}

#[test]
fn what_takes_something_away_waits_for_a_person() {
    let criteria = "it removes or rewords a criterion";
    for (id, changes, why) in [
        ("next", json!({"acceptance_criteria": []}), criteria),
        ("next", json!({"acceptance_criteria": ["it works"]}), criteria),
        (
            "next",
            json!({"acceptance_criteria": ["it nearly works", {"text": "it runs", "check": "make run"}]}),
            criteria,
        ),
        (
            "next",
            json!({"acceptance_criteria": ["it works", {"text": "it runs", "check": "true"}]}),
            criteria,
        ),
        ("next", json!({"acceptance_criteria": ["it works", "it runs"]}), criteria),
        ("next", json!({"description": " "}), "it removes the description"),
        ("next", json!({"notes": null}), "it removes notes"),
        ("next", json!({"depends_on": ["done"]}), "it removes a dependency"),
        (
            "next",
            json!({"depends_on": ["done", "now", "stuck"]}),
            "it would wait for stuck, which only a person can unblock",
        ),
        ("next", json!({"agent": "codex"}), "a person must choose `agent`"),
        ("next", json!({"model": "tiny"}), "a person must choose `model`"),
        ("next", json!({"max_turns": 999}), "a person must choose `max_turns`"),
        ("next", json!({"max_attempts": 1}), "a person must choose `max_attempts`"),
        ("next", json!({"max_retries": 1}), "a person must choose `max_retries`"),
        ("next", json!({"timeout_multiplier": 9}), "a person must choose `timeout_multiplier`"),
        ("now", json!({"title": "easier"}), "it changes what this iteration is judged by"),
        ("now", json!({"description": "easier"}), "it changes what this iteration is judged by"),
        ("seen", json!({"description": "easier"}), "work on it has started"),
        ("stuck", json!({"skills": ["luck"]}), "work on it has started"),
        ("asks", json!({"title": "x"}), "work on it has started"),
        ("left", json!({"title": "x"}), "work on it has started"),
    ] {
        assert_eq!(modify(id, &changes), format!("waits: {why}"), "{id} {changes}");
    }
}

#[test]
fn a_change_that_strengthens_and_weakens_waits_as_a_whole() {
    let changes =
        json!({"description": "clearer", "acceptance_criteria": ["new"], "model": "tiny"});
    assert_eq!(
        modify("next", &changes),
        "waits: it removes or rewords a criterion; a person must choose `model`"
    );
}

#[test]
fn what_is_done_or_unknown_or_unsound_is_refused() {
    for (id, changes, why) in [
        (
            "done",
            json!({"notes": "mind the gap, again"}),
            "done is done and can no longer be changed",
        ),
        ("gone", json!({"title": "x"}), "there is no task gone"),
        ("next", json!({"title": " "}), "task next has no title"),
        ("next", json!({"depends_on": ["done", "now", "next"]}), "task next depends on itself"),
        (
            "next",
            json!({"depends_on": ["done", "now", "gone"]}),
            "task next depends on gone, which is not in the plan",
        ),
        ("next", json!({"colour": "red"}), "`colour` is not a field that ralph knows"),
        ("next", json!({"title": "title of next"}), "it changes nothing in next"),
        ("next", json!({}), "it changes nothing in next"),
    ] {
        assert_eq!(modify(id, &changes), format!("refused: {why}"), "{id} {changes}");
    }
    assert_eq!(
        modify("now", &json!({"depends_on": ["done", "next"]})),
        "refused: tasks depend on each other in a cycle: now -> next -> now"
    );
}

#[test]
fn a_new_task_needs_id_title_description_and_a_fresh_start() {
    let sound = json!({"id": "T-9", "title": "t", "description": "d", "depends_on": ["now"]});
    assert_eq!(add(&sound), "applied");
    let with = |name: &str, value: Value| {
        let mut task = sound.clone();
        task[name] = value;
        task
    };
    for (name, value, why) in [
        ("id", json!(""), "it has no id"),
        ("id", json!(null), "it has no id"),
        ("id", json!("next"), "tasks number 3 and 9 both have the id next"),
        (
            "id",
            json!("a b"),
            "the id \"a b\" of task number 9 contains a space or a character that git or a shell would misread",
        ),
        ("title", json!("  "), "it has no title"),
        ("description", json!(""), "it has no description"),
        ("depends_on", json!(["gone"]), "task T-9 depends on gone, which is not in the plan"),
        ("depends_on", json!("T-9"), "task T-9 depends on itself"),
        ("status", json!("done"), "a new task starts pending, not done"),
        ("status", json!("skipped"), "a new task starts pending, not skipped"),
        ("review_count", json!(1), "a new task cannot have reviews (review_count)"),
        ("review_feedback", json!("fine"), "a new task cannot have reviews (review_feedback)"),
        ("reviewStatus", json!("approved"), "a new task cannot claim progress (`reviewStatus`)"),
        ("review_status", json!("approved"), "a new task cannot claim progress (`reviewStatus`)"),
    ] {
        assert_eq!(add(&with(name, value)), format!("refused: {why}"), "{name}");
    }
    for (name, value) in
        [("max_attempts", json!(99)), ("model", json!("big")), ("agent", json!("x"))]
    {
        assert_eq!(add(&with(name, value)), format!("waits: a person must choose `{name}`"));
    }
    assert_eq!(add(&with("estimate", json!(5))), "applied");
}

#[test]
fn a_reason_is_required_and_an_edit_of_the_file_has_one() {
    let bare = json!([{"action": "remove", "task_id": "last"}, {"action": "modify", "task_id": "next", "changes": {"title": "x"}, "reason": " "}]);
    assert_eq!(
        rulings(&plan(), FREE, &bare),
        ["refused: it has no reason", "refused: it has no reason"]
    );
    let mut edited = plan();
    edited.tasks[2].title = "x".into();
    let (proposals, words) = from_edit(&plan(), &plan_json::render(&edited));
    assert_eq!((proposals.len(), words), (1, Vec::new()));
    let truth = plan();
    let judging = Judging {
        truth: &truth,
        current: None,
        is_unjudged: false,
        mode: Mode::Fix,
        permits: FREE,
        waiting: Vec::new(),
        ungated: None,
    };
    let ruled = judge(&judging, proposals);
    assert_eq!(ruled.iter().map(|ruled| said(&ruled.ruling)).collect::<Vec<_>>(), ["applied"]);
}

#[test]
fn a_removal_waits_unless_agents_may_and_nothing_hangs_on_it() {
    let remove = |id: &str, may_remove| {
        let amendment = json!([{"action": "remove", "task_id": id, "reason": "r"}]);
        rulings(&plan(), Permits { may_remove, ..FREE }, &amendment).concat()
    };
    assert_eq!(remove("last", false), "waits: a person decides about removals");
    assert_eq!(remove("last", true), "applied");
    assert_eq!(remove("stuck", true), "waits: work on it has started");
    assert_eq!(remove("done", true), "refused: done is done and can no longer be changed");
    assert_eq!(remove("now", true), "refused: now is being worked on");
    assert_eq!(remove("gone", true), "refused: there is no task gone");
    let replaced = json!([
        {"action": "remove", "task_id": "last", "reason": "r"},
        {"action": "add", "task": {"id": "last", "title": "t", "description": "easier"}, "reason": "r"},
    ]);
    assert_eq!(
        rulings(&plan(), Permits { may_remove: true, ..FREE }, &replaced),
        ["applied", "refused: last was removed in the same iteration"]
    );
    let mut linked = plan();
    linked.tasks[2].depends_on.push("last".into());
    let amendment = json!([{"action": "remove", "task_id": "last", "reason": "r"}]);
    let permits = Permits { may_remove: true, ..FREE };
    assert_eq!(rulings(&linked, permits, &amendment), ["waits: next depends on it"]);
}

#[test]
fn without_permission_everything_sound_waits() {
    let amendments = json!([
        {"action": "add", "task": {"id": "n", "title": "t", "description": "d"}, "reason": "r"},
        {"action": "modify", "task_id": "next", "changes": {"title": "x"}, "reason": "r"},
    ]);
    assert_eq!(
        rulings(&plan(), Permits::default(), &amendments),
        ["waits: agents may not add tasks here", "waits: agents may not modify tasks here"]
    );
}

#[test]
fn the_first_three_are_looked_at_whatever_becomes_of_them() {
    let task = |id: &str| json!({"action": "add", "task": {"id": id, "title": "t", "description": "d"}, "reason": "r"});
    let more = "refused: only the first 3 amendments of an iteration are considered";
    assert_eq!(
        rulings(&plan(), FREE, &json!([task("a"), task(""), task("c"), task("d"), task("e")])),
        ["applied", "refused: it has no id", "applied", more, more]
    );
}

#[test]
fn each_is_judged_against_what_those_before_it_left() {
    let amendments = json!([
        {"action": "add", "task": {"id": "n", "title": "t", "description": "d", "depends_on": ["next"]}, "reason": "r"},
        {"action": "modify", "task_id": "next", "changes": {"depends_on": ["done", "now", "n"]}, "reason": "r"},
        {"action": "add", "task": {"id": "n", "title": "other", "description": "d"}, "reason": "r"},
    ]);
    assert_eq!(
        rulings(&plan(), FREE, &amendments),
        [
            "applied",
            "refused: tasks depend on each other in a cycle: next -> n -> next",
            "refused: tasks number 9 and 10 both have the id n"
        ]
    );
}

#[test]
fn the_same_again_is_known_and_does_not_count() {
    let truth = plan();
    let remove = |reason: &str| Proposal {
        from: Source::Handoff,
        amendment: Amendment::Remove { id: "last".into(), reason: reason.into() },
    };
    let judged = |waiting, proposals| {
        let judging = Judging {
            truth: &truth,
            current: None,
            is_unjudged: false,
            mode: Mode::Implement,
            permits: FREE,
            waiting,
            ungated: None,
        };
        let ruled = judge(&judging, proposals);
        ruled.iter().map(|ruled| said(&ruled.ruling)).collect::<Vec<_>>()
    };
    assert_eq!(
        judged(Vec::new(), vec![remove("a"), remove("b")]),
        [
            "waits: a person decides about removals",
            "refused: the same change was already proposed in this iteration"
        ]
    );
    let waits = remove("long ago").amendment;
    assert_eq!(
        judged(vec![&waits], vec![remove("c")]),
        ["refused: the same change is already waiting for a person"]
    );
}

#[test]
fn what_holds_for_the_whole_plan_waits() {
    let truth =
        Plan { verify_commands: vec!["make test".into()], max_iterations: Some(9), ..plan() };
    let judged = |edited: &Plan| {
        let (proposals, words) = from_edit(&truth, &plan_json::render(edited));
        assert_eq!(words, Vec::<String>::new());
        let judging = Judging {
            truth: &truth,
            current: None,
            is_unjudged: false,
            mode: Mode::Implement,
            permits: FREE,
            waiting: Vec::new(),
            ungated: None,
        };
        judge(&judging, proposals).iter().map(|ruled| said(&ruled.ruling)).collect::<String>()
    };
    for (edited, names) in [
        (Plan { verify_commands: vec!["true".into()], ..truth.clone() }, "`verify_commands`"),
        (Plan { max_iterations: None, ..truth.clone() }, "`max_iterations`"),
        (
            Plan {
                branch: "main".into(),
                validation_strategy: Some("lenient".into()),
                ..truth.clone()
            },
            "`branch`, `validation_strategy`",
        ),
    ] {
        assert_eq!(judged(&edited), format!("waits: a person must choose {names}"));
    }
}

#[test]
fn a_review_proposes_new_tasks_and_nothing_else() {
    let truth = plan();
    let judging = Judging {
        truth: &truth,
        current: None,
        is_unjudged: false,
        mode: Mode::Review,
        permits: FREE,
        waiting: Vec::new(),
        ungated: None,
    };
    let task =
        Task { id: "n".into(), title: "t".into(), description: "d".into(), ..Task::default() };
    let add = Amendment::Add { task: Box::new(task), after: None, reason: "found".into() };
    let remove = Amendment::Remove { id: "last".into(), reason: "r".into() };
    let no = "refused: a review may only propose new tasks, in its handoff";
    for (from, amendment, expected) in [
        (Source::Handoff, add.clone(), "applied"),
        (Source::PlanFile, add, no),
        (Source::Handoff, remove, no),
    ] {
        let ruled = judge(&judging, vec![Proposal { from, amendment }]);
        assert_eq!(ruled.iter().map(|ruled| said(&ruled.ruling)).collect::<String>(), expected);
    }
}

#[test]
fn a_new_task_that_follows_another_takes_over_its_place() {
    let mut truth = plan();
    truth.tasks[2].order = Some(4);
    let task = Task { id: "n".into(), title: "t".into(), ..Task::default() };
    let add =
        Amendment::Add { task: Box::new(task), after: Some("next".into()), reason: String::new() };
    assert!(apply(&mut truth, &add));
    assert_eq!(truth.tasks.last().map(|task| task.order), Some(Some(4)));
    assert_eq!(problems(&truth), []);
}

#[test]
fn rulings_survive_the_journal() {
    let amendments = json!([
        {"action": "add", "after": "now", "task": {"id": "n", "title": "t", "description": "d"}, "reason": "r"},
        {"action": "modify", "task_id": "next", "changes": {"model": null, "notes": null, "status": "done", "x": [1]}, "reason": "r"},
        {"action": "remove", "task_id": "last", "reason": "r"},
    ]);
    let handoff = Handoff {
        rest: [("plan_amendments".to_owned(), amendments)].into_iter().collect(),
        ..Handoff::default()
    };
    let truth = plan();
    let judging = Judging {
        truth: &truth,
        current: None,
        is_unjudged: false,
        mode: Mode::Implement,
        permits: FREE,
        waiting: Vec::new(),
        ungated: None,
    };
    let ruled = judge(&judging, from_handoff(&handoff).0);
    let journaled = serde_json::to_string(&ruled).unwrap_or_default();
    assert_eq!(serde_json::from_str::<Vec<Ruled>>(&journaled).ok(), Some(ruled));
}
