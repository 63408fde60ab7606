//! Deterministic simulation of whole runs: everything from one seed, faults at every effect boundary.
//!
//! The core under test is the real one; world, agents, clock and journal are simulated, and the oracle
//! judges what happened without asking the core's own helpers.

pub mod agent;
pub mod bugs;
pub mod coverage;
pub mod driver;
pub mod git;
mod journal;
pub mod oracle;
pub mod rng;
pub mod scenario;
pub mod tree;
pub mod world;

pub use bugs::Bug;
pub use driver::{Crashes, Options, Run, run};
pub use oracle::{Broken, Invariant};
pub use scenario::Scenario;
