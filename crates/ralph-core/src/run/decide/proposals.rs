//! What agents want of the plan: heard when they end, ruled on when their work is accepted.

use crate::{
    event::Event,
    input::Captured,
    plan::amend::{self, Judging, Mode, Permits},
    run::{Iteration, Kind, RunState, judge},
    settings::MayAmend,
};

/// Proposals in the handoff and in the plan file, if there are any. A prompt has no plan to amend.
pub(super) fn heard(state: &RunState, iteration: &Iteration, captured: &Captured) -> Option<Event> {
    if judge::is_prompt(state) {
        return None;
    }
    let handoff = iteration.report.as_ref().and_then(|report| report.handoff.as_ref());
    let (mut proposals, mut unreadable) = handoff.map(amend::from_handoff).unwrap_or_default();
    if let Some(edited) = &captured.plan_edit {
        let (more, odd) = amend::from_edit(&state.plan_view(), edited);
        proposals.extend(more);
        unreadable.extend(odd);
    }
    let said = !proposals.is_empty() || !unreadable.is_empty();
    said.then_some(Event::AmendmentsProposed { proposals, unreadable })
}

/// The rulings, now that the iteration's work counts.
pub(super) fn rule(state: &RunState, iteration: &Iteration) -> Option<Event> {
    if iteration.proposed.is_empty() {
        return None;
    }
    let task = state.task_id(iteration.task);
    let truth = state.plan_view();
    let judging = Judging {
        truth: &truth,
        current: Some(&task),
        mode: if iteration.kind == Kind::Fix { Mode::Fix } else { Mode::Implement },
        permits: permits(&state.start.settings.plan.agents_may),
        waiting: state.proposals.values().map(|one| &one.proposal.amendment).collect(),
    };
    let ruled = amend::judge(&judging, iteration.proposed.clone());
    Some(Event::AmendmentsRuled { task, ruled })
}

fn permits(may: &[MayAmend]) -> Permits {
    Permits {
        may_add: may.contains(&MayAmend::Add),
        may_modify: may.contains(&MayAmend::Modify),
        may_remove: may.contains(&MayAmend::Remove),
    }
}
