//! `[agents.NAME]`: agents that a user describes without writing Rust.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent_facts::PromptBy;

/// Stands for the prompt in an argument.
pub const PROMPT_PLACE: &str = "{prompt}";
/// Stands for the model in an argument.
pub const MODEL_PLACE: &str = "{model}";

/// A custom agent, called by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CustomAgent {
    /// The program and its arguments; `{model}` in an argument stands for the model.
    pub command: Vec<String>,
    /// How it receives the prompt; `{prompt}` in an argument marks the place, otherwise it comes last.
    pub prompt: PromptBy,
    /// What it prints: `text`, or the name of the built-in agent whose stream format it uses.
    pub stream: String,
    /// jq filter that extracts the answer from each line of JSON; only with the stream `text`.
    pub response_filter: String,
    /// jq filter that extracts what people see from each line of JSON; only with the stream `text`.
    pub display_filter: String,
    /// Regular expressions that recognise endings, matched against the last message, the error output and the last lines.
    pub endings: BTreeMap<EndingName, String>,
}

impl Default for CustomAgent {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            prompt: PromptBy::Stdin,
            stream: "text".into(),
            response_filter: String::new(),
            display_filter: String::new(),
            endings: BTreeMap::new(),
        }
    }
}

impl CustomAgent {
    /// Whether its lines are JSON of its own form.
    pub fn has_filters(&self) -> bool {
        !self.response_filter.is_empty() || !self.display_filter.is_empty()
    }
}

/// An ending that an expression can tell.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EndingName {
    NotFound,
    AuthFailed,
    UsageLimit,
    Overloaded,
    ContextOverflow,
    MaxTurns,
    Budget,
    Refused,
    AskedQuestion,
}

impl EndingName {
    /// Its name in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::AuthFailed => "auth_failed",
            Self::UsageLimit => "usage_limit",
            Self::Overloaded => "overloaded",
            Self::ContextOverflow => "context_overflow",
            Self::MaxTurns => "max_turns",
            Self::Budget => "budget",
            Self::Refused => "refused",
            Self::AskedQuestion => "asked_question",
        }
    }
}
