//! What the shim tells ralph, one short line of JSON each; and the requests ralph sends, one byte each.

use serde::{Deserialize, Serialize};

/// Most characters of a reason: a line must stay below the size that a pipe takes in one piece.
const DETAIL: usize = 500;

/// Asks the agent's group to end.
pub(super) const ASK: u8 = b'T';
/// Ends the whole tree at once. The end of the control pipe means the same.
pub(super) const KILL: u8 = b'K';

/// One line from the shim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Status {
    Started { contained: bool },
    Refused { detail: String },
    Exited { code: i32, leftovers: u32 },
    Signalled { signal: i32, leftovers: u32 },
}

impl Status {
    /// Says that nothing was started, and why.
    pub(super) fn refused(why: &str) -> Self {
        Self::Refused { detail: why.chars().take(DETAIL).collect() }
    }

    /// With its newline.
    pub(super) fn to_line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// `None` for anything a shim does not say.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_back_as_it_was_written() -> serde_json::Result<()> {
        for status in [
            Status::Started { contained: true },
            Status::refused("no\nsuch file"),
            Status::Exited { code: 3, leftovers: 2 },
            Status::Signalled { signal: 9, leftovers: 0 },
        ] {
            let line = status.to_line()?;
            assert_eq!(line.find('\n'), Some(line.len() - 1));
            assert_eq!(Status::parse(line.as_bytes()), Some(status));
        }
        Ok(())
    }

    #[test]
    fn a_refusal_fits_into_a_pipe_whatever_its_reason_holds() -> serde_json::Result<()> {
        for text in ["\u{1}\n", "\u{1f980}"] {
            assert!(Status::refused(&text.repeat(500)).to_line()?.len() < 4096);
        }
        Ok(())
    }

    #[test]
    fn foreign_words_are_not_a_status() {
        for line in ["", "hello world", "{}", "{\"Exited\":{\"code\":0}}"] {
            assert_eq!(Status::parse(line.as_bytes()), None, "{line}");
        }
    }
}
