//! Arguments of `__stint`, which the fleet's workers start and nobody types.

use clap::Args;
use ralph_core::{run::Share, time::Millis, usage::MicroUsd};

/// `ralph __stint`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StintArgs {
    /// Branch of a run that begins
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// Leave after so many iterations
    #[arg(long, value_name = "N")]
    iterations: u32,
    /// Leave at the first boundary after so many minutes
    #[arg(long, value_name = "N")]
    minutes: u32,
    /// Leave instead of a longer wait
    #[arg(long, value_name = "SECONDS")]
    longest_wait: u32,
    /// Leave once calls of this process have cost so much
    #[arg(long, value_name = "MICRO_USD")]
    money: Option<u64>,
    /// A person wants the run to go on: what was tried in vain counts anew
    #[arg(long)]
    pub(crate) by_person: bool,
}

impl StintArgs {
    /// How much of the run this process does.
    pub(crate) fn share(&self) -> Share {
        Share {
            iterations: self.iterations,
            time: Millis(u64::from(self.minutes) * 60_000),
            longest_wait: Millis(u64::from(self.longest_wait) * 1_000),
            money: self.money.map(MicroUsd),
        }
    }
}
