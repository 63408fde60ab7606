//! Settings and values that were dropped, and what to do instead. Never reads them.

use super::node::{Value, join};

/// A value that a setting no longer has.
#[derive(Debug, Clone, Copy)]
pub struct DroppedWord {
    pub key: &'static str,
    pub word: &'static str,
    /// What to do instead.
    pub help: &'static str,
}

const NO_DIGEST: &str =
    "0.2.0 dropped the digest: `notify.min_gap` joins events, `ralph status` sums a run up";
const NO_HEARTBEAT: &str =
    "0.2.0 dropped the heartbeat: `ralph watch --notify` reports a run whose process is gone";

/// Values that were dropped.
pub const DROPPED_WORDS: [DroppedWord; 6] = [
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
    DroppedWord { key: "notify.on", word: "digest", help: NO_DIGEST },
    DroppedWord { key: "notify.on", word: "heartbeat", help: NO_HEARTBEAT },
    DroppedWord { key: "notify.channel.on", word: "digest", help: NO_DIGEST },
    DroppedWord { key: "notify.channel.on", word: "heartbeat", help: NO_HEARTBEAT },
];

/// Settings that were dropped, and what to do instead.
const DROPPED_KEYS: [(&str, &str); 5] = [
    (
        "notify.quiet",
        "0.2.0 dropped quiet hours: list fewer events in `notify.on`, or silence the phone or chat",
    ),
    ("notify.digest", NO_DIGEST),
    ("notify.heartbeat", NO_HEARTBEAT),
    ("notify.max_per_hour", "0.2.0 dropped it: `notify.min_gap` bounds how often a channel sends"),
    ("notify.channel.detail", "0.2.0 dropped it: `notify.detail` holds for all channels"),
];

/// What to do about a value that was dropped.
pub(super) fn word(key: &str, value: &Value) -> Option<&'static str> {
    let Value::Text(text) = value else { return None };
    let key = without_numbers(key);
    let is_it = |it: &&DroppedWord| it.key == key && it.word.eq_ignore_ascii_case(text);
    DROPPED_WORDS.iter().find(is_it).map(|it| it.help)
}

/// What to do about a setting of this table that was dropped.
pub(super) fn key(table: &str, name: &str) -> Option<&'static str> {
    let key = without_numbers(&join(table, name));
    DROPPED_KEYS.iter().find(|(dropped, _)| *dropped == key).map(|(_, help)| *help)
}

/// `notify.channel[0].on[1]` as `notify.channel.on`.
fn without_numbers(key: &str) -> String {
    let parts = key.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect()
}
