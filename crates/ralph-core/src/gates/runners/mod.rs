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
mod vitest;
mod words;

pub use reader::{RunnerReader, TestReader};
pub use words::is_test_command;

/// Something that runs tests.
#[derive(Debug)]
pub struct Runner {
    pub name: &'static str,
    /// Whether these words of one simple command call it.
    pub is_called_by: fn(&[&str]) -> bool,
    /// A fresh reader of its output; it recognises the output by itself.
    pub reader: fn() -> Box<dyn RunnerReader>,
}

/// All known runners.
pub static RUNNERS: &[Runner] =
    &[cargo::RUNNER, nextest::RUNNER, pytest::RUNNER, jest::RUNNER, vitest::RUNNER, go::RUNNER];

#[cfg(test)]
mod tests;
