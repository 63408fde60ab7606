//! How a run ends: what was reached, what it cost, where the work is, what to type next.

use ralph_core::{
    event::RunStart,
    evidence::Label,
    ids::TaskId,
    next_command::next_command,
    outcome::Outcome,
    plan::Status,
    report::{Report, after_run},
    run::{Detail, RunState},
    time::Millis,
    timeline::Timeline,
    usage::Usage,
};

use super::call;
use crate::{
    exit,
    reporters::{
        block::{Block, Entry, dots},
        budget,
        line::{Line, Sign, Tone},
    },
    words,
};

/// Most tasks that are listed one by one.
const LISTED: usize = 20;

/// The last lines of a run.
pub(crate) fn finished(outcome: &Outcome, notes: &[String], timeline: &Timeline) -> Block {
    let Some(state) = timeline.state() else { return Vec::new() };
    let report = Report::of(state);
    let mut block = vec![Entry::Cut(Line::new()), headline(outcome, &report, timeline)];
    block.extend(unfinished(&report, timeline));
    block.push(Entry::text(2, Tone::Dim, figures(state, timeline)));
    block.extend(task_under_way(timeline));
    // The headline has counted what was done before.
    let known = Label::DoneBefore.describe();
    block.extend(report.weaker.iter().filter(|one| one.words != known).map(|one| {
        let tasks: Vec<&str> = one.tasks.iter().map(TaskId::as_str).collect();
        warning(format!("{}: {}", one.words, words::few(&tasks, LISTED)))
    }));
    block.extend(exposed(&report, timeline));
    block.extend(others(outcome, timeline));
    // The line of a given-up task has named its branch.
    let branches = report.failed.iter().map(|one| &one.branch);
    let branches: Vec<&String> =
        branches.chain(report.parked.iter().map(|one| &one.branch)).flatten().collect();
    // What is noted of a workspace on another machine is of no use on this one.
    let is_new = |note: &&String| {
        !timeline.is_elsewhere && !branches.iter().any(|branch| note.contains(branch.as_str()))
    };
    block.extend(notes.iter().filter(is_new).map(|note| Entry::text(2, Tone::Plain, note)));
    block.extend(branch(state, timeline));
    // A run that was refused before it touched anything leaves nothing behind, one of another machine nothing here.
    if (state.workspace.is_some() || state.is_planning()) && !timeline.is_elsewhere {
        let path = format!("report: .ralph/runs/{}/report.md", state.run);
        block.push(Entry::text(2, Tone::Dim, path));
    }
    block.extend(next(outcome, timeline).map(|next| Entry::next(2, next)));
    block
}

/// The exit code, with `--ok-on-limit` taken into account.
pub(crate) fn exit_code(outcome: &Outcome, start: Option<&RunStart>) -> u8 {
    start.map_or_else(|| outcome.exit_code(), |start| start.exit_code(outcome))
}

fn headline(outcome: &Outcome, report: &Report, timeline: &Timeline) -> Entry {
    let code = exit_code(outcome, timeline.start());
    let sign = match outcome {
        Outcome::Done | Outcome::Drafted => Sign::Ok,
        Outcome::Limit { .. } | Outcome::Stopped | Outcome::Interrupted { .. } => Sign::Warning,
        _ => Sign::Bad,
    };
    let counts = &report.counts;
    let mut parts = vec![format!("{} done", counts.done - counts.before)];
    for (n, word) in [
        (counts.before, "done before"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
        (counts.parked, if counts.parked == 1 { "waits for you" } else { "wait for you" }),
        (counts.blocked, "blocked"),
        (counts.open, "left"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    // A prompt is no task to count.
    parts.retain(|_| timeline.counts.total > 0);
    let mut line = Line::signed(sign).add(Tone::Bold, format!("run {}", report.run));
    if !parts.is_empty() {
        line = line.plain(format!("  {}", parts.join(" · ")));
    }
    Entry::Wrapped {
        lead: line.plain("  "),
        indent: 4,
        tone: Tone::Plain,
        text: match outcome {
            Outcome::Drafted => outcome.describe(),
            // The counts have said it, unless it ended before every task had its turn.
            Outcome::Done if !parts.is_empty() => format!("exit {code}"),
            Outcome::NeedsPerson { .. } if !parts.is_empty() && counts.open == 0 => {
                format!("exit {code}")
            }
            Outcome::Limit { .. } if code == exit::DONE => {
                format!("exit {code}: {}, as --ok-on-limit allows", timeline.describe(outcome))
            }
            _ => format!("exit {code}: {}", timeline.describe(outcome)),
        },
    }
}

/// `time 4m50s · cost $0.93 · …`
fn figures(state: &RunState, timeline: &Timeline) -> String {
    let (caps, counters) = (budget::of_run(timeline), &state.counters);
    let mut parts = vec![
        format!("time {}", caps.time(&timeline.took(state.last_at).to_string())),
        budget::spent(&state.usage, &caps),
    ];
    parts.extend(call::tools(counters.tools.into(), counters.tool_errors.into()));
    let iterations = words::count(counters.iterations.into(), "iteration");
    parts.push(match counters.rejected {
        0 => iterations,
        rejected => format!("{iterations}, {rejected} rejected"),
    });
    dots(&parts)
}

/// What the task that was under way has used of its own limits.
fn task_under_way(timeline: &Timeline) -> Option<Entry> {
    let task = &timeline.current.as_ref()?.start.task;
    timeline.status(task).filter(|status| !status.satisfies())?;
    let used = budget::used_by_task(timeline, task, (Usage::default(), Millis::default()))?;
    Some(Entry::text(2, Tone::Dim, format!("{task}: {used}")))
}

fn unfinished(report: &Report, timeline: &Timeline) -> Block {
    let line = |sign: Sign, task: &TaskId, text: String| {
        let lead = Line::new().plain("  ").sign(sign).add(Tone::Bold, format!(" {task} "));
        Entry::led(lead, text)
    };
    let why = |word: &str, why: &str, branch: Option<&str>| {
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let branch = branch.map(|branch| format!(" · branch {branch}")).unwrap_or_default();
        format!("{word}{why}{branch}")
    };
    let failed = report
        .failed
        .iter()
        .map(|one| line(Sign::Bad, &one.task, why("failed", &one.why, one.branch.as_deref())));
    let parked = report.parked.iter().map(|one| {
        line(Sign::Warning, &one.task, why("waits for you", &one.why, one.branch.as_deref()))
    });
    let blocked = report
        .blocked
        .iter()
        .map(|one| line(Sign::Neutral, &one.task, format!("blocked by {}", one.on)));
    let mut block: Block = parked.chain(failed).chain(blocked).collect();
    let hidden = block.len().saturating_sub(LISTED);
    block.truncate(LISTED);
    if hidden > 0 {
        let how = if timeline.is_elsewhere { "" } else { ": ralph status" };
        block.push(Entry::text(4, Tone::Dim, format!("and {hidden} more{how}")));
    }
    block
}

fn warning(text: String) -> Entry {
    Entry::led(Line::new().plain("  ").sign(Sign::Warning).plain(" "), text)
}

/// How many files of accepted work run by themselves. Which ones, and why, is in the report.
fn exposed(report: &Report, timeline: &Timeline) -> Option<Entry> {
    let count = report.exposed_files();
    (count > 0).then(|| {
        let files = words::count(count, "changed file");
        let how = if timeline.is_elsewhere { "" } else { ": see ralph report" };
        warning(format!("{files} can run on your machine{how}"))
    })
}

/// What the plan has besides the tasks that were named.
fn others(outcome: &Outcome, timeline: &Timeline) -> Option<Entry> {
    let open = timeline.others_open();
    let how = if timeline.is_elsewhere { "" } else { ": ralph run" };
    (open > 0 && *outcome == Outcome::Done)
        .then(|| Entry::text(2, Tone::Plain, format!("{}{how}", words::others_open(open))))
}

fn branch(state: &RunState, timeline: &Timeline) -> Block {
    let mut block = Vec::new();
    if let Some(workspace) = state.workspace.as_ref().filter(|one| !one.branch.is_empty()) {
        let held = format!(
            "branch {} has {} of this run",
            workspace.branch,
            words::count(timeline.commits.into(), "commit")
        );
        block.push(Entry::text(2, Tone::Plain, held));
    }
    let unaccepted = timeline.tasks.iter().filter(|(task, _)| {
        let has_none = |detail: &Detail| detail.branch.is_none() && detail.commits.is_empty();
        !timeline.status(task).is_some_and(Status::satisfies)
            && timeline.detail(task).is_none_or(has_none)
    });
    let kept = unaccepted.filter_map(|(task, known)| Some((task, known.kept.as_ref()?)));
    block.extend(kept.take(LISTED).map(|(task, kept)| {
        Entry::text(2, Tone::Plain, format!("unaccepted work on {task} is kept as {kept}"))
    }));
    block
}

/// What to type next, as far as the run itself knows: nothing for a run that is on another machine.
pub(crate) fn next(outcome: &Outcome, timeline: &Timeline) -> Option<String> {
    let state = timeline.state().filter(|_| !timeline.is_elsewhere)?;
    let next = next_command(&after_run(state, outcome));
    let next = if timeline.is_older { next.about_run(state.run.as_str()) } else { next };
    next.words()
}
