//! Test runners whose output ralph can read: how many tests ran, and which failed. One file per runner.
//!
//! A reader that is not sure says so: a wrong "nothing new fails" would accept broken work.

mod bats;
mod built_in;
mod bun;
mod cargo;
mod counts;
mod ctest;
mod deno;
mod dotnet;
mod go;
mod gradle;
mod jest;
mod mocha;
mod names;
mod nextest;
mod node;
mod phpunit;
mod pytest;
mod reader;
mod rspec;
mod runner;
mod surefire;
mod unittest;
mod vitest;
mod words;

pub use built_in::RUNNERS;
pub use reader::TestReader;
pub use runner::{Runner, RunnerReader};
pub(super) use words::{program, simple_commands, unwrapped};

#[cfg(test)]
mod tests;
