//! Code of other languages inside a command: calls that delete, write, read, start or send something, found by their
//! names, as the shell commands that would do the same. It is no parser: code that hides what it does gets through.

mod calls;
mod programs;
mod tokens;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use programs::{commands, has_code, is_interpreter};
