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
    pub data: Loose<'a, Data<'a>>,
    #[serde(borrow, rename = "sessionId")]
    pub session_id: Scalar<'a>,
    #[serde(borrow, rename = "exitCode")]
    pub exit_code: Scalar<'a>,
}

/// What a line is about.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Data<'a> {
    #[serde(borrow)]
    pub model: Scalar<'a>,
    #[serde(borrow)]
    pub content: Scalar<'a>,
    #[serde(borrow)]
    pub reasoning_text: Scalar<'a>,
    /// The call of a subagent that this belongs to.
    #[serde(borrow)]
    pub parent_tool_call_id: Scalar<'a>,
    #[serde(borrow)]
    pub tool_call_id: Scalar<'a>,
    #[serde(borrow)]
    pub tool_name: Scalar<'a>,
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub success: Scalar<'a>,
    #[serde(borrow)]
    pub shell_execution: Loose<'a, Shell<'a>>,
    #[serde(borrow)]
    pub result: Loose<'a, Content<'a>>,
    #[serde(borrow)]
    pub error: Loose<'a, Problem<'a>>,
    #[serde(borrow)]
    pub error_type: Scalar<'a>,
    #[serde(borrow)]
    pub status_code: Scalar<'a>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
    #[serde(borrow)]
    pub error_message: Scalar<'a>,
    #[serde(borrow)]
    pub retry_attempt: Scalar<'a>,
    #[serde(borrow)]
    pub reason: Scalar<'a>,
}

/// How a command ended.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Shell<'a> {
    #[serde(borrow, rename = "exitCode")]
    pub exit_code: Scalar<'a>,
}

/// What a tool gave back.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub content: Scalar<'a>,
}

/// Why a tool call failed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Problem<'a> {
    #[serde(borrow)]
    pub code: Scalar<'a>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
}
