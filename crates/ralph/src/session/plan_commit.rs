//! `git.commit_plan`: once a run has ended, the plan as its file has it then, in a commit of its own on the run branch.
//! Changes nothing but that commit, and how the run ended stays what it was.

use ralph_core::{
    event::{RunStart, Source},
    ids::RunId,
    plan::formats::plan_json,
    settings::Settings,
};
use ralph_engine::{
    git::{GitError, Repository, Screen},
    layout::Layout,
    project_file,
};

use super::{plan_status, run_store::redactor};
use crate::{context::Context, diagnostics::CommandError};

/// What belongs to a plan and is committed with it.
const FILES: [&str; 2] = [".ralph/plan.json", ".ralph/prd.md"];

/// A commit that is to be made.
pub(super) struct PlanCommit {
    layout: Layout,
    run: RunId,
    branch: String,
    settings: Settings,
}

impl PlanCommit {
    /// The one that a run like this ends with, if its settings want one and the plan is in its worktree.
    pub(super) fn after(
        (start, settings): (&RunStart, &Settings),
        layout: &Layout,
        run: &RunId,
    ) -> Option<Self> {
        let works_on_plan = matches!(start.source, Source::Plan | Source::Tasks { .. });
        let is_here = !start.linked_worktree && start.plan_file.is_none();
        (settings.git.commit_plan && works_on_plan && is_here).then(|| Self {
            layout: layout.clone(),
            run: run.clone(),
            branch: start.branch.clone(),
            settings: settings.clone(),
        })
    }

    /// Makes it. Whatever prevents it is a warning.
    pub(super) fn make(self, context: &Context) -> Result<(), CommandError> {
        let lock = plan_status::lock(&self.layout, "another run commits the plan when it ends")?;
        match self.commit() {
            Ok(Some(commit)) => context.done(format!("committed the plan as {commit}"))?,
            Ok(None) => {}
            Err(error) => {
                context.warn(format!("the plan was not committed: {error} ({})", error.help()))?;
            }
        }
        lock.release()?;
        Ok(())
    }

    fn commit(&self) -> Result<Option<String>, GitError> {
        let root = self.layout.views().parent().unwrap_or(self.layout.views());
        let screen = Screen::new(redactor(&self.settings), &[]);
        let repository = Repository::discover(root)?.with_secrets(screen);
        // A run that was refused never came to its branch.
        if repository.branch()? != self.branch {
            return Ok(None);
        }
        let text = project_file::text(&self.layout.plan(), project_file::LARGEST);
        let plan = plan_json::parse(&text.unwrap_or_default()).unwrap_or_default();
        let (all, open) = (plan.tasks.len(), plan.open_tasks());
        let message =
            format!("ralph: plan after run {}\n\n{} of {all} tasks done\n", self.run, all - open);
        let commit = repository.commit_paths(&FILES.map(str::to_owned), &message)?;
        Ok(commit.map(|commit| commit.short().to_owned()))
    }
}
