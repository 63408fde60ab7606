//! `ralph init`: looks at a project and writes settings that fit it. Never overwrites what is not its own.

mod command;
mod detect;
mod folder;
mod settings_text;

pub(crate) use command::{InitArgs, exec, git_words};
