//! Settings and values that were dropped, and what to do instead. Never reads them.

use super::node::Value;

/// A value that a setting no longer has.
#[derive(Debug, Clone, Copy)]
pub struct DroppedWord {
    pub key: &'static str,
    pub word: &'static str,
    /// What to do instead.
    pub help: &'static str,
}

/// Values that were dropped.
pub const DROPPED_WORDS: [DroppedWord; 2] = [
    DroppedWord {
        key: "sandbox.mode",
        word: "landlock",
        help: "0.2.0 dropped `landlock`: use `auto`, or `off` in a container or virtual machine that holds only this work",
    },
    DroppedWord {
        key: "sandbox.mode",
        word: "sbx",
        help: "0.2.0 dropped `sbx`: use `auto`, or `off` inside a virtual machine that holds only this work",
    },
];

/// What to do about a value that was dropped.
pub(super) fn word(key: &str, value: &Value) -> Option<&'static str> {
    let Value::Text(text) = value else { return None };
    let is_it = |it: &&DroppedWord| it.key == key && it.word.eq_ignore_ascii_case(text);
    DROPPED_WORDS.iter().find(is_it).map(|it| it.help)
}
