//! Arguments of `ralph init`: every question of the wizard has a flag.

use clap::Args;
use ralph_core::settings::Length;

use crate::args::{
    limits::{cost, length},
    run::Review,
};

/// `ralph init`.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub(crate) struct InitArgs {
    /// Agent to use [default: the first one installed]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model, as the agent spells it [default: the agent's own]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Command that verifies work, instead of those found; repeatable
    #[arg(long, value_name = "COMMAND")]
    pub(crate) gate: Vec<String>,
    /// Write the gates found without running each of them once
    #[arg(long)]
    pub(crate) no_try: bool,
    /// Maximum iterations of a run; 0: derived from the plan [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// Maximum cost of a run in US dollars; 0: no limit [default: 0]
    #[arg(long, value_name = "USD", value_parser = cost)]
    pub(crate) max_cost: Option<f64>,
    /// Maximum duration, such as 4h or 1h30m; 0: no limit [default: 0]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) max_duration: Option<Length>,
    /// Review by a second agent: on, auto, off [default: on]
    #[arg(long, value_enum, value_name = "WHEN", hide_possible_values = true)]
    pub(crate) review: Option<Review>,
    /// Push accepted work to the remote
    #[arg(long)]
    pub(crate) push: bool,
    /// Keep all of .ralph out of git
    #[arg(long)]
    pub(crate) private: bool,
    /// Run git init if the folder is not a git repository
    #[arg(long)]
    pub(crate) git_init: bool,
    /// Start an empty plan for this feature, on branch ralph/FEATURE
    #[arg(long, value_name = "FEATURE")]
    pub(crate) name: Option<String>,
    /// Also write a small example plan
    #[arg(long)]
    pub(crate) example_plan: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Replace existing settings; the old file is kept as settings.toml.old
    #[arg(long)]
    pub(crate) force: bool,
}

/// A number of iterations, as people write it.
pub(super) fn iterations(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| "enter a whole number, such as 20".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_a_whole_number() {
        assert!(iterations("20").is_ok() && iterations("-1").is_err() && iterations("").is_err());
    }
}
