//! How an agent's process ended, seen from outside, and the endings that can be told from that alone.

use ralph_core::{ending::Ending, time::Timestamp};
use ralph_text::cut;

/// Most bytes of a detail for people.
const DETAIL: usize = 600;
/// What only an error says that would be the same again: about the command line, a file, a setting or a program.
const SAME_AGAIN: &str = "unknown option|unknown argument|unexpected argument|unrecognized option|\
    unrecognized argument|too many arguments|argument missing|invalid value|invalid argument|\
    arguments were not provided|arguments are required|unrecognized subcommand|unknown command|\
    error loading config|invalid config|invalid settings|invalid mcp config|is not valid json|\
    is not valid toml|file not found|no such file or directory|cannot find module|model provider";

/// How a line begins that warns of something the tool continues in spite of.
const WARNINGS: &str = "warn|note:|info|debug|hint:|npm warn|(use `node";

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
        if let Some(refused) = self.refused() {
            return refused;
        }
        match (self.code, self.signal) {
            // 126 and 127 are how shells and launchers say that the program behind them is missing.
            (Some(126 | 127), _) => Ending::NotFound { detail: self.describe() },
            (Some(0), _) | (None, None) if self.stdout_bytes == 0 => Ending::Empty,
            _ => Ending::Crashed { detail: self.describe() },
        }
    }

    /// The ending of a process that ended at once over something that is the same the next time.
    pub(super) fn refused(&self) -> Option<Ending> {
        let cause = cause(&self.stderr_tail);
        let said = cause.to_lowercase();
        let is_same_again = SAME_AGAIN.split('|').any(|words| said.contains(words));
        let has_failed = self.code.is_some_and(|code| code != 0);
        (has_failed && is_same_again).then(|| Ending::NotFound { detail: detail(&cause) })
    }

    /// Exit code or signal, and what the error output gives as the cause.
    pub(super) fn describe(&self) -> String {
        let how = match (self.code, self.signal) {
            (_, Some(signal)) => format!("killed by signal {signal}"),
            (Some(code), None) => format!("exit {code}"),
            (None, None) => "no exit code".into(),
        };
        match cause(&self.stderr_tail).as_str() {
            "" => how,
            said => format!("{how}: {}", cut::tail(said, DETAIL)),
        }
    }
}

/// The lines of an error output that explain the failure: without warnings and stack traces, unless there is nothing
/// else. A line that announces the next one is joined with it.
pub fn cause(stderr: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in stderr.lines().filter(|line| !is_aside(line)) {
        match lines.last_mut() {
            Some(last) if last.ends_with(':') => *last = format!("{last} {}", line.trim()),
            _ => lines.push(line.trim_end().to_owned()),
        }
    }
    if lines.is_empty() { stderr.trim().to_owned() } else { lines.join("\n") }
}

/// Whether a line says nothing about why a process failed.
fn is_aside(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    // Node puts its process before: `(node:12) [DEP0040] DeprecationWarning: ...`.
    let is_warning = WARNINGS.split('|').any(|words| lower.starts_with(words))
        || (lower.starts_with("(node:") && lower.contains("warning"));
    let is_frame = lower.starts_with("stack backtrace")
        || (line.starts_with([' ', '\t']) && lower.starts_with("at "))
        || lower
            .split_once(": ")
            .is_some_and(|(number, frame)| number.parse::<u32>().is_ok() && frame.starts_with('<'));
    lower.is_empty() || is_warning || is_frame
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
    fn the_cause_is_the_line_after_warnings_and_before_the_stack_trace() {
        for (stderr, expected) in [
            ("WARNING: could not create PATH aliases\nFailed to read x\n", "Failed to read x"),
            (
                "Error: Invalid MCP configuration:\nMCP config file not found: /x\n",
                "Error: Invalid MCP configuration: MCP config file not found: /x",
            ),
            (
                "(node:7) Warning: old\n(Use `node --trace-warnings` to see)\nError: boom\n    at f (a.js:1:2)\n",
                "Error: boom",
            ),
            (
                "Error: Model provider `x` not found\n\nStack backtrace:\n   0: <unknown>\n",
                "Error: Model provider `x` not found",
            ),
            ("warning: only this\n", "warning: only this"),
            ("", ""),
        ] {
            assert_eq!(cause(stderr), expected);
        }
    }

    #[test]
    fn what_would_fail_the_same_way_again_is_never_called_a_crash() {
        let ended = |code: Option<i32>, stderr: &str| {
            let exit = ExitFacts { code, stderr_tail: stderr.into(), ..ExitFacts::default() };
            exit.ending_without_output()
        };
        for (stderr, expected) in [
            ("Error: Settings file not found: /x/settings.json", "Error: Settings file"),
            (
                "Error: Invalid MCP configuration:\nMCP config file not found: /x",
                "Error: Invalid MCP",
            ),
            (
                "WARNING: aliases\nFailed to read output schema file /x: No such file or directory (os error 2)",
                "Failed to read output schema",
            ),
            (
                "WARNING: aliases\nOutput schema file /x is not valid JSON: key must be",
                "Output schema",
            ),
            ("WARNING: aliases\nError: Model provider `nope` not found", "Error: Model provider"),
            ("Error: --json-schema is not valid JSON: JSON Parse error", "Error: --json-schema"),
            ("usage: a [-h]\na: error: unrecognized arguments: --x", "usage: a"),
        ] {
            let ending = ended(Some(1), stderr);
            assert!(
                matches!(&ending, Ending::NotFound { detail } if detail.starts_with(expected)),
                "{ending:?}"
            );
        }
        let warned = "WARNING: no such file or directory\nsegmentation fault";
        assert!(matches!(ended(Some(1), warned), Ending::Crashed { .. }));
        let killed = ended(None, "unknown option");
        assert!(!matches!(killed, Ending::NotFound { .. }), "{killed:?}");
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
