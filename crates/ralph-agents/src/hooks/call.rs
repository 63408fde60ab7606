//! What a hook must know of the call it belongs to, and what it remembers between two events of a session.

use std::collections::BTreeSet;

use ralph_core::vocabulary::Kind;
use ralph_guard::Rules;
use serde::{Deserialize, Serialize};

/// Name of the file, beside the call's other files, that holds its [`Call`].
pub const CALL_FILE: &str = "call.json";

/// One agent call, or a session of a person if it has no kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    /// What the iteration is for; `None` outside a run.
    pub kind: Option<Kind>,
    /// The agent's name.
    pub agent: String,
    /// The tree that the agent may change.
    pub worktree: String,
    pub home: String,
    /// Where hooks remember what they said.
    pub scratch: String,
    /// The context window that the agent reported in an earlier call.
    pub window: Option<u64>,
    /// What the user adds to the guard.
    pub guard: Rules,
}

impl Call {
    /// Whether it hands over by a tool, so that its last message is none.
    pub(super) fn reports_by_tool(&self) -> bool {
        self.agent == "claude"
    }
}

/// Most times that one call is not let go.
const MOST_OBJECTIONS: u32 = 2;

/// What was said to a session before, so that nothing is said twice and no session is held forever.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// Thresholds of the context that were announced.
    #[serde(rename = "told")]
    pub(super) announced: BTreeSet<u8>,
    objections: u32,
    last: String,
}

impl Memo {
    /// Whether it may be held back for this reason; counts it if so. One that is held already is not given the same
    /// reason again.
    pub(super) fn objects(&mut self, reason: &str, is_held: bool) -> bool {
        let is_said = is_held && self.last == reason;
        if is_said || self.objections >= MOST_OBJECTIONS {
            return false;
        }
        self.objections += 1;
        reason.clone_into(&mut self.last);
        true
    }

    /// The context was emptied: its thresholds count anew. How often the session was held stays.
    pub(super) fn rearm(&mut self) {
        self.announced.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_survives_its_file_and_unknown_fields_do_not_matter() {
        let call = Call {
            kind: Some(Kind::Fix),
            agent: "codex".into(),
            worktree: "/w".into(),
            window: Some(7),
            ..Call::default()
        };
        let mut value = serde_json::to_value(&call).unwrap_or_default();
        value["later"] = 1.into();
        assert_eq!(serde_json::from_value(value).ok(), Some(call));
    }

    #[test]
    fn nobody_is_held_more_than_twice_nor_twice_in_a_row_for_the_same() {
        let mut memo = Memo::default();
        assert!(memo.objects("a", false));
        assert!(!memo.objects("a", true));
        assert!(memo.objects("b", true));
        assert!(!memo.objects("c", false));
        memo.rearm();
        assert!(!memo.objects("d", false));
    }
}
