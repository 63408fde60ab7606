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
    pub thread_id: Scalar<'a>,
    #[serde(borrow)]
    pub item: Loose<'a, Item<'a>>,
    #[serde(borrow)]
    pub usage: Loose<'a, Tokens<'a>>,
    #[serde(borrow)]
    pub error: Loose<'a, Message<'a>>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// Something the agent said or did.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow)]
    pub id: Scalar<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: Scalar<'a>,
    #[serde(borrow)]
    pub text: Scalar<'a>,
    #[serde(borrow)]
    pub message: Scalar<'a>,
    #[serde(borrow)]
    pub command: Scalar<'a>,
    #[serde(borrow)]
    pub aggregated_output: Scalar<'a>,
    #[serde(borrow)]
    pub exit_code: Scalar<'a>,
    #[serde(borrow)]
    pub status: Scalar<'a>,
    #[serde(borrow)]
    pub changes: Loose<'a, Change<'a>>,
    #[serde(borrow)]
    pub server: Scalar<'a>,
    #[serde(borrow)]
    pub tool: Scalar<'a>,
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Loose<'a, Message<'a>>,
    #[serde(borrow)]
    pub query: Scalar<'a>,
    #[serde(borrow)]
    pub items: Loose<'a, Step<'a>>,
}

/// A file that was changed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Change<'a> {
    #[serde(borrow)]
    pub path: Scalar<'a>,
}

/// One entry of the agent's own list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Step<'a> {
    #[serde(borrow)]
    pub text: Scalar<'a>,
    #[serde(borrow)]
    pub completed: Scalar<'a>,
}

/// What an error says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub message: Scalar<'a>,
}

/// Tokens of the whole thread; those read from and written to the cache are part of the input.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow, rename = "input_tokens")]
    pub input: Scalar<'a>,
    #[serde(borrow, rename = "cached_input_tokens")]
    pub cache_read: Scalar<'a>,
    #[serde(borrow, rename = "cache_write_input_tokens")]
    pub cache_write: Scalar<'a>,
    #[serde(borrow, rename = "output_tokens")]
    pub output: Scalar<'a>,
}
