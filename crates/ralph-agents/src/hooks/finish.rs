//! The checks before an agent ends: what it hands over can be read and proposes nothing that is not allowed.

use ralph_core::{
    handoff::Handoff,
    plan::amend::{self, Mode},
    review::{self, Misfit},
    vocabulary::Kind,
};
use serde_json::Value;

/// How work is handed over.
pub(super) enum Handover<'a> {
    /// By a tool of the agent's CLI.
    Report(&'a Value),
    /// By the last message.
    Message(&'a str),
}

impl Handover<'_> {
    fn handoff(&self) -> Option<Handoff> {
        match self {
            Self::Report(report) => Handoff::from_json(&report.to_string()),
            Self::Message(text) => {
                Handoff::from_json(text.trim()).or_else(|| Handoff::from_text(text))
            }
        }
    }
}

/// What is wrong with what is handed over by work of this kind; `None` if nothing is, or nothing is asked for.
pub(super) fn complaint(kind: Kind, said: &Handover<'_>) -> Option<String> {
    let handoff = said.handoff();
    let problems = match kind {
        Kind::Implement => work(handoff.as_ref(), Mode::Implement),
        Kind::Fix => work(handoff.as_ref(), Mode::Fix),
        Kind::Review => judgement(handoff.as_ref()),
        Kind::Prompt | Kind::Apply | Kind::Plan | Kind::Compact => Vec::new(),
    };
    if problems.is_empty() {
        return None;
    }
    Some(format!(
        "ralph cannot accept this yet: {}. Fix it and hand over again.",
        problems.join("; ")
    ))
}

fn work(handoff: Option<&Handoff>, mode: Mode) -> Vec<String> {
    let Some(handoff) = handoff else {
        return vec![
            "the last message is not a handoff: one JSON object in the form you were given".into(),
        ];
    };
    let mut problems = Vec::new();
    let done = &handoff.task_completed;
    if done.summary.is_empty() {
        problems.push("`task_completed.summary` does not say what was done".into());
    }
    if done.fully_complete.is_none() {
        problems.push("`task_completed.fully_complete` is neither true nor false".into());
    }
    let (proposals, unreadable) = amend::from_handoff(handoff);
    problems.extend(unreadable);
    for (index, proposal) in proposals.into_iter().enumerate() {
        if let Err(why) = amend::lawful(mode, proposal) {
            problems.push(format!("plan amendment {}: {why}", index + 1));
        }
    }
    problems
}

fn judgement(handoff: Option<&Handoff>) -> Vec<String> {
    match review::read(handoff, "") {
        Ok(_) => Vec::new(),
        Err(Misfit::Missing | Misfit::Unclear) => {
            vec![
                "the last message is not a review: one JSON object in the form you were given"
                    .into(),
            ]
        }
        Err(misfit) => vec![misfit.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(amendments: &Value) -> Value {
        let done = json!({"task_id": "T-1", "summary": "did it", "fully_complete": true});
        json!({"task_completed": done, "plan_amendments": amendments})
    }

    fn told(kind: Kind, report: &Value) -> String {
        complaint(kind, &Handover::Report(report)).unwrap_or_default()
    }

    #[test]
    fn a_sound_handoff_passes_in_every_form() {
        let new = json!({"id": "T-9", "title": "t", "description": "d", "status": "pending", "passes": false});
        let sound = report(&json!([{"action": "add", "task": new, "reason": "r"}]));
        assert_eq!(told(Kind::Implement, &sound), "");
        let block = format!("Done.\n```ralph-handoff\n{sound}\n```");
        for text in [format!(" {sound}\n"), block] {
            assert_eq!(complaint(Kind::Fix, &Handover::Message(&text)), None, "{text}");
        }
    }

    #[test]
    fn words_in_the_place_of_a_handoff_are_told_where_one_is_asked_for() {
        let words = Handover::Message("All is done.");
        for (kind, is_told) in [
            (Kind::Implement, true),
            (Kind::Fix, true),
            (Kind::Review, true),
            (Kind::Prompt, false),
            (Kind::Plan, false),
        ] {
            assert_eq!(complaint(kind, &words).is_some(), is_told, "{kind:?}");
        }
    }

    #[test]
    fn nobody_who_implements_says_where_a_task_stands() {
        for (amendment, word) in [
            (
                json!({"action": "modify", "task_id": "T-1", "changes": {"status": "done"}, "reason": "r"}),
                "status",
            ),
            (
                json!({"action": "modify", "task_id": "T-1", "changes": {"passes": true}, "reason": "r"}),
                "passes",
            ),
            (
                json!({"action": "modify", "task_id": "T-1", "changes": {"reviewStatus": "approved"}, "reason": "r"}),
                "reviewStatus",
            ),
            (
                json!({"action": "add", "task": {"id": "T-9", "title": "t", "description": "d", "status": "done"}, "reason": "r"}),
                "pending",
            ),
            (
                json!({"action": "add", "task": {"id": "T-9", "title": "t", "description": "d", "passes": true}, "reason": "r"}),
                "passes",
            ),
            (
                json!({"action": "add", "task": {"id": "T-9", "title": "t"}, "reason": "r"}),
                "description",
            ),
            (json!({"action": "remove", "task_id": "T-2"}), "reason"),
            (json!({"action": "explode"}), "explode"),
            (
                json!({"action": "modify", "changes": {"title": "x"}, "reason": "r"}),
                "names no task",
            ),
        ] {
            let told = told(Kind::Implement, &report(&json!([amendment])));
            assert!(
                told.contains("plan amendment 1") && told.contains(word),
                "{amendment}: {told}"
            );
        }
    }

    #[test]
    fn what_is_missing_in_a_handoff_or_a_review_is_named() {
        let told_of_work = told(Kind::Implement, &json!({"task_completed": {"task_id": "T-1"}}));
        assert!(told_of_work.contains("summary") && told_of_work.contains("fully_complete"));
        let entry =
            json!({"number": 1, "criterion": "c", "met": true, "evidence": "a:1", "comment": ""});
        let sound = json!({"criteria": [entry], "findings": [], "summary": "s"});
        assert_eq!(told(Kind::Review, &sound), "");
        let told_of_review =
            told(Kind::Review, &json!({"criteria": [], "findings": [], "summary": "s"}));
        assert!(told_of_review.contains("no criterion"), "{told_of_review}");
    }
}
