//! The review-integrity and transition rows of the design that let agents write state themselves, in the form of
//! this one: an agent only proposes, so whatever it says about where a task stands is refused, the legal moves
//! too, since those are ralph's own. Where a row is about what ralph does, the run's tests hold its other half.

use serde_json::{Value, json};

use super::*;
use crate::{
    handoff::Handoff,
    plan::{Plan, Status, Task, formats::plan_json, problems},
};

const FREE: Permits = Permits { may_add: true, may_modify: true, may_remove: true };

fn plan(was: Status) -> Plan {
    let task = |id: &str, status| Task {
        id: id.into(),
        title: "t".into(),
        description: "d".into(),
        status,
        review_count: (status == Status::ChangesRequested).then_some(1),
        review_feedback: (status == Status::ChangesRequested).then(|| "the door is open".into()),
        ..Task::default()
    };
    Plan { tasks: vec![task("US-1", was), task("US-2", Status::NeedsReview)], ..Plan::default() }
}

/// What the agent says of US-1, in its handoff.
fn by_handoff(said: &[(&str, Value)]) -> Vec<Proposal> {
    let amendments: Value = said
        .iter()
        .map(|(id, changes)| json!({"action": "modify", "task_id": id, "changes": changes, "reason": "r"}))
        .collect();
    let rest = [("plan_amendments".to_owned(), amendments)].into_iter().collect();
    let (proposals, words) = from_handoff(&Handoff { rest, ..Handoff::default() });
    assert_eq!(words, Vec::<String>::new());
    proposals
}

/// The same, written into the plan file.
fn by_edit(truth: &Plan, said: &[(&str, Value)]) -> Vec<Proposal> {
    let mut file: Value = serde_json::from_str(&plan_json::render(truth)).unwrap_or_default();
    for (id, changes) in said {
        for task in file["tasks"].as_array_mut().into_iter().flatten() {
            if task["id"] == *id {
                for (name, value) in changes.as_object().into_iter().flatten() {
                    task[name] = value.clone();
                }
            }
        }
    }
    let (proposals, words) = from_edit(truth, &file.to_string());
    assert_eq!(words, Vec::<String>::new());
    proposals
}

/// Rules on proposals and asserts that ralph's plan is as it was.
fn refused(truth: &Plan, mode: Mode, proposals: Vec<Proposal>, what: &str) {
    assert_ne!(proposals, [], "{what}: nothing was proposed");
    let current = "US-1".into();
    let judging = Judging {
        truth,
        current: Some(&current),
        is_unjudged: false,
        mode,
        permits: FREE,
        waiting: Vec::new(),
        ungated: None,
    };
    let mut after = truth.clone();
    for ruled in judge(&judging, proposals) {
        assert!(matches!(ruled.ruling, Ruling::Refused { .. }), "{what}: {ruled:?}");
        // Even if a person accepted it by mistake, nothing would come of it.
        assert!(!apply(&mut after, &ruled.proposal.amendment), "{what}: {ruled:?}");
    }
    assert_eq!(&after, truth, "{what}");
}

fn refused_both_ways(mode: Mode, was: Status, what: &str, said: Value) {
    let (truth, said) = (plan(was), [("US-1", said)]);
    refused(&truth, mode, by_handoff(&said), what);
    refused(&truth, mode, by_edit(&truth, &said), what);
}

#[test]
fn review_integrity_no_task_is_done_by_an_agents_word() {
    for (what, was, said) in [
        ("passes, no review", Status::InProgress, json!({"passes": true, "reviewStatus": null})),
        (
            "passes, needs review",
            Status::NeedsReview,
            json!({"passes": true, "reviewStatus": "needs_review"}),
        ),
        (
            "passes, changes requested",
            Status::ChangesRequested,
            json!({"passes": true, "reviewStatus": "changes_requested"}),
        ),
        (
            "passes and approved, which only ralph may write",
            Status::NeedsReview,
            json!({"passes": true, "reviewStatus": "approved"}),
        ),
        (
            "approved, but does not pass",
            Status::NeedsReview,
            json!({"passes": false, "reviewStatus": "approved"}),
        ),
        (
            "changes requested without feedback",
            Status::NeedsReview,
            json!({"reviewStatus": "changes_requested", "reviewFeedback": ""}),
        ),
        ("a negative count", Status::InProgress, json!({"reviewCount": -1})),
        ("done, in ralph's words", Status::InProgress, json!({"status": "done"})),
        ("approved, in ralph's words", Status::InProgress, json!({"review_status": "approved"})),
        ("a review count, in ralph's words", Status::InProgress, json!({"review_count": 7})),
        ("feedback wiped", Status::ChangesRequested, json!({"review_feedback": null})),
        ("un-failed", Status::Failed, json!({"status": "pending"})),
        ("skipped", Status::InProgress, json!({"status": "skipped"})),
        ("parked", Status::Pending, json!({"status": "parked"})),
    ] {
        refused_both_ways(Mode::Implement, was, what, said);
    }
}

#[test]
fn review_integrity_passes_and_approved_is_sound_where_ralph_wrote_it() {
    let truth = plan(Status::Done);
    assert_eq!(from_edit(&truth, &plan_json::render(&truth)), (Vec::new(), Vec::new()));
}

#[test]
fn review_integrity_a_negative_count_in_ralphs_own_field_damages_the_file() {
    let truth = plan(Status::InProgress);
    let edited = plan_json::render(&truth).replace("\"title\"", "\"review_count\": -1, \"title\"");
    let (proposals, words) = from_edit(&truth, &edited);
    assert_eq!((proposals.len(), words.len()), (0, 1));
}

#[test]
fn review_integrity_with_review_off_the_agent_still_does_not_write_that_it_passes() {
    // With review off, ralph itself calls a task done once gates are green, and labels it: a test of the run.
    refused_both_ways(Mode::Implement, Status::InProgress, "skip-review", json!({"passes": true}));
}

#[test]
fn transitions_an_implementation_neither_passes_nor_approves_nor_counts() {
    for (what, said) in [
        ("passes false -> true", json!({"passes": true})),
        ("review status null -> approved", json!({"reviewStatus": "approved"})),
        ("review count 0 -> 1", json!({"reviewCount": 1})),
        (
            "null -> needs_review, legal there, ralph's own move here",
            json!({"reviewStatus": "needs_review"}),
        ),
        ("the same as a status", json!({"status": "needs_review"})),
    ] {
        refused_both_ways(Mode::Implement, Status::InProgress, what, said);
    }
}

#[test]
fn transitions_an_implementation_may_add_a_task_that_starts_with_nothing_done() {
    let truth = plan(Status::InProgress);
    let new = |passes: bool| json!({"id": "US-3", "title": "t", "description": "d", "passes": passes, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""});
    let judged = |proposals| {
        let judging = Judging {
            truth: &truth,
            current: None,
            is_unjudged: false,
            mode: Mode::Implement,
            permits: FREE,
            waiting: Vec::new(),
            ungated: None,
        };
        judge(&judging, proposals)
    };
    let handed = |passes| {
        let amendments = json!([{"action": "add", "task": new(passes), "reason": "r"}]);
        let rest = [("plan_amendments".to_owned(), amendments)].into_iter().collect();
        from_handoff(&Handoff { rest, ..Handoff::default() }).0
    };
    let edited = |passes| {
        let mut file: Value = serde_json::from_str(&plan_json::render(&truth)).unwrap_or_default();
        file["tasks"].as_array_mut().into_iter().for_each(|tasks| tasks.push(new(passes)));
        from_edit(&truth, &file.to_string()).0
    };
    for proposals in [handed(false), edited(false)] {
        let mut after = truth.clone();
        for ruled in judged(proposals) {
            assert_eq!(ruled.ruling, Ruling::Applied);
            assert!(apply(&mut after, &ruled.proposal.amendment));
        }
        let expected = Task {
            id: "US-3".into(),
            title: "t".into(),
            description: "d".into(),
            ..Task::default()
        };
        assert_eq!((after.tasks.last(), problems(&after)), (Some(&expected), Vec::new()));
    }
    for proposals in [handed(true), edited(true)] {
        refused(&truth, Mode::Implement, proposals, "a new task that passes");
    }
}

#[test]
fn transitions_a_review_gives_its_verdict_to_ralph_and_writes_nothing() {
    // What ralph makes of a verdict, and that it counts the review, are tests of the run.
    for (what, said) in [
        ("approval", json!({"reviewCount": 2, "reviewStatus": "approved", "passes": true})),
        (
            "rejection",
            json!({"reviewCount": 2, "reviewStatus": "changes_requested", "reviewFeedback": "no"}),
        ),
        ("a review that is not counted", json!({"reviewStatus": "approved", "passes": true})),
        ("the same as statuses", json!({"status": "done", "review_count": 1})),
    ] {
        refused_both_ways(Mode::Review, Status::NeedsReview, what, said);
    }
}

#[test]
fn transitions_a_review_of_one_task_does_not_reach_another() {
    let truth = plan(Status::NeedsReview);
    let both = [("US-1", json!({"reviewStatus": "approved"})), ("US-2", json!({"status": "done"}))];
    refused(&truth, Mode::Review, by_handoff(&both), "two tasks");
    refused(&truth, Mode::Review, by_edit(&truth, &both), "two tasks");
}

#[test]
fn transitions_a_fix_neither_passes_nor_counts_nor_submits_itself() {
    for (what, said) in [
        ("passes false -> true", json!({"passes": true})),
        (
            "changes_requested -> needs_review, legal there, ralph's own move here",
            json!({"reviewStatus": "needs_review", "reviewFeedback": ""}),
        ),
        ("the same as a status", json!({"status": "needs_review"})),
        ("the review count", json!({"reviewCount": 2})),
        ("the review count, in ralph's words", json!({"review_count": 0})),
    ] {
        refused_both_ways(Mode::Fix, Status::ChangesRequested, what, said);
    }
}

#[test]
fn transitions_without_a_snapshot_the_truth_is_still_what_is_compared_with() {
    // Here the truth is folded from the journal and cannot be missing; a file that claims to be it is not it.
    let truth = plan(Status::InProgress);
    let forged = plan(Status::Done);
    let (proposals, _) = from_edit(&truth, &plan_json::render(&forged));
    refused(&truth, Mode::Implement, proposals, "a forged snapshot");
}

#[test]
fn a_malformed_task_list_proposes_nothing_and_a_sound_one_is_read() {
    let truth = plan(Status::InProgress);
    let sound = plan_json::render(&truth);
    for damaged in [
        String::new(),
        " \n".into(),
        "nonsense".into(),
        "[]".into(),
        "{}".into(),
        r#"{"tasks": []}"#.into(),
        r#"{"project": "p", "userStories": [{"id": "US-1", "passes": true}]}"#.into(),
        r#"{"tasks": [{"id": "other", "title": "t"}]}"#.into(),
        sound.replace("\"US-1\"", "7"),
        sound.replace("in_progress", "finished"),
        sound.replace("\"version\": 1", "\"version\": 2"),
        sound[..sound.len() / 2].into(),
        sound[..sound.len() - 3].into(),
    ] {
        let (proposals, words) = from_edit(&truth, &damaged);
        assert_eq!((proposals.len(), words.len()), (0, 1), "{damaged}");
    }
    assert_eq!(from_edit(&truth, &sound), (Vec::new(), Vec::new()));
}
