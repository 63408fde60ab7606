//! Deterministic simulation of whole runs: everything from one seed, faults at every effect boundary.
//!
//! The core under test is the real one; world, agents, clock and journal are simulated, and the oracle
//! judges what happened without asking the core's own helpers.

pub mod agent;
pub mod bugs;
mod compactor;
pub mod coverage;
pub mod driver;
mod forgery;
mod forgetful;
mod fraud;
pub mod git;
mod journal;
mod options;
pub mod oracle;
mod outside;
mod people;
mod planner;
mod proposals;
mod relay;
pub mod reviewer;
pub mod rng;
mod saboteur;
pub mod scenario;
mod steering;
pub mod tree;
mod work;
pub mod world;

pub use bugs::Bug;
pub use driver::run;
pub use options::{Crashes, Options, Run};
pub use oracle::{Broken, Invariant};
pub use scenario::Scenario;

use std::time::{SystemTime, UNIX_EPOCH};

/// Seeds between two seconds of the clock, so that two beginnings never share runs.
const SEEDS_A_SECOND: u64 = 10_000_000;

/// A first seed that no run before this second had.
pub fn untried_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs().wrapping_mul(SEEDS_A_SECOND))
}
