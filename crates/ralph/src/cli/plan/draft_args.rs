//! Arguments for drafting or revising a plan.

use std::path::Path;

use clap::Args;
use ralph_core::settings::Flag;

use crate::{
    args::sandbox::SandboxArgs,
    cli::init,
    context::{Context, variable},
    reporters::console::Progress,
    session::{planning::PlanWish, probe},
};

/// `ralph plan` from specifications, a sentence, or a wish for another plan.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DraftArgs {
    /// Specifications (files or folders) or a sentence [default: specs/*.md or .ralph/prd.md]
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
    /// Built-in agent or program to plan with [default: from the settings]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model, as the agent spells it [default: the agent's own]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) show_progress: Progress,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}

impl DraftArgs {
    /// What was meant.
    pub(crate) fn wish(&self, yes: bool, context: &Context) -> PlanWish {
        let given = [
            ("--agent", "agent.plan.command", &self.agent),
            ("--model", "agent.plan.model", &self.model),
        ];
        let flags = given.into_iter().filter_map(|(name, key, value)| {
            Some(Flag { name: name.into(), key: key.into(), value: value.clone()? })
        });
        PlanWish {
            words: self.words.clone(),
            revise: self.revise.clone(),
            flags: flags.chain(self.sandbox.flag()).collect(),
            detected: detected(&context.project_dir),
            yes,
            no_questions: self.no_questions,
            dry_run: self.dry_run,
            progress: self.show_progress,
        }
    }
}

/// Commands that would prove work on a project, told from its files.
fn detected(project: &Path) -> Vec<String> {
    let path = variable("PATH");
    let has = |program: &str| !probe::find_all(program, path.as_deref()).is_empty();
    init::detect(project, &has).into_iter().map(|gate| gate.command).collect()
}
