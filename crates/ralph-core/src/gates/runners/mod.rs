//! Test runners whose output ralph can read: how many tests ran, and which failed. One file per runner.
//!
//! A reader that is not sure says so: a wrong "nothing new fails" would accept broken work.

mod cargo;
mod counts;
mod go;
mod jest;
mod nextest;
mod pytest;
mod reader;
mod runner;
mod vitest;
mod words;

pub use reader::{RunnerReader, TestReader};
pub use runner::{RUNNERS, Runner};
pub use words::is_test_command;

#[cfg(test)]
mod tests;
