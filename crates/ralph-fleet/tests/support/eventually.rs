//! Waiting for a condition, instead of for a time.

use std::time::{Duration, Instant};

/// Waits until something is so.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
