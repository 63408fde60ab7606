//! The rules. What is a program with words and options stands in `rules.txt`, and so does what every rule says; a file
//! here decides what needs structure: paths, pipelines, addresses, statements.

mod book;
mod built_in;
mod containers;
mod database;
mod filesystem;
mod git;
mod git_programs;
mod network;
mod packages;
mod pattern;
mod permissions;
mod process;
mod remote_code;
mod secret_files;
mod secrets;
mod tampering;
mod targets;
mod user;

#[cfg(test)]
mod tests;

pub(crate) use book::deny;
pub(crate) use built_in::{check, check_assignments};
pub(crate) use remote_code::check_program_text;
pub(crate) use secret_files::is_secret_file;
pub(crate) use targets::found;
pub(crate) use user::is_excepted;
