//! Decisions as published events: reviews, drafts, changes of the plan, what people say, memory.

use ralph_core::{
    event::{Event, Reviewed},
    evidence::{Evidence, Judged, Label},
    ids::TaskId,
    plan::amend::{Ruled, Ruling, Source},
    review::Finding,
    timeline::Timeline,
};
use serde_json::{Value, json};

use crate::reporters::record;

/// A published event: its dotted name and its fields.
pub(super) type Published = (&'static str, Value);

/// What is weaker than full proof, in words.
pub(super) fn labels(labels: &[Label]) -> Vec<String> {
    labels.iter().map(Label::describe).collect()
}

/// Changes of the plan, and what people say; none where it is no event of this kind.
pub(super) fn published(event: &Event, timeline: &Timeline) -> Vec<Published> {
    vec![match event {
        Event::AmendmentsProposed { proposals, unreadable } => {
            let headlines: Vec<String> =
                proposals.iter().map(|one| one.amendment.headline()).collect();
            ("amendments.proposed", json!({"proposals": headlines, "unreadable": unreadable}))
        }
        Event::AmendmentsRuled { task, ruled } => {
            let numbered = record::numbered(ruled, timeline);
            return numbered.map(|(number, one)| amendment(task, number, one)).collect();
        }
        Event::ProposalDecided { number, accepted, why } => {
            let what = timeline.proposals.get(number);
            let what = what.map(|one| one.proposal.amendment.headline()).unwrap_or_default();
            (
                "proposal.decided",
                json!({"number": number, "accepted": accepted, "what": what, "why": why}),
            )
        }
        Event::PlanChanged { wish } => (
            "plan.changed",
            json!({
                "wish": wish.word(),
                "task": wish.task().map(TaskId::as_str),
                "what": record::wished(wish),
            }),
        ),
        Event::TaskReset { task } => ("task.reset", json!({"task": task.as_str()})),
        Event::QuestionAsked { task, question, in_passing } => (
            "question.asked",
            json!({"task": task.as_str(), "question": question, "waits": !in_passing}),
        ),
        Event::AnswerGiven { task, answer } => {
            ("answer.given", json!({"task": task.as_str(), "answer": answer}))
        }
        Event::ApprovalGiven { task } => ("approval.given", json!({"task": task.as_str()})),
        Event::WorkReapplied { task, result } => (
            "work.reapplied",
            json!({
                "task": task.as_str(),
                "fits": result.tree.is_some(),
                "notes": result.notes,
            }),
        ),
        _ => return Vec::new(),
    }]
}

/// Reviews, drafts and stuck work; none where it is no event of this kind.
pub(super) fn judged(event: &Event) -> Option<Published> {
    Some(match event {
        Event::EvidenceRecorded { task, evidence, labels: weaker } => (
            "evidence.recorded",
            json!({
                "task": task.as_str(),
                "evidence": evidence.iter().map(proof).collect::<Vec<_>>(),
                "labels": labels(weaker),
            }),
        ),
        Event::Reviewed(review) => ("review.finished", reviewed(review)),
        Event::ReviewUnusable { task, nth, why } => {
            ("review.unusable", json!({"task": task.as_str(), "nth": nth, "why": why}))
        }
        Event::PlanDrafted(draft) => (
            "plan.drafted",
            json!({
                "tasks": draft.tasks.len(),
                "questions": draft.questions.len(),
                "assumptions": draft.assumptions.len(),
                "summary": draft.summary,
            }),
        ),
        Event::DraftUnusable { nth, why, .. } => {
            ("draft.unusable", json!({"nth": nth, "why": why}))
        }
        Event::Escalated { task, stuck, measures } => (
            "task.stuck",
            json!({
                "task": task.as_str(),
                "why": stuck.describe(),
                "measures": measures.describe(),
            }),
        ),
        _ => return None,
    })
}

/// Steering, pauses and memory; none where it is no event of this kind.
pub(super) fn steered(event: &Event) -> Option<Published> {
    Some(match event {
        Event::Steered { word, ends_call } => (
            "steered",
            json!({
                "task": word.task.as_ref().map(TaskId::as_str),
                "text": word.text,
                "ends_call": ends_call,
            }),
        ),
        Event::PauseRequested { ends_call } => ("pause.requested", json!({"ends_call": ends_call})),
        Event::Paused => ("run.paused", json!({})),
        Event::Unpaused => ("run.unpaused", json!({})),
        Event::CompactionBegan(start) => (
            "compaction.began",
            json!({
                "after": start.after,
                "why": start.why.describe(),
                "agent": start.agent,
                "model": start.model,
            }),
        ),
        Event::MemoryCompacted(compaction) => (
            "memory.compacted",
            json!({
                "after": compaction.after,
                "why": compaction.why.describe(),
                "by": compaction.by.name(),
                "handoffs": compaction.records,
                "tokens": compaction.tokens,
                "left_out": compaction.left_out,
            }),
        ),
        _ => return None,
    })
}

fn amendment(task: &TaskId, number: Option<u32>, one: &Ruled) -> Published {
    let amendment = &one.proposal.amendment;
    let (ruling, why) = match &one.ruling {
        Ruling::Applied => ("applied", ""),
        Ruling::Waits { why } => ("waits", why.as_str()),
        Ruling::Refused { why } => ("refused", why.as_str()),
    };
    let from = match one.proposal.from {
        Source::Handoff => "handoff",
        Source::PlanFile => "plan_file",
    };
    let fields = json!({
        "task": task.as_str(),
        "what": amendment.headline(),
        "about": amendment.task().map(TaskId::as_str),
        "from": from,
        "reason": amendment.reason(),
        "ruling": ruling,
        "why": why,
        "number": number,
    });
    ("amendment.ruled", fields)
}

fn reviewed(review: &Reviewed) -> Value {
    let judgement = &review.judgement;
    let criteria = judgement.rulings.iter().map(|ruling| {
        json!({
            "criterion": ruling.criterion,
            "met": ruling.met,
            "evidence": ruling.evidence,
            "comment": ruling.comment,
        })
    });
    json!({
        "task": review.task.as_str(),
        "review": review.review,
        "agent": review.agent,
        "model": review.model,
        "tree": review.tree.as_str(),
        "approved": judgement.approved,
        "criteria": criteria.collect::<Vec<_>>(),
        "findings": judgement.findings.iter().map(finding).collect::<Vec<_>>(),
        "warnings": judgement.warnings.iter().map(finding).collect::<Vec<_>>(),
        "summary": review.summary,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.word(),
        "title": finding.title,
        "detail": finding.detail,
        "place": finding.place,
    })
}

fn proof(one: &Evidence) -> Value {
    let (judge, proof) = match &one.by {
        Judged::Check { log, .. } => ("check", log.as_str()),
        Judged::Reviewer { evidence, .. } => ("reviewer", evidence.as_str()),
        Judged::Person => ("person", ""),
        Judged::Unreviewed => ("unreviewed", ""),
    };
    let met = !matches!(one.by, Judged::Unreviewed) && one.by.met();
    json!({
        "criterion": one.criterion,
        "judge": judge,
        "met": met,
        "proof": proof,
        "tree": one.tree.as_str(),
    })
}
