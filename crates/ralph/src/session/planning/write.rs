//! From a proposal to the plan file: written whole under the lock. Nothing else is overwritten.

use ralph_engine::{plan_file, run};

use super::{proposal::Proposal, sources};
use crate::{
    context::Context,
    diagnostics::CommandError,
    session::{plan_status, project::Project},
};

/// Writes what was agreed to, unless the plan is another one by now.
pub(super) fn write(
    proposal: &Proposal,
    (project, writes_prd): (&Project, bool),
    context: &Context,
) -> Result<(), CommandError> {
    let layout = &project.layout;
    let import = proposal.import();
    let lock = plan_status::lock(layout, format!("the draft is saved: {import} uses it later"))?;
    if sources::existing(project)? != proposal.on_disk {
        let what = "the plan changed while this one was drafted";
        return Err(CommandError::usage(what, format!("{import} merges the two")));
    }
    let mut wrote = vec![".ralph/plan.json"];
    if writes_prd && prd_is_free(project)? {
        let path = layout.views().join("prd.md");
        let failed = CommandError::file("write", &path);
        run::write_prd(layout, &proposal.draft.prd).map_err(failed)?;
        wrote.insert(0, ".ralph/prd.md");
    }
    let failed = CommandError::file("write", &layout.plan());
    plan_file::exchange(layout, &proposal.merged.plan).map_err(failed)?;
    lock.release()?;
    let text = format!("wrote {}", wrote.join(" and "));
    context.done(text)
}

/// Whether nobody has written requirements yet.
pub(super) fn prd_is_free(project: &Project) -> Result<bool, CommandError> {
    Ok(sources::written(&project.layout.views().join("prd.md"))?.is_empty())
}
