//! `ralph status` for people. Knows nothing of journals and plans.

use ralph_core::{evidence::Label, plan::Status, time::Millis};

use super::{
    view::{HeldView, RunView, StatusView, TaskView},
    words,
};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        clock,
        line::{Line, Sign, Tone},
        task_entry::{self, Standing},
    },
    words::{count, others_open},
};

/// Most tasks that are listed without `--verbose`.
pub(super) const LISTED: usize = 30;

/// The view for a person.
pub(super) fn status(view: &StatusView, zone: &jiff::tz::TimeZone, verbose: bool) -> Block {
    let mut block = Vec::new();
    block.extend(view.run.as_ref().map(headline));
    let summary = summary(view);
    if !summary.is_empty() {
        block.push(Entry::text(0, Tone::Plain, summary));
    }
    if let Some(run) = &view.run {
        block.extend(run_lines(run, zone));
    }
    if let Some(run) = &view.archived {
        let text = format!("run {run} was archived; see .ralph/archive");
        block.push(Entry::text(0, Tone::Plain, text));
    }
    let is_dead = view.run.as_ref().is_some_and(|run| !run.running);
    block.extend(tasks((&view.tasks, is_dead), if verbose { usize::MAX } else { LISTED }));
    if view.others_open > 0 {
        block.push(Entry::text(0, Tone::Plain, others_open(view.others_open)));
    }
    block.extend(words::untaken(&view.words_waiting));
    block.extend(view.held.iter().map(held_line));
    let kept = view.unreturned.iter();
    block.extend(kept.map(|one| Entry::signed(Sign::Warning, one.words())));
    block.push(Entry::next(0, &view.next));
    block
}

/// At most so many tasks. Finished ones give way first, so that what needs attention is always seen.
fn tasks((all, is_dead): (&[TaskView], bool), most: usize) -> Block {
    let is_open = |task: &&TaskView| !task.line.status.satisfies();
    let open = all.iter().filter(is_open).count();
    let mut skip = (all.len() - open).saturating_sub(most.saturating_sub(open));
    let mut shown: Vec<&TaskView> = Vec::new();
    for task in all {
        if !is_open(&task) && skip > 0 {
            skip -= 1;
        } else if shown.len() < most {
            shown.push(task);
        }
    }
    let mut block: Block = shown.iter().flat_map(|task| task_lines(task, is_dead)).collect();
    let hidden = all.len() - shown.len();
    if hidden > 0 {
        let more = format!("and {} more; -v shows all", count(hidden as u64, "task"));
        block.push(Entry::text(2, Tone::Dim, more));
    }
    block
}

/// What it is doing, or how it ended.
fn headline(run: &RunView) -> Entry {
    let state = if run.running && run.paused_since.is_some() {
        "paused by a person".to_owned()
    } else if run.running && run.is_to_pause {
        "running, pauses after this iteration".to_owned()
    } else if run.running {
        let task = run.task.as_ref().map(|task| format!(" {}", task.id));
        format!("running{}", task.unwrap_or_default())
    } else {
        match (&run.outcome, run.exit_code) {
            (Some(outcome), Some(code)) => format!("{outcome} (exit {code})"),
            _ => "interrupted".into(),
        }
    };
    let lead = Line::new().add(Tone::Bold, format!("run {}", run.id)).plain(" · ");
    Entry::led(lead, state)
}

fn run_lines(run: &RunView, zone: &jiff::tz::TimeZone) -> Block {
    let mut figures = vec![
        format!("began {}", clock::full(run.began, zone)),
        format!("{} of {}", count(run.iterations.into(), "iteration"), run.max_iterations),
        format!("{} rejected", run.rejected),
    ];
    figures.extend(run.caps.tokens(&run.usage));
    figures.push(format!("branch {}", run.branch));
    let mut block = vec![Entry::text(2, Tone::Dim, dots(&figures))];
    if let Some(used) = run.task.as_ref().and_then(|task| task.words.as_ref()) {
        block.push(Entry::text(2, Tone::Dim, used));
    }
    if let Some(until) = run.waiting_until {
        let text = format!("waiting until {}", clock::full(until, zone));
        block.push(Entry::signed(Sign::Waiting, text));
    }
    if let Some(since) = run.paused_since.filter(|_| run.running) {
        let text = format!("paused since {}; ralph resume continues it", clock::full(since, zone));
        block.push(Entry::signed(Sign::Waiting, text));
    }
    block.extend(words::held(&run.steering));
    block
}

/// A run that died, and what becomes of what it holds.
fn held_line(held: &HeldView) -> Entry {
    let run = &held.run;
    let text = match &held.stash {
        Some(stash) => format!(
            "run {run} still holds your uncommitted changes ({stash}): ralph resume continues it, \
             ralph stop ends it, and both restore them"
        ),
        None => format!(
            "run {run} was interrupted: ralph resume continues it, ralph stop ends it and cleans up"
        ),
    };
    Entry::signed(Sign::Warning, text)
}

/// Whether it needs somebody, how far it is, and what it took.
fn summary(view: &StatusView) -> String {
    let counts = &view.counts;
    let waits = |task: &&TaskView| task.line.status == Status::Parked && task.requests.is_empty();
    let imported = match counts.imported {
        0 => String::new(),
        imported => format!(" ({imported} {})", Label::ImportedAsDone.describe()),
    };
    let waits = match view.tasks.iter().filter(waits).count() {
        0 => None,
        1 => Some("1 waits for you".to_owned()),
        more => Some(format!("{more} wait for you")),
    };
    let mut parts: Vec<String> = waits.into_iter().collect();
    if counts.total > 0 {
        parts.push(format!("{} of {} done{imported}", counts.done, counts.total));
    }
    for (n, word) in
        [(counts.skipped, "skipped"), (counts.failed, "failed"), (counts.open, "to do")]
    {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    if let Some(run) = &view.run {
        parts.push(run.caps.time(&Millis(run.took_ms).to_string()));
        let money = run.caps.money(&run.usage);
        parts.push(money.unwrap_or_else(|| "cost not reported".into()));
    }
    dots(&parts)
}

fn task_lines(task: &TaskView, is_dead: bool) -> Block {
    let mut cells = Line::new();
    if let Some(commit) = &task.commit {
        cells = cells.dim(format!("  {commit}"));
    }
    if let Some(on) = &task.blocked_by {
        cells = cells.add(Tone::Warn, format!("  blocked by {on}"));
    }
    if let Some(branch) = &task.line.branch {
        cells = cells.plain(format!("  {branch}"));
    }
    let standing = Standing { attempts: task.tries, is_dead, requests: &task.requests };
    task_entry::lines(&task.line, &standing, cells)
}
