//! `ralph status`, and bare `ralph`: where the plan and the last run stand, and what to type next.

use std::collections::BTreeMap;

use ralph_core::{
    event::Source,
    ids::TaskId,
    plan::{Plan, Status, Task, formats::plan_json},
    time::Timestamp,
};
use serde::Serialize;

use crate::command_line::context::{Context, answer_json};
use crate::session::{place::Place, project::told};
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        clock,
        console::{exit_code, next_command, sentence},
        counts::Counts,
        line::{Line, Sign, Tone},
        tally::Tally,
    },
    words,
};

/// Most tasks that are listed without `--verbose`.
const LISTED: usize = 30;

/// Where things stand; what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct StatusView {
    pub(crate) v: u32,
    pub(crate) run: Option<RunView>,
    pub(crate) counts: CountsView,
    pub(crate) tasks: Vec<TaskView>,
    /// What to type next.
    pub(crate) next: String,
}

/// Counts of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct CountsView {
    pub(crate) total: usize,
    pub(crate) done: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
    pub(crate) open: usize,
}

/// The last run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunView {
    pub(crate) id: String,
    /// A process works on it now.
    pub(crate) running: bool,
    pub(crate) began: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) branch: String,
    pub(crate) iterations: u32,
    pub(crate) max_iterations: u32,
    pub(crate) rejected: u32,
    pub(crate) cost_usd_micros: u64,
    pub(crate) tokens: u64,
    pub(crate) waiting_until: Option<Timestamp>,
    pub(crate) outcome: Option<String>,
    pub(crate) exit_code: Option<u8>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TaskView {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: &'static str,
    pub(crate) tries: usize,
    pub(crate) why: String,
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) blocked_by: Option<String>,
}

impl StatusView {
    /// From a plan nobody has worked on yet.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        let tasks =
            plan.tasks.iter().map(|task| task_view(task, &Tally::default(), &BTreeMap::new()));
        Self {
            v: 1,
            run: None,
            counts: counts(Counts::of_plan(plan)),
            tasks: tasks.collect(),
            next: if plan.open_tasks() > 0 {
                "ralph run".into()
            } else {
                "every task is done or skipped; add tasks to .ralph/plan.json".into()
            },
        }
    }

    /// Without a plan and without a run.
    pub(crate) fn empty(has_settings: bool) -> Self {
        Self {
            v: 1,
            run: None,
            counts: CountsView::default(),
            tasks: Vec::new(),
            next: if has_settings {
                "write .ralph/plan.json (ralph init --example-plan shows how), then ralph run"
                    .into()
            } else {
                "ralph init".into()
            },
        }
    }

    /// From the last run.
    pub(crate) fn of_run(tally: &Tally, running: bool) -> Self {
        let start = tally.start();
        let blocked: BTreeMap<&TaskId, &TaskId> =
            tally.blocked().into_iter().map(|(task, on)| (&task.id, on)).collect();
        let tasks = start.map_or_else(Vec::new, |start| {
            start
                .plan
                .tasks
                .iter()
                .filter(|task| match &start.source {
                    Source::Tasks { ids } => ids.contains(&task.id),
                    Source::Plan | Source::Prompt { .. } => true,
                })
                .map(|task| task_view(task, tally, &blocked))
                .collect()
        });
        let outcome = tally.outcome.as_ref();
        let next = match (running, outcome) {
            (true, _) => "ralph stop, or wait".into(),
            (false, None) => "ralph resume".into(),
            (false, Some(outcome)) => {
                next_command(outcome, tally).unwrap_or_else(|| "git log".into())
            }
        };
        Self {
            v: 1,
            run: Some(RunView {
                id: tally.run.0.clone(),
                running,
                began: tally.began,
                last: tally.last,
                branch: start.map_or_else(String::new, |start| start.branch.clone()),
                iterations: tally.iterations,
                max_iterations: tally.max_iterations,
                rejected: tally.rejected,
                cost_usd_micros: tally.usage.cost.0,
                tokens: tally.usage.tokens(),
                waiting_until: tally.waiting.as_ref().map(|(until, _)| *until),
                outcome: outcome.map(sentence),
                exit_code: outcome.map(|outcome| exit_code(outcome, start)),
            }),
            counts: counts(tally.counts),
            tasks,
            next,
        }
    }

    /// The view for a person.
    pub(crate) fn render(&self, zone: &jiff::tz::TimeZone, verbose: bool) -> Block {
        let mut block = Vec::new();
        if let Some(run) = &self.run {
            block.extend(run_lines(run, zone));
        }
        if self.counts.total > 0 {
            block.push(Entry::text(0, Tone::Plain, summary(&self.counts)));
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
            block.push(task_line(task));
        }
        let hidden = self.tasks.len() - listed;
        if hidden > 0 {
            let more = format!("and {} more; -V shows all", words::count(hidden as u64, "task"));
            block.push(Entry::text(2, Tone::Dim, more));
        }
        block.push(Entry::Wrapped {
            lead: Line::new().add(Tone::Accent, "next: "),
            indent: 6,
            tone: Tone::Bold,
            text: self.next.clone(),
        });
        block
    }
}

fn counts(counts: Counts) -> CountsView {
    CountsView {
        total: counts.total,
        done: counts.done,
        skipped: counts.skipped,
        failed: counts.failed,
        parked: counts.parked,
        open: counts.open(),
    }
}

fn task_view(task: &Task, tally: &Tally, blocked: &BTreeMap<&TaskId, &TaskId>) -> TaskView {
    let row = tally.rows.get(&task.id);
    TaskView {
        id: task.id.0.clone(),
        title: task.title.clone(),
        status: tally.status_of(task).word(),
        tries: row.map_or(0, |row| row.tries.len()),
        why: row.map(|row| row.why.clone()).unwrap_or_default(),
        commit: row.and_then(|row| row.commit.as_ref()).map(|commit| commit.short().to_owned()),
        branch: row.and_then(|row| row.branch.clone()),
        labels: row.map_or_else(Vec::new, |row| {
            row.labels.iter().map(ralph_core::evidence::Label::describe).collect()
        }),
        blocked_by: blocked.get(&task.id).map(|on| on.0.clone()),
    }
}

fn run_lines(run: &RunView, zone: &jiff::tz::TimeZone) -> Block {
    let state = if run.running {
        "running".to_owned()
    } else {
        match (&run.outcome, run.exit_code) {
            (Some(outcome), Some(code)) => format!("{outcome} (exit {code})"),
            _ => "interrupted".into(),
        }
    };
    let figures = dots(&[
        format!("began {}", clock::full(run.began, zone)),
        format!("{} of {}", words::count(run.iterations.into(), "iteration"), run.max_iterations),
        format!("{} rejected", run.rejected),
        format!("cost {}", ralph_core::usage::MicroUsd(run.cost_usd_micros)),
        format!("branch {}", run.branch),
    ]);
    let lead = Line::new().add(Tone::Bold, format!("run {}", run.id)).plain(" · ");
    let mut block = vec![Entry::led(lead, state), Entry::text(2, Tone::Dim, figures)];
    if let Some(until) = run.waiting_until {
        let text = format!("waiting until {}", clock::full(until, zone));
        block.push(Entry::led(Line::signed(Sign::Waiting), text));
    }
    block
}

fn summary(counts: &CountsView) -> String {
    let mut parts = vec![format!("{} of {} done", counts.done, counts.total)];
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

fn task_line(task: &TaskView) -> Entry {
    let sign = match task.status {
        "done" => Sign::Ok,
        "failed" => Sign::Bad,
        "parked" => Sign::Warning,
        "in_progress" | "needs_review" | "changes_requested" => Sign::Going,
        _ => Sign::Neutral,
    };
    let mut after = Line::new().dim(task.status.replace('_', " "));
    if task.tries > 0 {
        after = after.dim(format!("  {}", words::count(task.tries as u64, "try")));
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
    Entry::Titled {
        before: Line::signed(sign).add(Tone::Bold, format!("{} ", task.id)),
        title: task.title.clone(),
        after,
    }
}

/// Runs `ralph status`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let view = view(context)?;
    if context.json {
        answer_json(&view)?;
    } else {
        let zone = context.stdout().zone;
        context.answer(&view.render(&zone, context.verbose))?;
    }
    Ok(exit::DONE)
}

fn view(context: &Context) -> Result<StatusView, CommandError> {
    let place = Place::find(&context.project_dir)?;
    let running = ralph_engine::journal::Lock::current(&place.layout.lock()).is_some();
    match place.run(None) {
        Ok(run) => Ok(StatusView::of_run(&place.tally(&run)?, running)),
        Err(CommandError::NoRun) => without_run(&place),
        Err(error) => Err(error),
    }
}

fn without_run(place: &Place) -> Result<StatusView, CommandError> {
    let path = place.layout.plan();
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let plan = plan_json::parse(&text).map_err(|error| {
                let what = format!("{}: {error}", path.display());
                told(what, Vec::new(), error.help(), exit::USAGE)
            })?;
            Ok(StatusView::of_plan(&plan))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let views = place.layout.views();
            let has_settings =
                ["settings.toml", "settings.json"].iter().any(|name| views.join(name).is_file());
            Ok(StatusView::empty(has_settings))
        }
        Err(source) => Err(CommandError::File { doing: "read", path, source }),
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
