//! What can be asked.

/// A question that is answered with a line of text.
pub(crate) struct Text<'a> {
    /// The question, as a person would ask it.
    pub(crate) question: &'a str,
    /// One line on what to answer; may be empty.
    pub(crate) note: &'a str,
    /// The answer if nothing is typed; may be empty.
    pub(crate) default: &'a str,
    /// What an empty answer means, in words.
    pub(crate) nothing: &'a str,
    /// Says what is wrong with an answer. Nothing typed is checked as the default.
    pub(crate) check: &'a dyn Fn(&str) -> Result<(), String>,
}

impl<'a> Text<'a> {
    /// A question to which every answer is right, also none.
    pub(crate) fn new(question: &'a str) -> Self {
        Self { question, note: "", default: "", nothing: "none", check: &|_| Ok(()) }
    }
}

/// What Enter means where yes or no is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lean {
    Yes,
    No,
}

/// One of a few answers that are given with a key: the key, and its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way(pub(crate) char, pub(crate) &'static str);
