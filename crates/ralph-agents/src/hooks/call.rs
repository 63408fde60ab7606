//! What a hook must know of the call it belongs to, as it lies beside the call's other files.

use ralph_core::vocabulary::Kind;
use ralph_guard::Rules;
use serde::{Deserialize, Serialize};

/// Name of that file.
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
}
