//! What a person sees of where things stand. Knows nothing of journals and plans.

use ralph_core::{evidence::Label, plan::Status, time::Millis};

use super::{CountsView, HeldView, RunView, StatusView, TaskView, UsedView, budget::usage, words};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        clock,
        line::{Line, Sign, Tone},
    },
    words::{asked, count, others_open},
};

/// Most tasks that are listed without `--verbose`.
pub(super) const LISTED: usize = 30;

impl StatusView {
    /// The view for a person.
    pub(crate) fn render(&self, zone: &jiff::tz::TimeZone, verbose: bool) -> Block {
        let mut block = Vec::new();
        if let Some(run) = &self.run {
            block.extend(run_lines(run, zone));
        }
        if self.counts.total > 0 {
            block.push(Entry::text(0, Tone::Plain, summary(&self.counts)));
        }
        if let Some(run) = &self.archived {
            let text = format!("run {run} was archived with its plan; see .ralph/archive");
            block.push(Entry::text(0, Tone::Plain, text));
        }
        // Finished tasks give way first, so that what needs attention is always seen.
        let most = if verbose { usize::MAX } else { LISTED };
        let interesting = |task: &&TaskView| !matches!(task.status, "done" | "skipped");
        let room = most.saturating_sub(self.tasks.iter().filter(interesting).count());
        let finished = self.tasks.iter().filter(|task| !interesting(task)).count();
        let mut skip = finished.saturating_sub(room);
        let mut listed = 0;
        for task in &self.tasks {
            if !interesting(&task) && skip > 0 {
                skip -= 1;
                continue;
            }
            if listed == most {
                break;
            }
            listed += 1;
            block.extend(task_lines(task));
        }
        let hidden = self.tasks.len() - listed;
        if hidden > 0 {
            let more = format!("and {} more; -V shows all", count(hidden as u64, "task"));
            block.push(Entry::text(2, Tone::Dim, more));
        }
        if self.others_open > 0 {
            block.push(Entry::text(0, Tone::Plain, others_open(self.others_open)));
        }
        block.extend(words::untaken(&self.words_waiting));
        block.extend(self.held.iter().map(held_line));
        let kept = self.unreturned.iter();
        block.extend(kept.map(|one| Entry::led(Line::signed(Sign::Warning), one.words())));
        block.push(Entry::Wrapped {
            lead: Line::new().add(Tone::Accent, "next: "),
            indent: 6,
            tone: Tone::Bold,
            text: self.next.clone(),
        });
        block
    }
}

fn run_lines(run: &RunView, zone: &jiff::tz::TimeZone) -> Block {
    let state = if run.running && run.paused_since.is_some() {
        "paused by a person".to_owned()
    } else if run.running && run.is_to_pause {
        "running, pauses after this iteration".to_owned()
    } else if run.running {
        "running".to_owned()
    } else {
        match (&run.outcome, run.exit_code) {
            (Some(outcome), Some(code)) => format!("{outcome} (exit {code})"),
            _ => "interrupted".into(),
        }
    };
    let caps = run.limits.caps();
    let usage = usage(run.cost_usd_micros, run.cost_is_estimate, run.tokens);
    let mut figures = vec![
        format!("began {}", clock::full(run.began, zone)),
        format!("{} of {}", count(run.iterations.into(), "iteration"), run.max_iterations),
        format!("{} rejected", run.rejected),
        caps.time(&Millis(run.took_ms).to_string()),
    ];
    figures.extend(caps.money(&usage));
    figures.extend(caps.tokens(&usage));
    figures.push(format!("branch {}", run.branch));
    let figures = dots(&figures);
    let lead = Line::new().add(Tone::Bold, format!("run {}", run.id)).plain(" · ");
    let mut block = vec![Entry::led(lead, state), Entry::text(2, Tone::Dim, figures)];
    if let Some(used) = run.task.as_ref().and_then(UsedView::words) {
        block.push(Entry::text(2, Tone::Dim, used));
    }
    if let Some(until) = run.waiting_until {
        let text = format!("waiting until {}", clock::full(until, zone));
        block.push(Entry::led(Line::signed(Sign::Waiting), text));
    }
    if let Some(since) = run.paused_since.filter(|_| run.running) {
        let text = format!("paused since {}; ralph resume goes on", clock::full(since, zone));
        block.push(Entry::led(Line::signed(Sign::Waiting), text));
    }
    block.extend(words::held(&run.steering));
    block
}

/// A run that died, and what becomes of what it holds.
fn held_line(held: &HeldView) -> Entry {
    let (run, ends) = (&held.run, "ralph stop ends it and leaves the files in order");
    let text = match &held.stash {
        Some(stash) => format!(
            "run {run} holds your changes from before it ({stash}): ralph resume goes on with it, \
             ralph stop ends it, and either brings them back"
        ),
        None => format!("run {run} was interrupted: ralph resume goes on with it, {ends}"),
    };
    Entry::led(Line::signed(Sign::Warning), text)
}

fn summary(counts: &CountsView) -> String {
    let imported = match counts.imported {
        0 => String::new(),
        imported => format!(" ({imported} {})", Label::ImportedAsDone.describe()),
    };
    let mut parts = vec![format!("{} of {} done{imported}", counts.done, counts.total)];
    for (n, word) in [
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
        (counts.parked, "waiting for a person"),
        (counts.open, "to do"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    dots(&parts)
}

fn task_lines(task: &TaskView) -> Block {
    let sign = match task.status {
        "done" => Sign::Ok,
        "failed" => Sign::Bad,
        "parked" => Sign::Warning,
        "in_progress" | "needs_review" | "changes_requested" => Sign::Going,
        _ => Sign::Neutral,
    };
    let mut after = Line::new().dim(task.status.replace('_', " "));
    if task.tries > 0 {
        after = after.dim(format!("  {}", count(task.tries.into(), "try")));
    }
    if task.reviews > 0 {
        after = after.dim(format!("  {}", count(task.reviews.into(), "review")));
    }
    if let Some(commit) = &task.commit {
        after = after.dim(format!("  {commit}"));
    }
    if let Some(on) = &task.blocked_by {
        after = after.add(Tone::Warn, format!("  blocked by {on}"));
    }
    if let Some(branch) = &task.branch {
        after = after.plain(format!("  {branch}"));
    }
    if !task.labels.is_empty() && task.status == Status::Done.word() {
        after = after.add(Tone::Warn, format!("  {}", task.labels.join(", ")));
    }
    let title = Entry::Titled {
        before: Line::signed(sign).add(Tone::Bold, format!("{} ", task.id)),
        title: task.title.clone(),
        after,
    };
    let asks = task.question.as_ref().map(|question| asked(question, task.status));
    let waits = matches!(task.status, "parked" | "changes_requested") && !task.why.is_empty();
    let told = asks.or_else(|| waits.then(|| task.why.clone()));
    let told = told.map(|text| Entry::text(4, Tone::Plain, text));
    std::iter::once(title).chain(told).collect()
}
