//! `ralph plan --import`: tasks of another tool become the plan, or join the one that is there.

use std::path::Path;

use ralph_core::plan::{
    Plan,
    formats::{plan_json, source},
    merge::{Change, Merged, merge},
    problems,
};
use ralph_engine::{layout::Layout, plan_file};
use serde_json::{Value as Json, json};

use super::origin::Origin;
use crate::{
    args::plan::PlanArgs,
    cli::init::folder,
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    session::{plan_status, project::read_plan, run_store::RunStore},
    words,
};

/// Runs `ralph plan --import`.
pub(super) fn exec(from: &str, args: &PlanArgs, context: &Context) -> Result<u8, CommandError> {
    let layout = RunStore::find(&context.project_dir)?.layout;
    plan_status::check_free(&layout)?;
    let origin = Origin::get(from, args.format.as_deref(), (&context.project_dir, root(&layout)))?;
    let mut plan = (origin.format.parse)(&origin.text).map_err(|error| {
        let what = format!("{}: {error}", origin.name);
        CommandError::usage(what, error.help.clone())
    })?;
    if plan.tasks.is_empty() {
        let help = "nothing was changed; check that this is the right source";
        let what = format!("{} contains no tasks", origin.name);
        return Err(CommandError::usage(what, help));
    }
    source::adopt(&mut plan, &origin.source);
    let existing = existing(&layout)?;
    let is_new = existing.is_none();
    let merged = merge(&existing.unwrap_or_default(), plan);
    check_sound(&merged.plan, &origin.name)?;
    let view = as_json(&origin, &merged);
    if !is_new && !merged.changes_anything() {
        let text = format!("{} would not change the plan", origin.name);
        return finish(&view, &[Entry::led(Line::signed(Sign::Ok), text)], context);
    }
    context.tell(&difference(&merged))?;
    if !is_new && !context.agrees(args.yes, "Write this to .ralph/plan.json?")? {
        return Ok(exit::DONE);
    }
    write(&layout, &merged.plan)?;
    let text = format!(
        ".ralph/plan.json has {} from {} ({}); {}",
        words::count_of(&merged.plan.tasks, "task"),
        origin.name,
        origin.format.name,
        merged.summary()
    );
    let next = Entry::text(2, Tone::Dim, "ralph task list shows it, ralph run works on it");
    finish(&view, &[Entry::led(Line::signed(Sign::Ok), text), next], context)
}

/// The main worktree.
pub(super) fn root(layout: &Layout) -> &Path {
    layout.views().parent().unwrap_or(layout.views())
}

/// The plan that is there.
fn existing(layout: &Layout) -> Result<Option<Plan>, CommandError> {
    let path = layout.plan();
    if path.symlink_metadata().is_err() {
        folder::settings(layout.views())?;
        return Ok(None);
    }
    read_plan(&path).map(Some)
}

fn check_sound(plan: &Plan, name: &str) -> Result<(), CommandError> {
    let problems = problems(plan);
    if problems.is_empty() {
        // What is written must be what the next run reads, however odd its unknown fields are.
        return match plan_json::parse(&plan_json::render(plan)) {
            Ok(read) if read == *plan => Ok(()),
            _ => {
                let what = format!("the plan from {name} cannot be stored as it is");
                let help = "remove unusual fields, such as deeply nested ones";
                Err(CommandError::usage(what, help))
            }
        };
    }
    let why = problems.iter().map(|one| format!("{one} ({})", one.help())).collect();
    let what = format!("the plan from {name} has errors; nothing was changed");
    Err(CommandError::usage(what, "fix the problems above, then import again").because(why))
}

fn write(layout: &Layout, plan: &Plan) -> Result<(), CommandError> {
    let help = "a run has just started; ralph task adds and changes its tasks";
    let lock = plan_status::lock(layout, help)?;
    let path = layout.plan();
    plan_file::exchange(layout, plan).map_err(CommandError::file("write", &path))?;
    lock.release()?;
    Ok(())
}

/// What changes, and what will run on this machine because of it.
fn difference(merged: &Merged) -> Block {
    let lines = merged.describe().into_iter();
    let mut block: Block = lines.map(|line| Entry::text(2, Tone::Plain, line)).collect();
    let mut commands: Vec<&str> = merged.plan.verify_commands.iter().map(String::as_str).collect();
    let criteria = merged.plan.tasks.iter().flat_map(|task| &task.acceptance_criteria);
    commands.extend(criteria.filter_map(|criterion| criterion.check()));
    commands.sort_unstable();
    commands.dedup();
    if !commands.is_empty() {
        let text =
            format!("ralph will run these commands to verify work: {}", words::few(&commands, 10));
        block.push(Entry::text(2, Tone::Plain, text));
    }
    block
}

fn as_json(origin: &Origin, merged: &Merged) -> Json {
    let ids = |change| merged.ids(change).collect::<Vec<_>>();
    json!({
        "v": 1,
        "format": origin.format.name,
        "tasks": merged.plan.tasks.len(),
        "added": ids(Change::Added),
        "changed": ids(Change::Changed),
        "removed": ids(Change::Removed),
        "kept": ids(Change::Kept),
    })
}

fn finish(view: &Json, entries: &[Entry], context: &Context) -> Result<u8, CommandError> {
    if context.json {
        answer_json(view)?;
    }
    context.tell(entries)?;
    Ok(exit::DONE)
}
