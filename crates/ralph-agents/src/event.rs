//! The events that every agent's stream is turned into. Not journaled: chatter for reporters and the watch.

use ralph_core::{time::Timestamp, usage::Usage};
use serde::{Deserialize, Serialize};

/// Most bytes of a text or a tool's output that are shown.
pub(crate) const SHOWN: usize = 4 * 1024;

/// One thing an agent did or said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The session began.
    Session {
        id: String,
        model: String,
    },
    ToolStart {
        id: String,
        name: String,
        input: String,
    },
    ToolEnd {
        id: String,
        output: String,
        lines: u64,
        chars: u64,
        is_error: bool,
    },
    Text {
        text: String,
    },
    Thinking {
        text: String,
    },
    Todo {
        items: Vec<TodoItem>,
    },
    Progress {
        text: String,
    },
    /// The agent's own retry of a failed request; silence after it is waiting, not a hang.
    Retry {
        attempt: u32,
        of: u32,
        /// How long it waits, where it says so.
        delay_ms: Option<u64>,
        error: String,
    },
    /// A tool call was not allowed.
    Denied {
        tool: String,
        why: String,
    },
    /// What the call has used so far.
    Spent {
        usage: Usage,
    },
    RateLimit {
        status: String,
        resets_at: Option<Timestamp>,
        utilization: Option<f64>,
    },
    /// The turn is over.
    Result {
        is_error: bool,
        text: String,
        usage: Usage,
        turns: u32,
    },
}

/// One entry of an agent's own list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    pub text: String,
    pub status: String,
}

impl AgentEvent {
    /// The same with the paths of a tool's input as seen from the folder the agent works in.
    #[must_use]
    pub fn seen_from(self, folder: &str) -> Self {
        match self {
            Self::ToolStart { id, name, input } => {
                Self::ToolStart { id, name, input: shortened(&input, folder) }
            }
            other => other,
        }
    }
}

/// Leaves out `folder/` where a path begins with it and goes on.
fn shortened(text: &str, folder: &str) -> String {
    let begin = format!("{}/", folder.trim_end_matches('/'));
    let is_part = |c: char| c.is_alphanumeric() || "._-/~".contains(c);
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(&begin) {
        let (before, found) = rest.split_at(at);
        let after = found.get(begin.len()..).unwrap_or_default();
        out.push_str(before);
        let is_inside = !out.ends_with(is_part) && after.starts_with(|c| is_part(c) && c != '/');
        if !is_inside {
            out.push_str(&begin);
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_folder_and_nothing_else_changes() {
        for (text, seen) in [
            ("/w/p/src/main.rs", "src/main.rs"),
            ("sed -n 1,5p /w/p/a.rs '/w/p/b c.rs'", "sed -n 1,5p a.rs 'b c.rs'"),
            ("cd /w/p/ && ls /w/p", "cd /w/p/ && ls /w/p"),
            ("/other/w/p/a /w/pp/a /w/p//a", "/other/w/p/a /w/pp/a /w/p//a"),
        ] {
            assert_eq!(shortened(text, "/w/p"), seen);
        }
    }
}
