//! Arguments of `__stint`, which the fleet's workers start and nobody types.

use clap::Args;
use ralph_core::{run::Share, time::Millis, usage::MicroUsd};

/// `ralph __stint`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StintArgs {
    /// Branch of a new run
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// Exit after this many iterations
    #[arg(long, value_name = "N")]
    iterations: u32,
    /// Exit at the first boundary after this many minutes
    #[arg(long, value_name = "N")]
    minutes: u32,
    /// Exit instead of waiting longer than this
    #[arg(long, value_name = "SECONDS")]
    longest_wait: u32,
    /// Exit once the calls of this process have cost this much
    #[arg(long, value_name = "MICRO_USD")]
    money: Option<u64>,
    /// A person resumed the run: count failed tries from zero again
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
