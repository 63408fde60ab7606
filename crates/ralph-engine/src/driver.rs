//! The loop: ask the core what to do, do it, tell the core. Nothing else.

use ralph_core::{
    effect::{Effect, Step},
    input::{Done, Failure, FailureClass, What},
    outcome::Outcome,
    run::{RunState, next},
};

use crate::{crash, journal::JournalError, ports::World, recorder::Recorder};

/// A third signal means: leave at once, the shim cleans up.
const PATIENCE: u32 = 3;

/// Why the loop ended without reaching an outcome.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("quit at once after {PATIENCE} signals")]
    Abandoned,
    #[error("this process has done its share; another one goes on")]
    Left,
}

/// Drives a run to its end. `resumed`: the first effect may have been in flight before.
pub(crate) fn drive(
    recorder: &mut Recorder,
    world: &mut dyn World,
    mut resumed: bool,
) -> Result<Outcome, DriveError> {
    loop {
        recorder.look_up()?;
        if recorder.signals_seen() >= PATIENCE {
            return Err(DriveError::Abandoned);
        }
        if recorder.leaves() {
            recorder.snapshot();
            return Err(DriveError::Left);
        }
        match next(&recorder.state) {
            Step::Finished => {
                recorder.snapshot();
                return Ok(outcome(&recorder.state));
            }
            Step::Await { until } => {
                recorder.wait(until)?;
                world.waited();
            }
            Step::Interrupt(id, _) => {
                recorder.take(What::Done(id, Done::NotBegun))?;
            }
            Step::Perform(id, effect) => {
                let known = if resumed { world.reconcile(&effect) } else { None };
                resumed = resumed && matches!(effect, Effect::OpenWorkspace(_));
                crash::point();
                let mut done = known.unwrap_or_else(|| world.perform(&effect, recorder));
                crash::point();
                put_right(recorder, &effect, &mut done)?;
                if !recorder.take(What::Done(id, done))? {
                    recorder.take(What::Done(id, unexpected()))?;
                }
            }
        }
    }
}

/// What agents, reviewers and gates did to `.ralph/` is undone before their result counts. Only whoever works
/// on a task may propose changes of the plan that way.
fn put_right(
    recorder: &mut Recorder,
    effect: &Effect,
    done: &mut Done,
) -> Result<(), JournalError> {
    match (effect, done) {
        (_, Done::TreeCaptured(captured)) => {
            let right = recorder.views.put_right();
            captured.notes.extend(right.notes);
            captured.plan_edit = right.plan_edit.or_else(|| recorder.views.waiting_edit());
        }
        (_, Done::GatesRan(results)) => {
            let right = recorder.views.put_right();
            results.meddled.extend(right.notes);
            recorder.views.keep_waiting(right.plan_edit);
        }
        (Effect::RunAgent(call), Done::AgentEnded(_)) if call.copy_of.is_some() => {
            for text in recorder.views.put_right().notes {
                recorder.warn(text)?;
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
