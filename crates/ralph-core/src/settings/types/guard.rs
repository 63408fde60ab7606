//! `[guard]`: rules of the user for commands, and exceptions from the built-in ones.

use ralph_guard::{Exception, Rules, UserRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule that denies commands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GuardRule {
    /// The program, then words that occur among its arguments in this order.
    pub deny: Vec<String>,
    /// Message for the agent.
    pub reason: String,
    /// Commands that the rule must deny; checked when the settings are read.
    pub examples: Vec<String>,
}

/// An exception from the built-in rules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GuardException {
    /// The program, then words that occur among its arguments in this order.
    pub command: Vec<String>,
    /// Commands that must be allowed with it; checked when the settings are read.
    pub examples: Vec<String>,
}

/// Rules and exceptions of the command guard.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GuardSettings {
    /// More commands to deny. Rules of all files add up.
    pub rule: Vec<GuardRule>,
    /// Commands that are allowed although a built-in rule denies them.
    pub allow: Vec<GuardException>,
}

impl GuardSettings {
    /// The rules as the guard takes them.
    pub fn rules(&self) -> Rules {
        Rules {
            deny: self
                .rule
                .iter()
                .map(|rule| UserRule { words: rule.deny.clone(), reason: rule.reason.clone() })
                .collect(),
            allow: self
                .allow
                .iter()
                .map(|exception| Exception { words: exception.command.clone() })
                .collect(),
        }
    }
}
