//! What the shim tells ralph, one short text line each; and the requests ralph sends, one byte each.

/// Asks the agent's group to end.
pub(super) const ASK: u8 = b'T';
/// Ends the whole tree at once. The end of the control pipe means the same.
pub(super) const KILL: u8 = b'K';

/// One line from the shim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    Started { contained: bool },
    Refused { detail: String },
    Exited { code: i32, leftovers: u32 },
    Signalled { signal: i32, leftovers: u32 },
}

impl Status {
    /// With its newline; below the size that a pipe takes in one piece.
    pub(super) fn to_line(&self) -> String {
        match self {
            Self::Started { contained: true } => "started namespace\n".to_owned(),
            Self::Started { contained: false } => "started group\n".to_owned(),
            Self::Refused { detail } => {
                let detail: String = detail.replace('\n', " ").chars().take(500).collect();
                format!("refused {detail}\n")
            }
            Self::Exited { code, leftovers } => format!("exited {code} {leftovers}\n"),
            Self::Signalled { signal, leftovers } => format!("signalled {signal} {leftovers}\n"),
        }
    }

    /// `None` for anything a shim does not say.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let (word, rest) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        let numbers = || {
            let (number, leftovers) = rest.split_once(' ')?;
            Some((number.parse().ok()?, leftovers.parse().ok()?))
        };
        Some(match word {
            "started" => Self::Started { contained: rest == "namespace" },
            "refused" => Self::Refused { detail: rest.to_owned() },
            "exited" => {
                let (code, leftovers) = numbers()?;
                Self::Exited { code, leftovers }
            }
            "signalled" => {
                let (signal, leftovers) = numbers()?;
                Self::Signalled { signal, leftovers }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_back_as_it_was_written() {
        for status in [
            Status::Started { contained: true },
            Status::Started { contained: false },
            Status::Refused { detail: "no such file".to_owned() },
            Status::Exited { code: 3, leftovers: 2 },
            Status::Signalled { signal: 9, leftovers: 0 },
        ] {
            let line = status.to_line();
            assert_eq!(Status::parse(line.trim_end_matches('\n').as_bytes()), Some(status));
        }
    }

    #[test]
    fn a_refusal_stays_one_line_whatever_its_detail_holds() {
        let line = Status::Refused { detail: "a\nexited 0 0\n".repeat(500) }.to_line();
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.len() < 4096);
    }

    #[test]
    fn foreign_words_are_not_a_status() {
        for line in ["", "hello world", "exited", "exited x 0", "exited 0"] {
            assert_eq!(Status::parse(line.as_bytes()), None, "{line}");
        }
    }
}
