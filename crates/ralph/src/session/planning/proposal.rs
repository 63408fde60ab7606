//! The plan that is proposed: a draft, and what a person or the agent changed in it since. Asks nothing, writes nothing.

use ralph_core::{
    ids::RunId,
    plan::{
        Plan,
        merge::{Merged, merge},
        problems,
    },
    planning::Draft,
};

use crate::{context::Context, diagnostics::CommandError};

/// A draft, and the run it came from.
pub(super) struct Drafted {
    pub(super) run: RunId,
    pub(super) draft: Draft,
    /// The plan that it changes.
    pub(super) existing: Plan,
}

/// What would be written.
pub(super) struct Proposal {
    pub(super) run: RunId,
    pub(super) draft: Draft,
    /// The plan file, as it was when planning began.
    pub(super) on_disk: Plan,
    /// The draft as a plan.
    incoming: Plan,
    pub(super) merged: Merged,
}

impl Proposal {
    pub(super) fn new(drafted: Drafted) -> Self {
        let Drafted { run, draft, existing: on_disk } = drafted;
        let incoming = draft.incoming(&on_disk);
        let merged = merge(&on_disk, incoming.clone());
        Self { run, draft, on_disk, incoming, merged }
    }

    /// Takes a draft that changes what is proposed.
    pub(super) fn revised(&mut self, drafted: Drafted) {
        let Drafted { run, draft, existing } = drafted;
        let new = draft.incoming(&existing);
        let (tasks, verify_commands) = (new.tasks, new.verify_commands);
        let incoming = Plan { tasks, verify_commands, ..self.incoming.clone() };
        let prd = std::mem::take(&mut self.draft.prd);
        self.draft = Draft { prd, ..draft };
        self.run = run;
        self.set(incoming);
    }

    /// Takes what a person wrote, unless it contradicts itself.
    pub(super) fn edited(&mut self, plan: Plan, context: &Context) -> Result<(), CommandError> {
        let problems = problems(&merge(&self.on_disk, plan.clone()).plan);
        for problem in &problems {
            context.warn(format!("the edited plan is not used: {problem}"))?;
        }
        if problems.is_empty() {
            self.set(plan);
        }
        Ok(())
    }

    fn set(&mut self, incoming: Plan) {
        self.merged = merge(&self.on_disk, incoming.clone());
        self.draft.tasks.clone_from(&incoming.tasks);
        self.draft.verify_commands.clone_from(&incoming.verify_commands);
        self.incoming = incoming;
    }

    /// The command that uses it later.
    pub(super) fn import(&self) -> String {
        format!("ralph plan --import .ralph/runs/{}/draft.json", self.run)
    }
}
