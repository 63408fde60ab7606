//! What a channel must be able to do, and how it says that it could not.

use ralph_core::notify::Message;

/// Delivers messages.
pub trait Deliver: Send {
    /// Delivers one message, within the time that it was made with.
    fn deliver(&mut self, message: &Message) -> Result<(), Undelivered>;
}

/// Why a message was not delivered. Its words contain no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Undelivered {
    pub words: String,
    /// Another try may help.
    pub is_passing: bool,
}

impl Undelivered {
    /// It may work later.
    pub fn passing(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_passing: true }
    }

    /// It will never work like this.
    pub fn lasting(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_passing: false }
    }
}
