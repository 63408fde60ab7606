//! The command guard: what a shell command is about to do, and whether an unattended agent may.
//!
//! A seat belt, not a boundary: the sandbox is the boundary. Must never run, read or look up anything: the
//! command and the scene are all it knows.

mod call;
mod frame;
mod inline;
mod judge;
mod marks;
mod paths;
mod rules;
mod syntax;
mod verdict;
mod walk;

pub use judge::judge;
pub use verdict::{Exception, Rules, Scene, UserRule, Verdict};
