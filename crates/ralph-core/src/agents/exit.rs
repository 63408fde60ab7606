//! How an agent's process ended, seen from outside, and the endings that can be told from that alone.

use crate::{cut, ending::Ending};

/// Most bytes of a detail for people.
const DETAIL: usize = 600;

/// What is known of a process that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitFacts {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Why it could not be started at all.
    pub not_started: Option<String>,
    /// Why ralph ended it, if ralph did.
    pub ended_by_us: Option<EndedBy>,
    /// End of its error output.
    pub stderr_tail: String,
    pub stdout_bytes: u64,
}

/// Why ralph ended an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The hard time limit.
    TimedOut,
    /// Silence.
    Stalled,
    /// Its login does not work and it would go on trying.
    AuthFailed,
    /// It spent what it was given.
    Budget,
    /// A person or a signal.
    Interrupted,
    /// Its turn was over but its process stayed; it still counts as finished.
    LogicalEnd,
}

impl ExitFacts {
    /// The ending, if what happened to the process decides it whatever was printed.
    pub(super) fn forced_ending(&self) -> Option<Ending> {
        if let Some(why) = &self.not_started {
            return Some(Ending::NotFound { detail: detail(why) });
        }
        match self.ended_by_us? {
            EndedBy::TimedOut => Some(Ending::TimedOut),
            EndedBy::Stalled => Some(Ending::Stalled),
            EndedBy::AuthFailed => Some(Ending::AuthFailed {
                detail: "its login was refused and it would have gone on trying".into(),
            }),
            EndedBy::Budget => Some(Ending::Budget),
            EndedBy::Interrupted => Some(Ending::Interrupted),
            EndedBy::LogicalEnd => None,
        }
    }

    /// The ending of a process that printed nothing usable.
    pub(super) fn ending_without_output(&self) -> Ending {
        match (self.code, self.signal) {
            // 126 and 127 are how shells and launchers say that the program behind them is missing.
            (Some(126 | 127), _) => Ending::NotFound { detail: self.describe() },
            (_, None) if self.stdout_bytes == 0 && self.stderr_tail.trim().is_empty() => {
                Ending::Empty
            }
            (Some(0), _) if self.stdout_bytes == 0 => Ending::Empty,
            _ => Ending::Crashed { detail: self.describe() },
        }
    }

    /// Exit code or signal, and the end of the error output.
    pub(super) fn describe(&self) -> String {
        let how = match (self.code, self.signal) {
            (_, Some(signal)) => format!("killed by signal {signal}"),
            (Some(code), None) => format!("exit {code}"),
            (None, None) => "no exit code".into(),
        };
        match self.stderr_tail.trim() {
            "" => how,
            said => format!("{how}: {}", cut::tail(said, DETAIL)),
        }
    }
}

/// Text for people, cut.
pub(super) fn detail(text: &str) -> String {
    cut::ellipsis(text.trim(), DETAIL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ralph_ended_is_never_read_as_finished() {
        for (ended_by, ending) in [
            (EndedBy::TimedOut, Ending::TimedOut),
            (EndedBy::Stalled, Ending::Stalled),
            (EndedBy::Budget, Ending::Budget),
            (EndedBy::Interrupted, Ending::Interrupted),
        ] {
            let exit =
                ExitFacts { code: Some(0), ended_by_us: Some(ended_by), ..ExitFacts::default() };
            assert_eq!(exit.forced_ending(), Some(ending));
        }
        let lingered = ExitFacts { ended_by_us: Some(EndedBy::LogicalEnd), ..ExitFacts::default() };
        assert_eq!(lingered.forced_ending(), None);
    }

    #[test]
    fn silence_is_told_apart_from_a_crash() {
        let silent = ExitFacts { code: Some(0), ..ExitFacts::default() };
        assert_eq!(silent.ending_without_output(), Ending::Empty);
        let killed = ExitFacts { signal: Some(9), ..ExitFacts::default() };
        let detail = "killed by signal 9".to_owned();
        assert_eq!(killed.ending_without_output(), Ending::Crashed { detail });
        let complained =
            ExitFacts { code: Some(1), stderr_tail: "boom\n".into(), ..ExitFacts::default() };
        let detail = "exit 1: boom".to_owned();
        assert_eq!(complained.ending_without_output(), Ending::Crashed { detail });
        let missing = ExitFacts { code: Some(127), ..ExitFacts::default() };
        assert!(matches!(missing.ending_without_output(), Ending::NotFound { .. }));
    }
}
