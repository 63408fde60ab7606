//! How an agent's process ended, seen from outside, and the endings that can be told from that alone.

use ralph_core::{ending::Ending, time::Timestamp};
use ralph_text::cut;

/// Most bytes of a detail for people.
const DETAIL: usize = 600;
/// How tools complain about a command line.
const REFUSALS: &[&str] = &[
    "unknown option",
    "unknown argument",
    "unexpected argument",
    "unrecognized option",
    "too many arguments",
    "argument missing",
    "invalid value",
    "arguments were not provided",
    "unrecognized subcommand",
    "error loading config",
];

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
    /// It announced a wait that ralph can spend better: until then, where it said so.
    Waits { until: Option<Timestamp> },
    /// Its context was full again after it had made room, with nothing done between.
    Overflows,
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
                detail: "its login was refused, and it would have kept trying".into(),
            }),
            EndedBy::Waits { .. } => {
                Some(Ending::Overloaded { detail: "it waited too long to retry a request".into() })
            }
            EndedBy::Overflows => Some(Ending::ContextOverflow),
            EndedBy::Budget => Some(Ending::Budget),
            EndedBy::Interrupted => Some(Ending::Interrupted),
            EndedBy::LogicalEnd => None,
        }
    }

    /// Whether the process ended as one that finished its work does, or was only ended because it stayed.
    pub(super) fn is_clean(&self) -> bool {
        self.code == Some(0) || self.ended_by_us == Some(EndedBy::LogicalEnd)
    }

    /// The ending of a process that printed nothing usable.
    pub(super) fn ending_without_output(&self) -> Ending {
        match (self.code, self.signal) {
            // 126 and 127 are how shells and launchers say that the program behind them is missing.
            (Some(126 | 127), _) => Ending::NotFound { detail: self.describe() },
            (Some(0), _) | (None, None) if self.stdout_bytes == 0 => Ending::Empty,
            _ => Ending::Crashed { detail: self.describe() },
        }
    }

    /// The ending of a process that complained about our own command line.
    pub(super) fn refused_command_line(&self) -> Option<Ending> {
        let said = self.stderr_tail.to_lowercase();
        let complains = REFUSALS.iter().any(|words| said.contains(words));
        complains.then(|| Ending::NotFound { detail: detail(&self.stderr_tail) })
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
        let failed = ExitFacts { code: Some(3), ..ExitFacts::default() };
        assert!(matches!(failed.ending_without_output(), Ending::Crashed { .. }));
        let complained =
            ExitFacts { code: Some(1), stderr_tail: "boom\n".into(), ..ExitFacts::default() };
        let detail = "exit 1: boom".to_owned();
        assert_eq!(complained.ending_without_output(), Ending::Crashed { detail });
        let missing = ExitFacts { code: Some(127), ..ExitFacts::default() };
        assert!(matches!(missing.ending_without_output(), Ending::NotFound { .. }));
    }
}
