//! `ralph clean`: removes what old runs left, after saying what and how old. What is the only copy of work stays unless a
//! flag says otherwise.

use std::path::PathBuf;

use ralph_core::{
    ids::RunId,
    outcome::Outcome,
    time::{Millis, Timestamp},
};
use ralph_engine::{clock, git::Leftover, journal, layout::Layout, runs};
use serde_json::json;

use crate::{
    args::commands::CleanArgs,
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::budget,
    session::{plan_status, project::Project},
    words,
};

/// What is there to remove, and what stays although it is old.
#[derive(Default)]
struct Found {
    refs: Vec<Leftover>,
    /// Runs with their folders.
    runs: Vec<(RunId, Timestamp, Vec<PathBuf>)>,
    /// Old refs that are the only copy of some work.
    unmerged: Vec<Leftover>,
    /// Old runs that still hold something of the user's, or can be resumed.
    held: Vec<RunId>,
}

/// Runs `ralph clean`.
pub(crate) fn exec(args: &CleanArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let lock =
        plan_status::lock(&project.layout, "wait for the run to end, or stop it with ralph stop")?;
    let now = clock::now();
    let found = look(&project, args, now)?;
    if context.json {
        answer_json(&found.json(args.dry_run))?;
    } else {
        context.answer(&found.shown(args, now))?;
    }
    let count = found.refs.len() + found.runs.len();
    if !args.dry_run && count > 0 {
        let question = format!("Remove {}? This cannot be undone.", found.counted());
        if context.agrees(args.yes, &question)? {
            remove(&project, &found)?;
            context.done(format!("removed {}", found.counted()))?;
        }
    }
    lock.release()?;
    Ok(exit::DONE)
}

fn look(project: &Project, args: &CleanArgs, now: Timestamp) -> Result<Found, CommandError> {
    let is_old = |made: Timestamp| now.since(made) >= args.older_than.0;
    let layout = &project.layout;
    let (held, free): (Vec<RunId>, Vec<RunId>) =
        runs::all(layout).into_iter().partition(|run| is_held(project, run));
    let is_needed = |name: &str| {
        let run = name.strip_prefix("refs/ralph/").and_then(|rest| rest.split('/').next());
        run.is_some_and(|run| held.iter().any(|held| held.as_str() == run))
    };
    let mut found = Found::default();
    let old = project.repository.leftovers()?.into_iter().filter(|one| is_old(one.made));
    for one in old.filter(|one| !is_needed(&one.name)) {
        let is_free = one.is_merged || args.delete_unmerged;
        if is_free { found.refs.push(one) } else { found.unmerged.push(one) }
    }
    let latest = runs::latest(layout);
    let (last, free): (Vec<RunId>, Vec<RunId>) =
        free.into_iter().partition(|run| latest.as_ref() == Some(run));
    for run in free {
        let Some(last) = last_sign(layout, &run).filter(|last| is_old(*last)) else { continue };
        let folders = [layout.run(&run), layout.run_views(&run)];
        let folders = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        found.runs.push((run, last, folders));
    }
    let is_old_run = |run: &RunId| last_sign(layout, run).is_none_or(is_old);
    found.held = held.into_iter().chain(last).filter(is_old_run).collect();
    Ok(found)
}

/// When a run last did something; a journal that cannot be read is never old enough.
fn last_sign(layout: &Layout, run: &RunId) -> Option<Timestamp> {
    Some(journal::recover(&layout.journal(run)).ok()?.state.last_at)
}

/// Whether removing a run would cost somebody something: changes that it keeps, or the way to continue it.
fn is_held(project: &Project, run: &RunId) -> bool {
    let (layout, root) = (&project.layout, project.repository.root());
    let is_open = journal::recover(&layout.journal(run))
        .is_ok_and(|known| known.state.outcome().is_none_or(Outcome::resumable));
    let is_open = is_open && runs::has_workspace(layout, run);
    runs::holding(layout).contains(run)
        || is_open
        || runs::stash(layout, run).is_some()
        || !runs::unreturned(root, layout, run).is_empty()
        || !runs::kept_besides(root, layout, run).is_empty()
}

fn remove(project: &Project, found: &Found) -> Result<(), CommandError> {
    for one in &found.refs {
        project.repository.remove_leftover(one)?;
    }
    for folder in found.runs.iter().flat_map(|(_, _, folders)| folders) {
        runs::remove_folder(folder).map_err(CommandError::file("remove", folder))?;
    }
    Ok(())
}

/// `30 days`, `5h12m`.
fn length(time: Millis) -> String {
    match time.0 / 86_400_000 {
        days @ 2.. => words::count(days, "day"),
        _ => budget::round(time),
    }
}

impl Found {
    /// `3 refs and 2 runs`.
    fn counted(&self) -> String {
        let counts = [(self.refs.len(), "ref"), (self.runs.len(), "run")];
        let counts = counts.iter().filter(|(n, _)| *n > 0);
        let counts: Vec<String> = counts.map(|(n, one)| words::count(*n as u64, one)).collect();
        words::list(&counts)
    }

    fn shown(&self, args: &CleanArgs, now: Timestamp) -> Block {
        let age = |made: Timestamp| length(now.since(made));
        let mut block: Block = Vec::new();
        let mut line = |text: String| block.push(Entry::text(0, Tone::Plain, text));
        for one in &self.refs {
            let only = if one.is_merged { "" } else { ", the only copy" };
            line(format!("{}  {} old{only}", one.name, age(one.made)));
        }
        for (run, last, _) in &self.runs {
            line(format!("run {run}  {} old, with its logs", age(*last)));
        }
        if self.refs.is_empty() && self.runs.is_empty() {
            line(format!("nothing to remove that is older than {}", length(args.older_than.0)));
        }
        let mut note = |text: String| {
            block.push(Entry::led(Line::signed(Sign::Neutral), text));
        };
        if !self.unmerged.is_empty() {
            let names: Vec<&str> = self.unmerged.iter().map(|one| one.name.as_str()).collect();
            let refs = words::count_of(&names, "ref");
            note(format!(
                "kept: {refs} with the only copy of some work ({}); --delete-unmerged removes them too",
                words::few(&names, 3)
            ));
        }
        if !self.held.is_empty() {
            let names: Vec<&str> = self.held.iter().map(RunId::as_str).collect();
            let runs = words::count_of(&names, "run");
            note(format!(
                "kept: {runs} to resume, with changes of yours, or the latest ({})",
                words::few(&names, 3)
            ));
        }
        block
    }

    fn json(&self, is_dry: bool) -> serde_json::Value {
        let refs = |all: &[Leftover]| -> Vec<_> {
            all.iter()
                .map(|one| json!({"ref": one.name, "made": one.made, "merged": one.is_merged}))
                .collect()
        };
        let runs: Vec<_> =
            self.runs.iter().map(|(run, last, _)| json!({"run": run, "last": last})).collect();
        json!({
            "v": 1,
            "dry_run": is_dry,
            "refs": refs(&self.refs),
            "runs": runs,
            "unmerged": refs(&self.unmerged),
            "held": self.held,
        })
    }
}
