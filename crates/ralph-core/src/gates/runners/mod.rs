//! Test runners whose output ralph can read: how many tests ran, and which failed. One file per runner.
//!
//! A reader that is not sure says so: a wrong "nothing new fails" would accept broken work.

mod bats;
mod cargo;
mod counts;
mod ctest;
mod go;
mod jest;
mod mocha;
mod nextest;
mod node;
mod pytest;
mod reader;
mod runner;
mod unittest;
mod vitest;
mod words;

pub use reader::{RunnerReader, TestReader};
pub use runner::{RUNNERS, Runner};
pub(super) use words::{program, simple_commands, unwrapped};

#[cfg(test)]
mod tests;
