//! The times of the lease protocol on the command line, and whether they keep two agents apart.

use std::time::Duration;

use clap::Args;
use ralph_core::settings::Length;

use crate::wire::{LONGEST_GRACE, Times};

/// How long the parts of a takeover take; the defaults fit most networks.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Takeover timing (the defaults suit most networks)")]
pub(crate) struct TimesArgs {
    /// Give up on a stint after this long without a heartbeat [default: 60s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) heartbeat: Option<Length>,
    /// Check the lease this often while the server cannot be reached [default: 15s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) look: Option<Length>,
    /// End the agent if neither server nor remote can be reached for this long [default: 30s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) silence: Option<Length>,
    /// Longest time that ending an agent may take [default: 10s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) kill: Option<Length>,
    /// After a takeover, wait this long for the former holder to stop [default: 45s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) grace: Option<Length>,
    /// Free the slot during waits longer than this [default: 60s]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) longest_wait: Option<Length>,
}

/// Reads a length of time.
pub(super) fn length(text: &str) -> Result<Length, String> {
    Length::parse(text).ok_or_else(|| "write a length such as 90s, 20m or 1h30m".into())
}

impl TimesArgs {
    /// The times with the defaults for what was not said.
    pub(crate) fn times(&self) -> Times {
        let or = |given: Option<Length>, default: u64| given.map_or(default, |length| length.0.0);
        let default = Times::default();
        Times {
            heartbeat_ms: or(self.heartbeat, default.heartbeat_ms),
            look_ms: or(self.look, default.look_ms),
            silence_ms: or(self.silence, default.silence_ms),
            kill_ms: or(self.kill, default.kill_ms),
            grace_ms: or(self.grace, default.grace_ms),
            longest_wait_ms: or(self.longest_wait, default.longest_wait_ms),
        }
    }
}

/// Why these times could let two agents work at once; nothing if they cannot. Beyond the longest grace nobody waits for a
/// holder that is in touch.
pub(crate) fn unsafe_times(times: &Times) -> Vec<String> {
    let Times { look_ms, silence_ms, kill_ms, grace_ms, .. } = *times;
    let mut why = Vec::new();
    if grace_ms < look_ms.saturating_add(kill_ms) {
        why.push(format!(
            "--grace ({grace_ms} ms) must be at least --look + --kill ({} ms)",
            look_ms.saturating_add(kill_ms)
        ));
    }
    // A holder may lose the server long before the repository: nothing but the grace counts then.
    let need = silence_ms.saturating_add(kill_ms);
    if grace_ms < need {
        why.push(format!(
            "--grace ({grace_ms} ms) must be at least --silence + --kill ({need} ms)"
        ));
    }
    let noticed = times.noticed_within().max(Duration::from_millis(grace_ms));
    if noticed > LONGEST_GRACE {
        why.push(format!(
            "--grace, and five times --heartbeat plus --look and --kill ({} ms), must be at most {} ms",
            noticed.as_millis(),
            LONGEST_GRACE.as_millis()
        ));
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_keep_two_agents_apart() {
        assert_eq!(TimesArgs::default().times(), Times::default());
        assert!(unsafe_times(&Times::default()).is_empty());
    }

    #[test]
    fn each_inequality_is_checked_on_its_own() {
        let short = Times { grace_ms: 24_999, silence_ms: 10_000, ..Times::default() };
        assert_eq!(unsafe_times(&short).len(), 1, "grace < look + kill");
        let deaf = Times { silence_ms: 35_001, ..Times::default() };
        assert_eq!(unsafe_times(&deaf).len(), 1, "grace < silence + kill");
        assert_eq!(unsafe_times(&Times { grace_ms: 0, ..Times::default() }).len(), 2);
        let slow = Times { heartbeat_ms: 715_001, ..Times::default() };
        assert_eq!(unsafe_times(&slow).len(), 1, "5 heartbeat + look + kill > 1 h");
        assert_eq!(unsafe_times(&Times { grace_ms: 3_600_001, ..Times::default() }).len(), 1);
    }
}
