//! Arguments of `ralph plan`.

use clap::Args;
use ralph_core::settings::Flag;

use super::{limits::LimitArgs, sandbox::SandboxArgs};
use crate::reporters::console::Progress;

/// `ralph plan`.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub(crate) struct PlanArgs {
    /// Spec files or folders, or a sentence [default: specs/*.md or .ralph/prd.md]
    #[arg(value_name = "SPEC|TEXT")]
    pub(crate) words: Vec<String>,
    /// Change the plan's pending tasks as described
    #[arg(long, value_name = "TEXT", conflicts_with = "words")]
    pub(crate) revise: Option<String>,
    /// Make the planner write down assumptions instead of asking
    #[arg(long)]
    pub(crate) no_questions: bool,
    /// Print the prompt and command line; start nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Built-in agent or program [default: from the settings]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model, as the agent spells it [default: the agent's own]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Progress: auto, bar, counter, none, only
    #[arg(long, value_enum, default_value_t, value_name = "HOW", hide_possible_values = true)]
    pub(crate) show_progress: Progress,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Import tasks from a file, stdin (-), or GitHub (github:QUERY)
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
    /// Write task statuses back to the imported prd.json or Markdown file
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

impl PlanArgs {
    /// The settings layer that flags make.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let given = [
            ("--agent", "agent.plan.command", &self.agent),
            ("--model", "agent.plan.model", &self.model),
        ];
        let flags = given.into_iter().filter_map(|(name, key, value)| {
            Some(Flag { name: name.into(), key: key.into(), value: value.clone()? })
        });
        flags.chain(self.limits.flags()).chain(self.sandbox.flag()).collect()
    }
}
