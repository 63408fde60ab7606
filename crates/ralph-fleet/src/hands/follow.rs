//! Accompanies a stint: says that it lives, and passes on that nobody wants it any more.

use std::time::{Duration, Instant};

use temporalio_common::error::ApplicationFailure;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use super::{
    floor::{Ended, Floor, Running},
    wanted::is_wanted,
};

/// Progress is news at most this often; what goes out is bounded by the SDK at 0.8 of the heartbeat timeout.
const SLOWEST_BEAT: Duration = Duration::from_secs(1);

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
    let mut ask_again = Some(Instant::now());
    let mut is_given_up = false;
    loop {
        tokio::select! {
            ended = running.ended() => return Ok(ended),
            _ = beat.tick() => {}
        }
        ctx.record_heartbeat(running.line.progress()).await.map_err(ApplicationFailure::new)?;
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
