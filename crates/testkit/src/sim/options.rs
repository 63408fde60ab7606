//! What is asked of a simulation, and what it tells.

use ralph_core::{outcome::Outcome, plan::Status};

use super::{Bug, coverage::Coverage, oracle::Broken};

/// When the process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Crashes {
    /// As the scenario's odds say.
    #[default]
    Random,
    /// Once, at the boundary of this number.
    At(u64),
    Never,
}

/// How to simulate.
#[derive(Debug, Default)]
pub struct Options {
    pub bug: Option<Bug>,
    pub crashes: Crashes,
    /// After every iteration, in every wait and every pause one process leaves and another goes on.
    pub handovers: bool,
    /// Filled with what was exercised, if wanted.
    pub coverage: Option<Coverage>,
    /// Filled with everything that happened, if wanted.
    pub story: Option<Vec<String>>,
}

impl Options {
    /// How many runs in a row are simulated: every fourth goes from process to process.
    pub fn of(seed: u64) -> Self {
        Self { handovers: seed % 4 == 3, ..Self::default() }
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    pub broken: Vec<Broken>,
    pub effects: u64,
    pub crashes: u32,
    pub handovers: u32,
    pub decisions: u64,
    /// Places where it could have crashed.
    pub boundaries: u64,
    pub outcome: Option<Outcome>,
    /// What limits look at, and who may be called: what must not depend on handovers.
    pub counts: String,
    /// Where each task stood at the end.
    pub tasks: Vec<Status>,
    /// The plan's statuses and the run branch's trees with their iterations: what must not depend on crashes.
    pub result: String,
    pub coverage: Option<Coverage>,
    pub story: Option<Vec<String>>,
}
