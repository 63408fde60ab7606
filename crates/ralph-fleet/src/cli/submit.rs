//! What can be typed after `ralph fleet submit`. Declares it, does nothing.

use std::path::PathBuf;

use clap::Args;

use super::TimesArgs;

/// `ralph fleet submit`.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub(crate) struct SubmitArgs {
    /// Repository address that workers can reach [default: origin of the current folder]
    #[arg(long, value_name = "URL")]
    pub(crate) repo: Option<String>,
    /// Branch to work on [default: the one in the settings or the plan, else ralph/PROJECT]
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// Plan to work through [default: .ralph/plan.json]
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) plan: Option<PathBuf>,
    /// Prompt to work on instead of a plan; becomes a plan of one task
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Project settings to use [default: .ralph/settings.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// Tenant to run the loop for; tenants take turns
    #[arg(long, env = "FLEET_TENANT", default_value = "default")]
    pub(crate) tenant: String,
    /// Account whose subscription or key pays; only its hands work on the loop
    #[arg(long, env = "FLEET_ACCOUNT", default_value = "default")]
    pub(crate) account: String,
    /// Budget to draw from, such as budget/TENANT/2026-11 [default: none]
    #[arg(long, value_name = "ID")]
    pub(crate) budget: Option<String>,
    /// End a stint after this many iterations
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations_per_stint: u32,
    /// End a stint at the first boundary after this many minutes
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) minutes_per_stint: u32,
    /// Work through the plan again even if it is already done on the branch
    #[arg(long)]
    pub(crate) again: bool,
    /// Wait until the loop ends and exit with its exit code
    #[arg(long)]
    pub(crate) wait: bool,
    /// Take the branch from a host that is gone for good, along with its server
    #[arg(long)]
    pub(crate) take_over: bool,
    /// Only check; push and start nothing
    #[arg(long, conflicts_with = "wait")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) times: TimesArgs,
}
