//! The loop: ask the core what to do, do it, tell the core. Nothing else.

use ralph_core::{
    effect::{Effect, Step},
    input::{Done, Failure, FailureClass, What},
    outcome::Outcome,
    run::{RunState, next},
};

use crate::{crash, desk::Desk, journal::JournalError, ports::World};

/// A third signal means: leave at once, the shim cleans up.
const PATIENCE: u32 = 3;

/// Why the loop ended without reaching an outcome.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("left at once after {PATIENCE} signals")]
    Abandoned,
}

/// Drives a run to its end. `resumed`: the first effect may have been in flight before.
pub(crate) fn drive(
    desk: &mut Desk,
    world: &mut dyn World,
    mut resumed: bool,
) -> Result<Outcome, DriveError> {
    loop {
        desk.look_up()?;
        if desk.signals_seen() >= PATIENCE {
            return Err(DriveError::Abandoned);
        }
        match next(&desk.state) {
            Step::Finished => {
                desk.snapshot();
                return Ok(outcome(&desk.state));
            }
            Step::Await { until } => {
                desk.wait(until)?;
                world.waited();
            }
            Step::Interrupt(id, _) => {
                desk.take(What::Done(id, Done::NotBegun))?;
            }
            Step::Perform(id, effect) => {
                let known = if resumed { world.reconcile(&effect) } else { None };
                resumed = resumed && matches!(effect, Effect::OpenWorkspace(_));
                crash::point();
                let mut done = known.unwrap_or_else(|| world.perform(&effect, desk));
                crash::point();
                put_right(desk, &effect, &mut done)?;
                if !desk.take(What::Done(id, done))? {
                    desk.take(What::Done(id, unexpected()))?;
                }
            }
        }
    }
}

/// What agents, reviewers and gates did to `.ralph/` is undone before their result counts. Only whoever works
/// on a task may propose changes of the plan that way.
fn put_right(desk: &mut Desk, effect: &Effect, done: &mut Done) -> Result<(), JournalError> {
    match (effect, done) {
        (_, Done::TreeCaptured(captured)) => {
            let right = desk.views.put_right();
            captured.notes.extend(right.notes);
            captured.plan_edit = right.plan_edit;
        }
        (_, Done::GatesRan(results)) => results.meddled.extend(desk.views.put_right().notes),
        (Effect::RunAgent(call), Done::AgentEnded(_)) if call.copy_of.is_some() => {
            for text in desk.views.put_right().notes {
                desk.warn(text)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn outcome(state: &RunState) -> Outcome {
    state.outcome().cloned().unwrap_or(Outcome::Bug { why: "the run has no outcome".into() })
}

/// An effect whose result means nothing to the core would be asked for again for ever.
fn unexpected() -> Done {
    Done::Failed(Failure {
        class: FailureClass::Bug,
        what: "an effect gave a result that does not fit".into(),
        help: "please report this with the run's journal".into(),
    })
}
