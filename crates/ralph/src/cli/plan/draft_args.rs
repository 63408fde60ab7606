//! What can be said to have a plan drafted or revised by an agent.

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
    /// Specifications (files or folders) or a sentence [default: specs/*.md, else .ralph/prd.md]
    #[arg(value_name = "SPEC|TEXT")]
    pub(crate) words: Vec<String>,
    /// Change the pending tasks of the plan as this says
    #[arg(long, value_name = "TEXT", conflicts_with = "words")]
    pub(crate) revise: Option<String>,
    /// Have the planner write down assumptions instead of asking
    #[arg(long)]
    pub(crate) no_questions: bool,
    /// Print prompt and command line, and start nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Agent to plan with: a built-in name or a program
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model, in the agent's own spelling
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How progress is shown
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
