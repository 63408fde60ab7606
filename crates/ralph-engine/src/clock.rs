//! The one place that asks what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use ralph_core::time::Timestamp;

/// The time now.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
