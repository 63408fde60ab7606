//! What an attempt is: a name, what it does, who decides whether it got through, and what it does without a box.

use std::{fmt::Display, io};

use super::World;

/// One way out that is tried.
#[derive(Clone, Copy)]
pub struct Attempt {
    pub name: &'static str,
    pub group: &'static str,
    /// Where or with what it is tried; see [`World::expand`].
    pub with: &'static str,
    pub proof: Proof,
    pub alone: Alone,
    /// In which of the agent's calls it is made. Only the first call's attempts are made by gates too.
    pub call: u32,
    pub act: fn(&World, &Attempt) -> Tried,
}

/// Who decides whether an attempt got through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The attempt itself: nothing that it is told can be a lie of the box.
    Word,
    /// Somebody outside who finds the attempt's mark, hears its word, or sees what it changed.
    Mark,
    /// Somebody outside who knows the secret that is looked for.
    Secret,
}

/// What comes of an attempt where there is no box at all, so that it is known to be a real one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    Works,
    WorksAsRoot,
    /// Not every kernel or machine lets it through even without a box.
    Depends(&'static str),
    /// It cannot be shown without a box, and why.
    NotShown(&'static str),
}

/// What an attempt saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    Reached(String),
    Refused(String),
    Untried(String),
}

impl Attempt {
    /// Tries; the result is in one line.
    pub fn make(&self, world: &World) -> Tried {
        (self.act)(world, self)
    }

    /// What this attempt leaves where it gets to. Nobody else writes it.
    pub fn token(&self) -> String {
        format!("mark-of-{}", self.name)
    }
}

impl Tried {
    /// Reached if it is no error.
    pub(super) fn of<T>(result: Result<T, impl Display>) -> Self {
        match result {
            Ok(_) => Self::Reached(String::new()),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// Reached if the text could be had.
    pub(super) fn read(result: io::Result<impl AsRef<[u8]>>) -> Self {
        match result {
            Ok(bytes) => Self::Reached(String::from_utf8_lossy(bytes.as_ref()).into_owned()),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// As a word and one line of detail.
    pub fn line(&self) -> String {
        let (word, detail) = match self {
            Self::Reached(detail) => ("reached", detail),
            Self::Refused(detail) => ("refused", detail),
            Self::Untried(detail) => ("untried", detail),
        };
        format!("{word}\t{}", detail.escape_default())
    }

    /// The other way round.
    pub fn from_line(line: &str) -> Self {
        let (word, detail) = line.split_once('\t').unwrap_or((line, ""));
        let detail = detail.to_owned();
        match word {
            "reached" => Self::Reached(detail),
            "refused" => Self::Refused(detail),
            "untried" => Self::Untried(detail),
            _ => Self::Untried(line.to_owned()),
        }
    }
}
