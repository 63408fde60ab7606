//! Decisions about reviews, people and the plan as planted bugs would take them.

use ralph_core::{
    event::{Event, Reviewed},
    evidence::{Evidence, Judged, Label},
    input::{Done, Input, What},
    plan::{
        Status,
        amend::{Amendment, Ruled, Ruling},
    },
    review::Judgement,
    run::{Iteration, Phase, RunState},
    stuck::Measures,
    vocabulary::{Kind, Stage},
};

use super::Bug;

/// Changes a decision, if the bug is about what it decides.
pub(super) fn decide(bug: Bug, state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    match bug {
        Bug::LimitedReviewCounted => with_limited_review(state, events),
        Bug::SelfApprovalAccepted => with_self_approval(state, events),
        Bug::RejectedAmendmentApplied => with_rejected_amendments(state, events),
        Bug::CapForgotten => without_cap(state, events),
        Bug::ThirdShift => with_another_shift(events),
        Bug::ApprovedWithoutGates => without_judging(state, events),
        Bug::QuestionIgnored => without_question(events),
        Bug::UnusableReviewApproves => approved_by_prose(state, input, events),
        _ => events.into_iter().map(|event| change(bug, state, event)).collect(),
    }
}

/// Changes one event.
fn change(bug: Bug, state: &RunState, event: Event) -> Event {
    match (bug, event) {
        (Bug::DoneWithoutReview, Event::TaskMoved { task, from, to: Status::NeedsReview, why }) => {
            Event::TaskMoved { task, from, to: Status::Done, why }
        }
        (Bug::EvidenceDropped, Event::EvidenceRecorded { task, mut evidence, labels }) => {
            evidence.pop();
            Event::EvidenceRecorded { task, evidence, labels }
        }
        (Bug::UnlabelledAutoApproval, Event::EvidenceRecorded { task, evidence, mut labels }) => {
            labels.retain(|label| !matches!(label, Label::AutoApprovedAtCap { .. }));
            Event::EvidenceRecorded { task, evidence, labels }
        }
        (Bug::NoCriteriaUnlabelled, Event::EvidenceRecorded { task, evidence, mut labels }) => {
            labels.retain(|label| !matches!(label, Label::NoCriteria));
            Event::EvidenceRecorded { task, evidence, labels }
        }
        (
            Bug::FixMovesStraightToPending,
            Event::TaskMoved { task, from, to: Status::ChangesRequested, why },
        ) => Event::TaskMoved { task, from, to: Status::Pending, why },
        (Bug::FourthAmendment, event) => overruled(event, |one, why| {
            matches!(one, Amendment::Add { .. }) && why.starts_with("only the first")
        }),
        (Bug::RemovalWithoutPerson, event) => {
            overruled(event, |one, _| matches!(one, Amendment::Remove { .. }))
        }
        (Bug::WeakeningApplied, event) => overruled(event, |one, why| {
            matches!(one, Amendment::Modify { .. }) && why.contains("it removes")
        }),
        (Bug::DoneTaskAmended, event) => overruled(event, |one, _| {
            let about = one.task().and_then(|id| state.position(id));
            let is_done = about.and_then(|at| state.tasks.get(at)).map(|task| task.status);
            matches!(one, Amendment::Modify { .. }) && is_done == Some(Status::Done)
        }),
        (Bug::ReapplyForgotten, Event::WorkReapplied { task, mut result }) => {
            result.tree = Some(state.head_tree.clone());
            Event::WorkReapplied { task, result }
        }
        (Bug::ReviewerRenamed, Event::EvidenceRecorded { task, mut evidence, labels }) => {
            for one in &mut evidence {
                if let Judged::Reviewer { agent, .. } = &mut one.by {
                    agent.push('!');
                }
            }
            Event::EvidenceRecorded { task, evidence, labels }
        }
        (Bug::LenientJudge, Event::Reviewed(mut reviewed)) => {
            reviewed.judgement.approved = true;
            Event::Reviewed(reviewed)
        }
        (_, event) => event,
    }
}

/// Applies what the ruling on it kept back.
fn overruled(event: Event, fits: impl Fn(&Amendment, &str) -> bool) -> Event {
    let Event::AmendmentsRuled { task, mut ruled } = event else {
        return event;
    };
    for one in &mut ruled {
        let kept_back = match &one.ruling {
            Ruling::Waits { why } | Ruling::Refused { why } => fits(&one.proposal.amendment, why),
            Ruling::Applied => false,
        };
        if kept_back {
            one.ruling = Ruling::Applied;
        }
    }
    Event::AmendmentsRuled { task, ruled }
}

fn underway(state: &RunState) -> Option<&Iteration> {
    match &state.phase {
        Phase::Iterating(iteration) => Some(iteration),
        _ => None,
    }
}

fn review_of(state: &RunState, iteration: &Iteration, approved: bool) -> Event {
    let reviews = state.detail(iteration.task).map_or(0, |detail| detail.reviews);
    Event::Reviewed(Box::new(Reviewed {
        task: state.task_id(iteration.task),
        review: reviews + 1,
        agent: "claude".into(),
        model: String::new(),
        tree: state.head_tree.clone(),
        judgement: Judgement {
            approved,
            rulings: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
        },
        summary: String::new(),
        print: String::new(),
    }))
}

/// A review that ended at a usage limit counts all the same.
fn with_limited_review(state: &RunState, mut events: Vec<Event>) -> Vec<Event> {
    let aside = events.iter().position(|event| matches!(event, Event::CallSetAside(_)));
    let iteration = underway(state).filter(|iteration| iteration.kind == Kind::Review);
    if let (Some(at), Some(iteration)) = (aside, iteration) {
        events.insert(at, review_of(state, iteration, false));
    }
    events
}

/// What an agent says of itself is believed.
fn with_self_approval(state: &RunState, mut events: Vec<Event>) -> Vec<Event> {
    let claims = |one: &&Ruled| match &one.proposal.amendment {
        Amendment::Modify { changes, .. } => changes.status == Some(Status::Done),
        _ => false,
    };
    let claimed = events.iter().find_map(|event| match event {
        Event::AmendmentsRuled { ruled, .. } => ruled.iter().find(claims),
        _ => None,
    });
    let task = claimed.and_then(|one| one.proposal.amendment.task().cloned());
    let at = task.as_ref().and_then(|task| state.position(task));
    if let (Some(task), Some(at)) = (task, at) {
        let from = state.tasks.get(at).map(|task| task.status).unwrap_or_default();
        let why = String::new();
        events.push(Event::TaskMoved { task, from, to: Status::Done, why });
    }
    events
}

/// New tasks of an agent whose work was not accepted.
fn with_rejected_amendments(state: &RunState, mut events: Vec<Event>) -> Vec<Event> {
    let is_rejected = events.iter().any(|event| matches!(event, Event::AttemptRejected(_)));
    let proposed = underway(state).map(|iteration| iteration.proposed.clone()).unwrap_or_default();
    let adds: Vec<Ruled> = proposed
        .into_iter()
        .filter(|one| matches!(one.amendment, Amendment::Add { .. }))
        .map(|proposal| Ruled { proposal, ruling: Ruling::Applied })
        .collect();
    if let Some(iteration) = underway(state).filter(|_| is_rejected && !adds.is_empty()) {
        let task = state.task_id(iteration.task);
        events.insert(1, Event::AmendmentsRuled { task, ruled: adds });
    }
    events
}

/// One more fix instead of the end at the cap.
fn without_cap(state: &RunState, mut events: Vec<Event>) -> Vec<Event> {
    let is_review = events.iter().any(|event| matches!(event, Event::Reviewed(_)));
    let parks = |event: &Event| matches!(event, Event::Proceeded { to: Stage::Park });
    if let (Some(iteration), true) = (underway(state), is_review && events.iter().any(parks)) {
        events.retain(|event| !parks(event));
        events.push(Event::TaskMoved {
            task: state.task_id(iteration.task),
            from: Status::NeedsReview,
            to: Status::ChangesRequested,
            why: "once more".into(),
        });
        events.push(Event::IterationClosed);
    }
    events
}

/// Another strategy instead of giving up.
fn with_another_shift(events: Vec<Event>) -> Vec<Event> {
    let is_over = |event: &Event| matches!(event, Event::Escalated { measures, .. } if *measures == Measures::default());
    if !events.iter().any(is_over) {
        return events;
    }
    events
        .into_iter()
        .map(|event| match event {
            Event::Escalated { task, stuck, .. } => {
                let measures = Measures { shift: true, ..Measures::default() };
                Event::Escalated { task, stuck, measures }
            }
            Event::Proceeded { to: Stage::GiveUp } => Event::IterationClosed,
            event => event,
        })
        .collect()
}

/// A person's word is enough, whatever gates and checks would say.
fn without_judging(state: &RunState, events: Vec<Event>) -> Vec<Event> {
    let mut changed = Vec::new();
    let mut approved = None;
    for event in events {
        match event {
            Event::ApprovalGiven { task } => approved = Some(task),
            Event::TaskMoved { task, from, to: Status::Pending, .. } if approved.is_some() => {
                let Some(known) =
                    state.position(&task).and_then(|at| state.start.plan.tasks.get(at))
                else {
                    continue;
                };
                let record = |text: &str| Evidence {
                    criterion: text.to_owned(),
                    by: Judged::Person,
                    tree: state.head_tree.clone(),
                };
                let evidence = known.acceptance_criteria.iter().map(|one| record(one.text()));
                changed.push(Event::EvidenceRecorded {
                    task: task.clone(),
                    evidence: evidence.collect(),
                    labels: vec![Label::ApprovedByPerson],
                });
                for (from, to) in [(from, Status::InProgress), (Status::InProgress, Status::Done)] {
                    let (task, why) = (task.clone(), String::new());
                    changed.push(Event::TaskMoved { task, from, to, why });
                }
            }
            event => changed.push(event),
        }
    }
    changed
}

/// Half-done work is judged although its agent asks.
fn without_question(events: Vec<Event>) -> Vec<Event> {
    if !events.iter().any(|event| matches!(event, Event::QuestionAsked { .. })) {
        return events;
    }
    events
        .into_iter()
        .filter(|event| !matches!(event, Event::QuestionAsked { .. }))
        .map(|event| match event {
            Event::Proceeded { to: Stage::Park } => Event::Proceeded { to: Stage::Gates },
            event => event,
        })
        .collect()
}

/// "Looks good to me" passes for a review.
fn approved_by_prose(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    let is_misfit = events.iter().any(|event| matches!(event, Event::ReviewUnusable { .. }));
    let (Some(iteration), What::Done(_, Done::AgentEnded(report)), true) =
        (underway(state), &input.what, is_misfit)
    else {
        return events;
    };
    vec![
        Event::AgentEnded(report.clone()),
        review_of(state, iteration, true),
        Event::TaskMoved {
            task: state.task_id(iteration.task),
            from: Status::NeedsReview,
            to: Status::Done,
            why: String::new(),
        },
        Event::IterationClosed,
    ]
}
