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
    pub session_id: Scalar<'a>,
    #[serde(borrow)]
    pub model: Scalar<'a>,
    #[serde(borrow)]
    pub role: Scalar<'a>,
    #[serde(borrow)]
    pub content: Scalar<'a>,
    /// The content continues the message before it.
    #[serde(borrow)]
    pub delta: Scalar<'a>,
    #[serde(borrow)]
    pub tool_name: Scalar<'a>,
    #[serde(borrow)]
    pub tool_id: Scalar<'a>,
    #[serde(borrow)]
    pub parameters: Option<&'a RawValue>,
    #[serde(borrow)]
    pub status: Scalar<'a>,
    #[serde(borrow)]
    pub output: Scalar<'a>,
    #[serde(borrow)]
    pub error: Loose<'a, Problem<'a>>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
    #[serde(borrow)]
    pub stats: Loose<'a, Stats<'a>>,
}

/// What went wrong in a tool call or a turn.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Problem<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// What a call used.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Stats<'a> {
    /// Everything, thoughts too.
    #[serde(borrow)]
    pub total_tokens: Scalar<'a>,
    /// Everything that was sent.
    #[serde(borrow)]
    pub input_tokens: Scalar<'a>,
    /// What was said, without thoughts.
    #[serde(borrow)]
    pub output_tokens: Scalar<'a>,
    /// What was sent and came from the cache.
    #[serde(borrow)]
    pub cached: Scalar<'a>,
}
