//! What can be typed after `ralph plan`. Must never do anything about it.

use clap::Args;

use super::draft_args::DraftArgs;

/// `ralph plan`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) draft: DraftArgs,
    /// Take over the tasks of a file, of standard input (-), or of GitHub issues (`github`, `github:QUERY`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["export", "write_back", "words", "revise"])]
    pub(crate) import: Option<String>,
    /// Print the plan in another format, or write it to a file
    #[arg(
        long,
        value_names = ["FORMAT", "FILE"],
        num_args = 1..=2,
        conflicts_with_all = ["write_back", "words", "revise"]
    )]
    pub(crate) export: Vec<String>,
    /// The format of what is imported, if ralph should not find out itself
    #[arg(long, value_name = "FORMAT", requires = "import")]
    pub(crate) format: Option<String>,
    /// Write where the tasks stand back to where the plan was imported from
    #[arg(long, conflicts_with_all = ["words", "revise"])]
    pub(crate) write_back: bool,
    /// Look for what a run would stumble over, in the plan or in another plan.json
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "",
        conflicts_with_all = ["import", "export", "write_back", "words", "revise"])]
    pub(crate) check: Option<String>,
    /// With --check: warnings are errors
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// Agree beforehand: ask nothing, and write what comes of it
    #[arg(short, long)]
    pub(crate) yes: bool,
}
