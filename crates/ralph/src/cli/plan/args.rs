//! Arguments of `ralph plan`.

use clap::Args;

use super::draft_args::DraftArgs;

/// `ralph plan`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) draft: DraftArgs,
    /// Import tasks from a file, stdin (-) or GitHub issues (`github`, `github:QUERY`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["export", "write_back", "words", "revise"])]
    pub(crate) import: Option<String>,
    /// Print the plan in another format, or write it to FILE
    #[arg(
        long,
        value_names = ["FORMAT", "FILE"],
        num_args = 1..=2,
        conflicts_with_all = ["write_back", "words", "revise"]
    )]
    pub(crate) export: Vec<String>,
    /// Format of the imported text [default: detected]
    #[arg(long, value_name = "FORMAT", requires = "import")]
    pub(crate) format: Option<String>,
    /// Write task statuses back to where the plan was imported from
    #[arg(long, conflicts_with_all = ["words", "revise"])]
    pub(crate) write_back: bool,
    /// Check the plan, or another plan.json, for problems
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "",
        conflicts_with_all = ["import", "export", "write_back", "words", "revise"])]
    pub(crate) check: Option<String>,
    /// With --check, treat warnings as errors
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
