//! Patience with a server that goes away while somebody waits for a loop. Knows nothing of what they wait for.

use std::{cell::Cell, time::Duration};

use super::reach::Reached;
use crate::{error::CommandError, print};

/// The first pause before the server is asked again; each is twice as long as the one before it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Says once that the server is away, and once that it is back.
#[derive(Debug)]
pub(super) struct Patience {
    first_pause: Duration,
    is_away: Cell<bool>,
    is_quiet: Cell<bool>,
}

impl Default for Patience {
    fn default() -> Self {
        let no = || Cell::new(false);
        Self { first_pause: FIRST_PAUSE, is_away: no(), is_quiet: no() }
    }
}

impl Patience {
    /// Nothing more is said: a view has the screen.
    pub(super) fn keep_quiet(&self) {
        self.is_quiet.set(true);
    }

    /// Whether the server did not answer when it was asked last.
    pub(super) fn is_away(&self) -> bool {
        self.is_away.get()
    }

    /// Asks until the server answers, whatever the answer is.
    pub(super) async fn ask<T>(
        &self,
        reached: &Reached,
        ask: impl AsyncFn() -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        loop {
            match ask().await {
                Err(error) if error.is_away() => {
                    self.wait_out(async || reached.look().await.map(drop)).await?;
                }
                answer => return answer,
            }
        }
    }

    /// Waits until a short question is answered: a long one would not show that the server is back.
    async fn wait_out(
        &self,
        ask: impl AsyncFn() -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        self.note(true, "the server does not answer; trying again")?;
        let mut pause = self.first_pause;
        loop {
            tokio::time::sleep(pause).await;
            match ask().await {
                Err(error) if error.is_away() => pause = longer(pause),
                Err(error) => return Err(error),
                Ok(()) => return self.note(false, "the server answers again"),
            }
        }
    }

    fn note(&self, is_away: bool, text: &str) -> Result<(), CommandError> {
        let is_news = self.is_away.replace(is_away) != is_away;
        if is_news && !self.is_quiet.get() { print::note(text) } else { Ok(()) }
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use temporalio_client::{errors::WorkflowInteractionError, tonic::Status};

    use super::*;

    fn error(status: Status) -> CommandError {
        CommandError::server("cannot ask", &WorkflowInteractionError::Rpc(status))
    }

    #[test]
    fn pauses_grow_from_one_second_to_ten() {
        let mut pauses = vec![Patience::default().first_pause];
        (0..5).for_each(|_| pauses.push(longer(pauses[pauses.len() - 1])));
        let seconds: Vec<u64> = pauses.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 10, 10]);
    }

    #[tokio::test]
    async fn a_server_that_comes_back_is_waited_for_and_one_that_refuses_is_not() {
        let patience = Patience { first_pause: Duration::from_millis(1), ..Patience::default() };
        let asked = Cell::new(0);
        patience.keep_quiet();
        let back = patience.wait_out(async || {
            assert!(patience.is_away());
            asked.set(asked.get() + 1);
            if asked.get() < 5 { Err(error(Status::unavailable("away"))) } else { Ok(()) }
        });
        back.await.unwrap();
        assert_eq!((asked.get(), patience.is_away()), (5, false));
        let refused = patience.wait_out(async || Err(error(Status::permission_denied("no")))).await;
        assert!(refused.is_err());
    }
}
