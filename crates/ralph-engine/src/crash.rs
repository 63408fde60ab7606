//! Crash points: places where a test build can be made to die as by `kill -9`. Empty in release builds.

/// Dies here if the environment says that this is the point to die at.
///
/// `RALPH_CRASH_AT=n` counts points from 1 over the life of the process.
#[cfg(debug_assertions)]
pub(crate) fn point() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static SEEN: AtomicU64 = AtomicU64::new(0);
    let seen = SEEN.fetch_add(1, Ordering::SeqCst) + 1;
    let wanted = std::env::var("RALPH_CRASH_AT").ok().and_then(|text| text.parse::<u64>().ok());
    if wanted == Some(seen) {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGKILL);
    }
}

/// Nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn point() {}
