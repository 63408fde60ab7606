//! The shapes of Cline's lines, borrowed from the line. Which fields mean something depends on its type.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::loose::{Loose, Scalar};

/// One line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow, rename = "taskId")]
    pub task: Scalar<'a>,
    #[serde(borrow, rename = "hookEventName")]
    pub hook: Scalar<'a>,
    #[serde(borrow, rename = "parentAgentId")]
    pub parent: Scalar<'a>,
    #[serde(borrow)]
    pub event: Loose<'a, Event<'a>>,
    #[serde(borrow, rename = "finishReason")]
    pub finish: Scalar<'a>,
    #[serde(borrow)]
    pub iterations: Scalar<'a>,
    #[serde(borrow)]
    pub usage: Loose<'a, Tokens<'a>>,
    #[serde(borrow, rename = "aggregateUsage")]
    pub aggregate: Loose<'a, Tokens<'a>>,
    #[serde(borrow)]
    pub text: Scalar<'a>,
    #[serde(borrow)]
    pub model: Loose<'a, Model<'a>>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// What happens in the agent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow, rename = "contentType")]
    pub content: Scalar<'a>,
    #[serde(borrow)]
    pub text: Scalar<'a>,
    #[serde(borrow)]
    pub reasoning: Scalar<'a>,
    /// The whole text so far.
    #[serde(borrow)]
    pub accumulated: Scalar<'a>,
    #[serde(borrow, rename = "toolName")]
    pub tool: Scalar<'a>,
    #[serde(borrow, rename = "toolCallId")]
    pub call: Scalar<'a>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub output: Loose<'a, Output<'a>>,
    #[serde(borrow)]
    pub error: Loose<'a, EventError<'a>>,
    #[serde(borrow, rename = "errorClass")]
    pub class: Scalar<'a>,
    #[serde(borrow)]
    pub recoverable: Scalar<'a>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
    #[serde(borrow, rename = "totalInputTokens")]
    pub input_tokens: Scalar<'a>,
    #[serde(borrow, rename = "totalOutputTokens")]
    pub output_tokens: Scalar<'a>,
    #[serde(borrow, rename = "totalCacheReadTokens")]
    pub cache_read: Scalar<'a>,
    #[serde(borrow, rename = "totalCacheWriteTokens")]
    pub cache_write: Scalar<'a>,
    #[serde(borrow, rename = "totalCost")]
    pub cost: Scalar<'a>,
}

/// What a tool gave.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Output<'a> {
    #[serde(borrow)]
    pub result: Scalar<'a>,
    #[serde(borrow)]
    pub error: Scalar<'a>,
    #[serde(borrow)]
    pub success: Scalar<'a>,
}

/// Why it failed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct EventError<'a> {
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// Who worked.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Model<'a> {
    #[serde(borrow)]
    pub id: Scalar<'a>,
}

/// Tokens and money of a whole call.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow, rename = "inputTokens")]
    pub input: Scalar<'a>,
    #[serde(borrow, rename = "outputTokens")]
    pub output: Scalar<'a>,
    #[serde(borrow, rename = "cacheReadTokens")]
    pub cache_read: Scalar<'a>,
    #[serde(borrow, rename = "cacheWriteTokens")]
    pub cache_write: Scalar<'a>,
    #[serde(borrow, rename = "totalCost")]
    pub cost: Scalar<'a>,
}
