//! Code of other languages inside a command. It is read just far enough to tell which files, programs and
//! addresses its calls are given, and those calls become commands for the rules. It is never run, and a
//! program that hides what it does gets through; the sandbox carries that.

mod calls;
mod decode;
mod dialects;
mod effects;
mod expressions;
mod languages;
mod lexer;
mod members;
mod reader;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub(super) use calls::is_loopback_text;
pub(super) use dialects::commands;
pub(super) use languages::{is_interpreter, of};
pub(super) use reader::{Step, printed};
pub(super) use words::{literals, tokens};
