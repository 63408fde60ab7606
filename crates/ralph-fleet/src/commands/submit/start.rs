//! Starts a loop on what was put beside its repository, or puts back what that took the place of. Must never take its
//! truth away from a loop that may be running.

use temporalio_client::Client;

use super::preflight::Checked;
use crate::{
    commands::{
        reach::{Reached, taken},
        restart,
    },
    error::CommandError,
    truth::{self, Seeded},
    wire::{Carry, LoopInput},
};

/// What becomes of a branch's truth after a start that gave no answer or another one than yes.
#[derive(Debug, PartialEq, Eq)]
enum Truth {
    /// It is the running loop's.
    Used,
    PutBack,
    /// Nobody knows.
    Left,
}

/// Starts the loop of this submission.
pub(super) async fn start(
    client: &Client,
    reached: &Reached,
    (checked, seeded): (&Checked, &Seeded),
) -> Result<(), CommandError> {
    let carry = Carry {
        // It may have been stopped, or have ended with work left.
        by_person: seeded.run.is_some(),
        iterations_before: seeded.iterations,
        cost_before_micro_usd: seeded.cost_micro_usd,
        ..Carry::default()
    };
    let input = LoopInput { spec: checked.spec.clone(), carry };
    let error = match restart::start(client, &checked.id, input).await {
        Ok(true) => return Ok(()),
        Ok(false) => taken(&checked.id),
        Err(error) => error,
    };
    let is_ours = is_of(reached, &checked.spec.submission).await;
    match after(&error, &is_ours) {
        Truth::Used => Ok(()),
        Truth::PutBack => Err(put_back(checked, seeded, error)),
        Truth::Left => Err(left(&checked.id, &error)),
    }
}

/// Whether the loop that the server knows was made by this submission, whatever became of it.
async fn is_of(reached: &Reached, submission: &str) -> Result<bool, CommandError> {
    if reached.look().await?.is_none() {
        return Ok(false);
    }
    Ok(restart::input(reached).await?.spec.submission == submission)
}

/// A server that refuses has started nothing; one that was out of reach may have.
fn after(error: &CommandError, is_ours: &Result<bool, CommandError>) -> Truth {
    match is_ours {
        Ok(true) => Truth::Used,
        Err(_) if error.is_away() => Truth::Left,
        Ok(false) | Err(_) => Truth::PutBack,
    }
}

/// No loop was started: the branch's truth is again what it was.
fn put_back(checked: &Checked, seeded: &Seeded, error: CommandError) -> CommandError {
    match truth::unseed(&checked.spec.repo, &checked.spec.branch, seeded) {
        Ok(()) => error,
        Err(why) => error.because(vec![format!(
            "cannot restore the branch's previous truth: {why:#}; it was {}",
            seeded.before.as_deref().unwrap_or("none")
        )]),
    }
}

fn left(id: &str, error: &CommandError) -> CommandError {
    let help = format!(
        "run ralph fleet status {id} once the server answers; submit the plan again if there is no such loop, or if it \
         has ended"
    );
    let mut why =
        vec!["the server may have started it, so its plan stays on the branch".to_owned()];
    why.extend(error.why().iter().cloned());
    CommandError::new(error.exit_code(), format!("cannot tell whether {id} started"), help)
        .because(why)
}

#[cfg(test)]
mod tests {
    use temporalio_client::{errors::WorkflowStartError, tonic::Status};

    use super::*;

    #[test]
    fn a_truth_is_put_back_only_where_no_loop_can_have_been_started() {
        let failed =
            |status| CommandError::server("cannot start x", &WorkflowStartError::Rpc(status));
        let away = failed(Status::deadline_exceeded("Timeout expired"));
        let refused = failed(Status::permission_denied("no"));
        let unknown = || Err(failed(Status::unavailable("away")));
        let taken = taken("x");
        for (error, is_ours, wanted) in [
            (&away, Ok(true), Truth::Used),
            (&away, Ok(false), Truth::PutBack),
            (&away, unknown(), Truth::Left),
            (&refused, Ok(false), Truth::PutBack),
            (&refused, unknown(), Truth::PutBack),
            (&taken, Ok(true), Truth::Used),
            (&taken, Ok(false), Truth::PutBack),
            (&taken, unknown(), Truth::PutBack),
        ] {
            assert_eq!(after(error, &is_ours), wanted, "{error:?} {is_ours:?}");
        }
        let told = left("loop/h/app@b", &away);
        assert!(told.help().contains("ralph fleet status loop/h/app@b"), "{told:?}");
        assert!(told.why().iter().any(|why| why.contains("Timeout expired")), "{told:?}");
    }
}
