//! The answers that CLIs understand.

use serde_json::{Value, json};

use super::event::HookEvent;

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
