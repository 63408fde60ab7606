//! The moments at which an agent's CLI asks, and the answers it understands.

use ralph_core::vocabulary::Kind;
use serde_json::{Value, json};

/// A moment of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// It begins, continues after a break, or its context was cleared or compacted.
    SessionStart,
    /// A tool is about to run.
    PreToolUse,
    /// A tool ran.
    PostToolUse,
    /// A tool ran and failed; some CLIs call that [`Self::PostToolUse`] too.
    PostToolUseFailure,
    /// The agent wants to end its turn.
    Stop,
}

impl HookEvent {
    pub const ALL: [Self; 5] = [
        Self::SessionStart,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Stop,
    ];

    /// Its name on ralph's command line.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    /// Its name in the files and answers of the CLIs.
    pub fn name(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::SessionStart => ("session-start", "SessionStart"),
            Self::PreToolUse => ("pre-tool-use", "PreToolUse"),
            Self::PostToolUse => ("post-tool-use", "PostToolUse"),
            Self::PostToolUseFailure => ("post-tool-use-failure", "PostToolUseFailure"),
            Self::Stop => ("stop", "Stop"),
        }
    }

    /// The event of this name on ralph's command line.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.word() == word)
    }

    /// Whether it is about a tool.
    pub fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure)
    }

    /// Whether there is anything to say at this moment of a call of this kind.
    pub fn matters_to(self, kind: Kind) -> bool {
        match kind {
            Kind::Implement | Kind::Fix | Kind::Review => true,
            Kind::Prompt => self != Self::Stop,
            Kind::Apply | Kind::Plan | Kind::Compact => false,
        }
    }
}

/// What a hook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Go on.
    Nothing,
    /// The tool must not run, whatever the permissions say.
    Deny { reason: String },
    /// Go on, knowing this.
    Context { event: HookEvent, text: String },
    /// Do not stop yet.
    Block { reason: String },
}

impl Answer {
    /// As it is written to the hook's standard output; `None` where silence says it.
    pub fn text(&self) -> Option<String> {
        let value: Value = match self {
            Self::Nothing => return None,
            Self::Deny { reason } => json!({"hookSpecificOutput": {
                "hookEventName": HookEvent::PreToolUse.name(),
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }}),
            Self::Context { event, text } => json!({"hookSpecificOutput": {
                "hookEventName": event.name(),
                "additionalContext": text,
            }}),
            Self::Block { reason } => json!({"decision": "block", "reason": reason}),
        };
        Some(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_word() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::from_word(event.word()), Some(event));
        }
        assert_eq!(HookEvent::from_word("PreToolUse"), None);
    }

    #[test]
    fn answers_have_the_form_that_the_clis_read() {
        let reason = "no".to_owned();
        assert_eq!(Answer::Nothing.text(), None);
        for (answer, expected) in [
            (
                Answer::Deny { reason: reason.clone() },
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            ),
            (
                Answer::Context { event: HookEvent::PostToolUseFailure, text: reason.clone() },
                r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"no"}}"#,
            ),
            (Answer::Block { reason }, r#"{"decision":"block","reason":"no"}"#),
        ] {
            assert_eq!(answer.text().as_deref(), Some(expected));
        }
    }
}
