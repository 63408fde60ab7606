//! What code comes to.

/// A command that would do the same as a call in code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A text for a shell.
    Shell(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

impl Step {
    pub(super) fn words(words: &[&str]) -> Self {
        Self::Words(words.iter().map(|word| (*word).to_owned()).collect())
    }
}
