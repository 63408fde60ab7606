//! `ralph init`: looks at a project and writes settings that fit it. Never overwrites what is not its own.

mod args;
mod choices;
mod command;
pub(crate) mod folder;
mod found;
mod place;
mod settings_text;
mod wizard;
mod write;

pub(crate) use args::InitArgs;
pub(crate) use command::{Proposed, exec, propose};
pub(crate) use found::{git_words, matter};
