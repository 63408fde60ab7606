//! From a draft to the plan file: shown, agreed to, written whole under the lock. Nothing else is overwritten.

use ralph_core::{
    event::Source,
    ids::RunId,
    plan::{
        Plan,
        merge::{Merged, merge},
    },
    planning::Draft,
    run::{self as core, StartOptions},
};
use ralph_engine::{plan_file, run};

use super::{shown, sources};
use crate::{
    args::plan::PlanArgs,
    ask::Lean,
    context::{Block, Context, Entry, Line, Sign, next_step},
    diagnostics::CommandError,
    exit,
    session::{plan_status, project::Project},
};

/// A draft, and the run it came from.
pub(super) struct Drafted {
    pub(super) run: RunId,
    pub(super) draft: Draft,
    pub(super) existing: Plan,
}

/// Shows the draft, asks, and writes what was agreed to.
pub(super) fn conclude(
    drafted: &Drafted,
    args: &PlanArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let project = Project::open(context, &args.flags())?;
    let draft = &drafted.draft;
    let merged = merge(&drafted.existing, draft.incoming(&drafted.existing));
    context.tell(&shown::draft(draft, &merged, &drafted.existing))?;
    let writes_prd = !draft.prd.is_empty() && prd_is_free(&project)?;
    context.tell(&notes(drafted, &merged, &project, writes_prd))?;
    if !merged.changes_anything() && !writes_prd {
        context.done("nothing to change: the plan already says all of it")?;
        return Ok(exit::DONE);
    }
    agreed(drafted, args, context)?;
    write(drafted, &merged.plan, (&project, writes_prd), context)
}

/// What a person should know before deciding.
fn notes(drafted: &Drafted, merged: &Merged, project: &Project, writes_prd: bool) -> Block {
    let mut block = Vec::new();
    let mut note = |text: String| block.push(Entry::led(Line::signed(Sign::Warning), text));
    if !drafted.draft.prd.is_empty() && !writes_prd {
        note(
            ".ralph/prd.md has content and is kept; the drafted version is in the run's folder"
                .into(),
        );
    }
    let settings = project.resolved.settings.clone();
    let begun = core::begin(Source::Plan, merged.plan.clone(), settings, StartOptions::default());
    if let Err(error) = begun {
        note(format!("ralph run would refuse this: {error} ({})", error.help()));
    }
    block
}

/// Without a terminal and without `--yes`, only a plan that replaces nothing is written.
fn agreed(drafted: &Drafted, args: &PlanArgs, context: &Context) -> Result<(), CommandError> {
    let replaces = !drafted.existing.tasks.is_empty();
    if args.yes || (!context.can_ask() && !replaces) {
        return Ok(());
    }
    let kept = format!("ralph plan --import .ralph/runs/{}/draft.json", drafted.run);
    if !context.can_ask() {
        let what = "the existing plan would change, and there is no terminal to confirm on";
        let help = format!("confirm with --yes; this draft is saved: {kept} --yes");
        return Err(CommandError::usage(what, help));
    }
    context.note(format!("saved in any case; {kept} uses it later"))?;
    if context.asker()?.confirm("Write this plan?", Lean::Yes)? {
        return Ok(());
    }
    let help = format!("ask for changes with ralph plan --revise \"…\"; {kept} uses this draft");
    Err(CommandError::new(exit::UNFINISHED, "nothing was written", help))
}

fn write(
    drafted: &Drafted,
    plan: &Plan,
    (project, writes_prd): (&Project, bool),
    context: &Context,
) -> Result<u8, CommandError> {
    let layout = &project.layout;
    let import = format!("ralph plan --import .ralph/runs/{}/draft.json", drafted.run);
    let lock = plan_status::lock(layout, format!("the draft is saved: {import} uses it later"))?;
    if sources::existing(project)? != drafted.existing {
        let what = "the plan changed while this one was drafted";
        return Err(CommandError::usage(what, format!("{import} merges the two")));
    }
    let mut wrote = vec![".ralph/plan.json"];
    if writes_prd && prd_is_free(project)? {
        let path = layout.views().join("prd.md");
        let failed = CommandError::file("write", &path);
        run::write_prd(layout, &drafted.draft.prd).map_err(failed)?;
        wrote.insert(0, ".ralph/prd.md");
    }
    let failed = CommandError::file("write", &layout.plan());
    plan_file::exchange(layout, plan).map_err(failed)?;
    lock.release()?;
    let text = format!("wrote {}", wrote.join(" and "));
    context.done(text)?;
    context.tell(&[next_step("ralph run")])?;
    Ok(exit::DONE)
}

/// Whether nobody has written requirements yet.
fn prd_is_free(project: &Project) -> Result<bool, CommandError> {
    Ok(sources::written(&project.layout.views().join("prd.md"))?.is_empty())
}
