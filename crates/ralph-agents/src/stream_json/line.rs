//! The shapes of stream lines, borrowed from the line. Which fields mean something depends on the kind of line.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::loose::{Loose, Scalar};

/// One line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow)]
    pub subtype: Scalar<'a>,
    #[serde(borrow)]
    pub message: Loose<'a, Message<'a>>,
    #[serde(borrow)]
    pub parent_tool_use_id: Scalar<'a>,
    #[serde(borrow)]
    pub session_id: Scalar<'a>,
    #[serde(borrow)]
    pub model: Scalar<'a>,
    #[serde(borrow)]
    pub error: Loose<'a, ErrorObject<'a>>,
    #[serde(borrow)]
    pub api_error: Scalar<'a>,
    #[serde(borrow)]
    pub api_error_status: Scalar<'a>,
    #[serde(borrow)]
    pub is_error: Scalar<'a>,
    #[serde(borrow)]
    pub result: Scalar<'a>,
    #[serde(borrow)]
    pub errors: Scalar<'a>,
    #[serde(borrow)]
    pub structured_output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub structured_result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub total_cost_usd: Scalar<'a>,
    #[serde(borrow)]
    pub usage: Loose<'a, Tokens<'a>>,
    #[serde(borrow, rename = "modelUsage")]
    pub model_usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub num_turns: Scalar<'a>,
    #[serde(borrow)]
    pub stop_reason: Scalar<'a>,
    #[serde(borrow)]
    pub terminal_reason: Scalar<'a>,
    #[serde(borrow)]
    pub attempt: Scalar<'a>,
    #[serde(borrow)]
    pub max_retries: Scalar<'a>,
    #[serde(borrow)]
    pub error_status: Scalar<'a>,
    #[serde(borrow)]
    pub retry_delay_ms: Scalar<'a>,
    #[serde(borrow)]
    pub rate_limit_info: Loose<'a, RateLimitInfo<'a>>,
    #[serde(borrow)]
    pub permission_denials: Loose<'a, Denial<'a>>,
    #[serde(borrow)]
    pub tool_result_meta: Loose<'a, ToolMeta<'a>>,
    #[serde(borrow)]
    pub tool_use_result: Scalar<'a>,
    #[serde(borrow)]
    pub content: Scalar<'a>,
    #[serde(borrow)]
    pub text: Scalar<'a>,
}

/// A tool call that was not allowed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Denial<'a> {
    #[serde(borrow)]
    pub tool_name: Scalar<'a>,
    #[serde(borrow)]
    pub tool_use_id: Scalar<'a>,
}

/// What became of a tool call.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolMeta<'a> {
    #[serde(borrow)]
    pub id: Scalar<'a>,
    #[serde(borrow)]
    pub permission_decision: Loose<'a, Decision<'a>>,
}

/// Whether a tool call was allowed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Decision<'a> {
    #[serde(borrow)]
    pub decision: Scalar<'a>,
}

/// An error as an object.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorObject<'a> {
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// A message of the model or to it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub id: Scalar<'a>,
    #[serde(borrow)]
    pub model: Scalar<'a>,
    #[serde(borrow)]
    pub usage: Loose<'a, Tokens<'a>>,
    #[serde(borrow)]
    pub content: Loose<'a, Block<'a>>,
}

/// One part of a message.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow)]
    pub text: Scalar<'a>,
    #[serde(borrow)]
    pub thinking: Scalar<'a>,
    #[serde(borrow)]
    pub id: Scalar<'a>,
    #[serde(borrow)]
    pub name: Scalar<'a>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_use_id: Scalar<'a>,
    #[serde(borrow)]
    pub is_error: Scalar<'a>,
    #[serde(borrow)]
    pub content: Loose<'a, Part<'a>>,
}

/// One part of a tool's result.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub text: Scalar<'a>,
}

/// Tokens of a whole call.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow, rename = "input_tokens")]
    pub input: Scalar<'a>,
    #[serde(borrow, rename = "output_tokens")]
    pub output: Scalar<'a>,
    #[serde(borrow, rename = "cache_read_input_tokens")]
    pub cache_read: Scalar<'a>,
    #[serde(borrow, rename = "cache_creation_input_tokens")]
    pub cache_write: Scalar<'a>,
}

/// How much of the account's allowance is left.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimitInfo<'a> {
    #[serde(borrow)]
    pub status: Scalar<'a>,
    #[serde(borrow, rename = "resetsAt")]
    pub resets_at: Scalar<'a>,
    #[serde(borrow)]
    pub utilization: Scalar<'a>,
}
