//! Accompanies a stint: says that it lives, and passes on that nobody wants it any more.

use std::time::{Duration, Instant};

use temporalio_common::error::ApplicationFailure;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use super::{
    floor::{Ended, Floor, Running},
    wanted::is_wanted,
};
use crate::stint::{CLAIMING, MATERIALISING};

/// Progress is news at most this often; what goes out is bounded by the SDK at 0.8 of the heartbeat timeout.
const SLOWEST_BEAT: Duration = Duration::from_secs(1);

/// The first word waits so long for something to say: the next may be held back for most of the heartbeat timeout.
const FIRST_WORD_WITHIN: Duration = Duration::from_secs(5);

/// A stint that the server gave up asks this often whether its loop has ended.
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(5);

/// Waits until the stint has ended. The SDK says "cancelled" for five reasons and not for which: the server is asked,
/// as soon as it can be.
pub(super) async fn follow(
    ctx: &ActivityContext,
    floor: &Floor,
    running: &Running,
) -> Result<Option<Ended>, ActivityError> {
    let timeout = ctx.info().heartbeat_timeout.unwrap_or(SLOWEST_BEAT);
    let mut beat =
        tokio::time::interval((timeout / 5).clamp(Duration::from_millis(50), SLOWEST_BEAT));
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (began, mut has_spoken) = (Instant::now(), false);
    let mut ask_again = Some(Instant::now());
    let mut is_given_up = false;
    loop {
        tokio::select! {
            ended = running.ended() => return Ok(ended),
            _ = beat.tick() => {}
        }
        let progress = running.line.progress();
        has_spoken |= !is_worth_waiting(&progress.phase, began.elapsed(), timeout);
        if has_spoken {
            ctx.record_heartbeat(progress).await.map_err(ApplicationFailure::new)?;
        }
        // Said once, because another activity may follow it by then, and say each time that it does.
        if !is_given_up {
            is_given_up = ctx.is_cancelled();
            running.line.counted_on(!is_given_up);
        }
        if is_given_up && floor.is_in_touch() && ask_again.is_some_and(|at| at <= Instant::now()) {
            ask_again = is_wanted(ctx).await.then(|| Instant::now() + BETWEEN_QUESTIONS);
            if ask_again.is_none() {
                running.line.ask_to_leave();
            }
        }
    }
}

/// Whether the first word is better held back: the stint will soon do what people want to see.
fn is_worth_waiting(phase: &str, waited: Duration, timeout: Duration) -> bool {
    [CLAIMING, MATERIALISING].contains(&phase) && waited < FIRST_WORD_WITHIN.min(timeout / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_waits_for_the_work_and_not_for_long() {
        let waits = |phase: &str, ms, timeout| {
            is_worth_waiting(phase, Duration::from_millis(ms), Duration::from_secs(timeout))
        };
        assert!(waits("claiming", 4_900, 60) && waits("materialising", 0, 60));
        assert!(!waits("claiming", 5_000, 60) && !waits("working", 0, 60));
        assert!(!waits("taking over", 0, 60));
        assert!(waits("claiming", 199, 2) && !waits("claiming", 200, 2));
    }
}
