//! The stream of JSON lines that Claude Code made known and others speak too: read once, for all of them.
//!
//! Starts no agent. What one speaker says otherwise than the next stands in its [`Dialect`].

mod denials;
mod dialect;
mod ending;
mod line;
mod parser;

pub(super) use dialect::{Dialect, Refusal};
pub(super) use parser::StreamParser;
