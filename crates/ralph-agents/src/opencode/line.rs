//! The shapes of OpenCode's lines, borrowed from the line. Which fields mean something depends on its type.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::loose::{Loose, Scalar};

/// One line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow, rename = "sessionID")]
    pub session: Scalar<'a>,
    #[serde(borrow)]
    pub part: Loose<'a, Part<'a>>,
    #[serde(borrow)]
    pub error: Loose<'a, LineError<'a>>,
}

/// What a line is about.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub text: Scalar<'a>,
    /// The tool's own words, not the model's.
    #[serde(borrow)]
    pub synthetic: Scalar<'a>,
    #[serde(borrow)]
    pub tool: Scalar<'a>,
    #[serde(borrow, rename = "callID")]
    pub call: Scalar<'a>,
    #[serde(borrow)]
    pub state: Loose<'a, State<'a>>,
    #[serde(borrow)]
    pub reason: Scalar<'a>,
    #[serde(borrow)]
    pub tokens: Loose<'a, Tokens<'a>>,
    #[serde(borrow)]
    pub cost: Scalar<'a>,
}

/// A tool call from beginning to end.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct State<'a> {
    #[serde(borrow)]
    pub status: Scalar<'a>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub output: Scalar<'a>,
    #[serde(borrow)]
    pub error: Scalar<'a>,
    #[serde(borrow)]
    pub metadata: Loose<'a, Metadata<'a>>,
}

/// What only some tools tell.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata<'a> {
    /// Exit code of a command.
    #[serde(borrow)]
    pub exit: Scalar<'a>,
}

/// Tokens of one step.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    pub input: Scalar<'a>,
    #[serde(borrow)]
    pub output: Scalar<'a>,
    #[serde(borrow)]
    pub reasoning: Scalar<'a>,
    #[serde(borrow)]
    pub cache: Loose<'a, Cache<'a>>,
}

/// Tokens of the provider's cache.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Cache<'a> {
    #[serde(borrow)]
    pub read: Scalar<'a>,
    #[serde(borrow)]
    pub write: Scalar<'a>,
}

/// Why it failed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct LineError<'a> {
    #[serde(borrow)]
    pub name: Scalar<'a>,
    #[serde(borrow)]
    pub data: Loose<'a, ErrorData<'a>>,
}

/// The particulars of an error.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorData<'a> {
    #[serde(borrow)]
    pub message: Scalar<'a>,
    #[serde(borrow, rename = "statusCode")]
    pub status: Scalar<'a>,
    #[serde(borrow, rename = "responseBody")]
    pub body: Scalar<'a>,
}
