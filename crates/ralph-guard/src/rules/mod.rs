//! The rules, one file for each group. A rule is a predicate on a call, with what it says and examples of what
//! it denies and lets pass; a test judges all of them.

mod cloud;
mod containers;
mod database;
mod exfiltration;
mod filesystem;
mod git_discard;
mod git_escape;
mod git_history;
mod git_verb;
mod interpreters;
mod launchers;
mod permissions;
mod persistence;
mod privilege;
mod process;
mod publish;
mod remote_code;
mod rule;
mod secret_paths;
mod secrets;
mod system;
mod tampering;
mod targets;
mod user;

#[cfg(test)]
mod tests;

pub(super) use remote_code::check_program_text;
pub(super) use rule::{Rule, check, check_assignments, risky_names};
pub(super) use secret_paths::is_secret_file;
pub(super) use user::is_excepted;
