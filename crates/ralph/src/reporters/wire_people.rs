//! Reviews, amendments, questions and stuck work as published events.

use ralph_core::{
    event::{Event, Reviewed},
    evidence::{Evidence, Judged},
    ids::TaskId,
    plan::amend::{Ruled, Ruling, Source},
    review::Finding,
};

use super::{
    record,
    tally::Tally,
    wire::{CriterionWire, EvidenceWire, FindingWire, Wire},
};

/// The published events of one event; none where it is no event of this kind.
pub(super) fn wires<'a>(event: &'a Event, tally: &'a Tally) -> Vec<Wire<'a>> {
    vec![match event {
        Event::EvidenceRecorded { task, evidence, labels } => Wire::EvidenceRecorded {
            task: task.as_str(),
            evidence: evidence.iter().map(proof).collect(),
            labels: labels.iter().map(ralph_core::evidence::Label::describe).collect(),
        },
        Event::AmendmentsProposed { proposals, unreadable } => Wire::AmendmentsProposed {
            proposals: proposals.iter().map(|one| one.amendment.headline()).collect(),
            unreadable,
        },
        Event::AmendmentsRuled { task, ruled } => {
            let numbered = record::numbered(ruled, tally);
            return numbered.map(|(number, one)| amendment(task, number, one)).collect();
        }
        Event::ProposalDecided { number, accepted, why } => Wire::ProposalDecided {
            number: *number,
            accepted: *accepted,
            what: tally
                .proposals
                .get(number)
                .map(|one| one.proposal.amendment.headline())
                .unwrap_or_default(),
            why,
        },
        Event::PlanChanged { wish } => Wire::PlanChanged {
            wish: wish.word(),
            task: wish.task().map(TaskId::as_str),
            what: record::wished(wish),
        },
        Event::TaskReset { task } => Wire::TaskReset { task: task.as_str() },
        Event::QuestionAsked { task, question, in_passing } => {
            Wire::QuestionAsked { task: task.as_str(), question, waits: !in_passing }
        }
        Event::AnswerGiven { task, answer } => Wire::AnswerGiven { task: task.as_str(), answer },
        Event::ApprovalGiven { task } => Wire::ApprovalGiven { task: task.as_str() },
        Event::WorkReapplied { task, result } => Wire::WorkReapplied {
            task: task.as_str(),
            fits: result.tree.is_some(),
            notes: &result.notes,
        },
        Event::Reviewed(review) => reviewed(review),
        Event::ReviewUnusable { task, nth, why } => {
            Wire::ReviewUnusable { task: task.as_str(), nth: *nth, why }
        }
        Event::PlanDrafted(draft) => Wire::PlanDrafted {
            tasks: draft.tasks.len(),
            questions: draft.questions.len(),
            assumptions: draft.assumptions.len(),
            summary: &draft.summary,
        },
        Event::DraftUnusable { nth, why, .. } => Wire::DraftUnusable { nth: *nth, why },
        Event::Escalated { task, stuck, measures } => Wire::TaskStuck {
            task: task.as_str(),
            why: stuck.describe(),
            measures: measures.describe(),
        },
        _ => return Vec::new(),
    }]
}

fn amendment<'a>(task: &'a TaskId, number: Option<u32>, one: &'a Ruled) -> Wire<'a> {
    let amendment = &one.proposal.amendment;
    let (ruling, why) = match &one.ruling {
        Ruling::Applied => ("applied", ""),
        Ruling::Waits { why } => ("waits", why.as_str()),
        Ruling::Refused { why } => ("refused", why.as_str()),
    };
    Wire::AmendmentRuled {
        task: task.as_str(),
        what: amendment.headline(),
        about: amendment.task().map(TaskId::as_str),
        from: match one.proposal.from {
            Source::Handoff => "handoff",
            Source::PlanFile => "plan_file",
        },
        reason: amendment.reason(),
        ruling,
        why,
        number,
    }
}

fn reviewed(review: &Reviewed) -> Wire<'_> {
    let judgement = &review.judgement;
    let criteria = judgement.rulings.iter().map(|ruling| CriterionWire {
        criterion: ruling.criterion,
        met: ruling.met,
        evidence: &ruling.evidence,
        comment: &ruling.comment,
    });
    Wire::ReviewFinished {
        task: review.task.as_str(),
        review: review.review,
        agent: &review.agent,
        model: &review.model,
        tree: review.tree.as_str(),
        approved: judgement.approved,
        criteria: criteria.collect(),
        findings: judgement.findings.iter().map(finding).collect(),
        warnings: judgement.warnings.iter().map(finding).collect(),
        summary: &review.summary,
    }
}

fn finding(finding: &Finding) -> FindingWire<'_> {
    FindingWire {
        severity: finding.severity.word(),
        title: &finding.title,
        detail: &finding.detail,
        place: &finding.place,
    }
}

fn proof(one: &Evidence) -> EvidenceWire<'_> {
    let (judge, proof) = match &one.by {
        Judged::Check { log, .. } => ("check", log.as_str()),
        Judged::Reviewer { evidence, .. } => ("reviewer", evidence.as_str()),
        Judged::Person => ("person", ""),
        Judged::Unreviewed => ("unreviewed", ""),
    };
    let met = !matches!(one.by, Judged::Unreviewed) && one.by.met();
    EvidenceWire { criterion: &one.criterion, judge, met, proof, tree: one.tree.as_str() }
}
