//! What agents want of the plan: heard when they end, ruled on when their work is accepted. What is found in the plan
//! file when a run is resumed is ruled on by the same rules.

use crate::{
    event::Event,
    input::Captured,
    plan::amend::{self, Judging, Mode, Permits, Proposal, Source},
    run::{Iteration, Phase, RunState, judge},
    settings::MayAmend,
    vocabulary::{Kind, ReviewMode, Stage},
};

/// Proposals in the handoff and in the plan file, if there are any. A prompt has no plan to amend.
pub(super) fn heard(state: &RunState, iteration: &Iteration, captured: &Captured) -> Option<Event> {
    if state.is_prompt() {
        return None;
    }
    let handoff = iteration.report.as_ref().and_then(|report| report.handoff.as_ref());
    let (mut proposals, mut unreadable) = handoff.map(amend::from_handoff).unwrap_or_default();
    if let Some(edited) = captured.plan_edit.as_ref().filter(|_| !is_by_person(state)) {
        let (more, odd) = amend::from_edit(&state.plan_view(), edited);
        proposals.extend(more);
        unreadable.extend(odd);
    }
    let said = !proposals.is_empty() || !unreadable.is_empty();
    said.then_some(Event::AmendmentsProposed { proposals, unreadable })
}

/// The rulings, now that the iteration's work counts.
pub(super) fn rule(state: &RunState, iteration: &Iteration) -> Option<Event> {
    judged(state, Some(iteration), iteration.task, iteration.proposed.clone())
}

/// What a person made of the plan file while an agent worked that could not: it counts whatever comes of the work.
pub(super) fn edited(state: &RunState, captured: &Captured) -> Vec<Event> {
    let edit = captured.plan_edit.as_deref().filter(|_| is_by_person(state));
    edit.map(|edit| found(state, edit)).unwrap_or_default()
}

fn is_by_person(state: &RunState) -> bool {
    state.start.isolation.keeps_the_plan()
}

/// The rulings on what somebody made of the plan file. Nothing has to be accepted before they count.
pub(super) fn found(state: &RunState, edited: &str) -> Vec<Event> {
    if state.is_prompt() {
        return Vec::new();
    }
    let under_way = match &state.phase {
        Phase::Iterating(iteration) => Some(&**iteration),
        _ => None,
    };
    let (proposals, unreadable) = amend::from_edit(&state.plan_view(), edited);
    let mut events: Vec<Event> =
        unreadable.into_iter().map(|text| Event::Warned { text }).collect();
    let task = under_way.map(|one| one.task).or_else(|| state.pick()).unwrap_or_default();
    events.extend(judged(state, under_way, task, proposals));
    events
}

fn judged(
    state: &RunState,
    under_way: Option<&Iteration>,
    task: usize,
    proposals: Vec<Proposal>,
) -> Option<Event> {
    if proposals.is_empty() {
        return None;
    }
    let task = state.task_id(task);
    let truth = state.plan_view();
    let is_fix = under_way.is_some_and(|iteration| iteration.kind == Kind::Fix);
    let from_file = proposals.iter().all(|one| one.from == Source::PlanFile);
    let mode = match is_fix {
        _ if from_file && is_by_person(state) => Mode::Person,
        true => Mode::Fix,
        false => Mode::Implement,
    };
    let judging = Judging {
        truth: &truth,
        current: under_way.is_some().then_some(&task),
        is_unjudged: under_way.is_some_and(is_unjudged),
        mode,
        permits: permits(&state.start.settings.plan.agents_may),
        waiting: state.proposals.values().map(|one| &one.proposal.amendment).collect(),
        ungated: ungated(state),
    };
    let ruled = amend::judge(&judging, proposals);
    Some(Event::AmendmentsRuled { task, ruled })
}

fn ungated(state: &RunState) -> Option<ReviewMode> {
    let settings = &state.start.settings;
    let is_gated = judge::hard_gates(state) > 0 || settings.claims.trust_agent;
    (!is_gated).then_some(settings.review.mode)
}

/// The gates are still to come.
fn is_unjudged(iteration: &Iteration) -> bool {
    use Stage::{Agent, Capture, Checkpoint, Reapply};
    iteration.kind != Kind::Review
        && matches!(iteration.stage, Reapply | Checkpoint | Agent | Capture)
}

fn permits(may: &[MayAmend]) -> Permits {
    Permits {
        may_add: may.contains(&MayAmend::Add),
        may_modify: may.contains(&MayAmend::Modify),
        may_remove: may.contains(&MayAmend::Remove),
    }
}
