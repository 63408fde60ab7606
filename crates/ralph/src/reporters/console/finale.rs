//! How a run ends: what was reached, what it cost, where the work is, what to type next.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::{
    event::{RunStart, Source},
    evidence::Label,
    outcome::Outcome,
    plan::{Status, Task},
    time::Millis,
    usage::Usage,
};

use super::planning;
use crate::{
    exit,
    reporters::{
        block::{Block, Entry, dots},
        budget,
        line::{Line, Sign, Tone},
        tally::Tally,
    },
    words,
};

/// Most tasks that are listed one by one.
const LISTED: usize = 20;

/// The last lines of a run.
pub(crate) fn finished(outcome: &Outcome, notes: &[String], tally: &Tally) -> Block {
    let code = exit_code(outcome, tally.start());
    let mut block = vec![Entry::Cut(Line::new())];
    block.push(headline(outcome, code, tally));
    if *outcome != Outcome::Drafted {
        block.push(Entry::text(2, Tone::Plain, tally.describe(outcome)));
    }
    block.push(Entry::text(2, Tone::Dim, figures(tally)));
    block.extend(task_under_way(tally));
    block.extend(unfinished(tally));
    block.extend(weaker(tally));
    block.extend(exposed(tally));
    block.extend(others(outcome, tally));
    block.extend(notes.iter().map(|note| Entry::text(2, Tone::Plain, note)));
    block.extend(branch(tally));
    let report = format!("report: .ralph/runs/{}/report.md", tally.run);
    block.push(Entry::text(2, Tone::Dim, report));
    if let Some(next) = next(outcome, tally) {
        block.push(Entry::Wrapped {
            lead: Line::new().add(Tone::Accent, "  next: "),
            indent: 8,
            tone: Tone::Bold,
            text: next,
        });
    }
    block
}

/// The exit code, with `--ok-on-limit` taken into account.
pub(crate) fn exit_code(outcome: &Outcome, start: Option<&RunStart>) -> u8 {
    start.map_or_else(|| outcome.exit_code(), |start| start.exit_code(outcome))
}

fn headline(outcome: &Outcome, code: u8, tally: &Tally) -> Entry {
    let sign = match outcome {
        Outcome::Done | Outcome::Drafted => Sign::Ok,
        Outcome::Limit { .. } | Outcome::Stopped | Outcome::Interrupted { .. } => Sign::Warning,
        _ => Sign::Bad,
    };
    let mut parts = Vec::new();
    let counts = tally.counts;
    let blocked = tally.blocked().len();
    let left = counts.open().saturating_sub(blocked);
    for (n, word) in [
        (counts.done, "done"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
        (counts.parked, "waiting for a person"),
        (blocked, "blocked"),
        (left, "left"),
    ] {
        if n > 0 || (word == "done" && counts.total > 0) {
            parts.push(format!("{n} {word}"));
        }
    }
    let mut line = Line::signed(sign).add(Tone::Bold, format!("run {}", tally.run));
    if !parts.is_empty() {
        line = line.plain(format!("  {}", parts.join(" · ")));
    }
    Entry::Wrapped {
        lead: line.plain("  "),
        indent: 4,
        tone: Tone::Dim,
        text: match outcome {
            Outcome::Drafted => outcome.describe(),
            Outcome::Limit { .. } if code == exit::DONE => {
                format!("exit {code}: {}, as --ok-on-limit allows", exit::meaning(exit::UNFINISHED))
            }
            _ => format!("exit {code}: {}", exit::meaning(code)),
        },
    }
}

/// `time 4m50s · cost $0.93 · …`
pub(crate) fn figures(tally: &Tally) -> String {
    let caps = tally.caps();
    let mut parts = vec![
        format!("time {}", caps.time(&tally.took(tally.last).to_string())),
        budget::spent(&tally.usage, &caps),
        format!(
            "{}, {}",
            words::count(tally.tools, "tool call"),
            words::count(tally.tool_errors, "error")
        ),
    ];
    let iterations = words::count(tally.iterations.into(), "iteration");
    parts.push(if tally.rejected > 0 {
        format!("{iterations}, {} rejected", tally.rejected)
    } else {
        iterations
    });
    dots(&parts)
}

/// What the task that was under way has used of its own limits.
fn task_under_way(tally: &Tally) -> Option<Entry> {
    let task = &tally.current.as_ref()?.start.task;
    let is_open = !tally.rows.get(task)?.status.is_some_and(Status::satisfies);
    let used = tally.task_used(task, Usage::default(), Millis::default()).filter(|_| is_open)?;
    Some(Entry::text(2, Tone::Dim, format!("{task}: {used}")))
}

fn unfinished(tally: &Tally) -> Block {
    let mut block = Vec::new();
    for (task, row) in &tally.rows {
        let word = match row.status {
            Some(Status::Failed) => "failed",
            Some(Status::Parked) => "waits for a person",
            _ => continue,
        };
        let mut text = format!("{word}: {}", row.why);
        if let Some(branch) = &row.branch {
            text = format!("{text} · branch {branch}");
        }
        let lead = Line::new().plain("  ").sign(Sign::Bad).add(Tone::Bold, format!(" {task} "));
        block.push(Entry::led(lead, text));
    }
    for (task, on) in tally.blocked() {
        let lead =
            Line::new().plain("  ").sign(Sign::Neutral).add(Tone::Bold, format!(" {} ", task.id));
        block.push(Entry::led(lead, format!("blocked by {on}")));
    }
    let hidden = block.len().saturating_sub(LISTED);
    block.truncate(LISTED);
    if hidden > 0 {
        block.push(Entry::text(4, Tone::Dim, format!("and {hidden} more: ralph status")));
    }
    block
}

/// Everything that is weaker than proof, with the tasks it holds for.
fn weaker(tally: &Tally) -> Block {
    let finished = tally.rows.iter().filter(|(_, row)| row.status.is_none_or(Status::satisfies));
    let mut unreviewed = 0;
    let mut without_review = Vec::new();
    let mut others: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, row) in finished {
        for label in &row.labels {
            if let Label::Unreviewed { criteria } = label {
                unreviewed += criteria;
                without_review.push(id.as_str());
            } else {
                others.entry(label.describe()).or_default().push(id.as_str());
            }
        }
    }
    if unreviewed > 0 {
        let label = Label::Unreviewed { criteria: unreviewed };
        others.insert(label.describe(), without_review);
    }
    let imported: Vec<&str> = tally.imported().iter().map(|id| id.as_str()).collect();
    if !imported.is_empty() {
        others.insert(Label::ImportedAsDone.describe(), imported);
    }
    others
        .iter()
        .map(|(label, tasks)| {
            let lead = Line::new().plain("  ").sign(Sign::Warning).plain(" ");
            Entry::led(lead, format!("{label}: {}", words::few(tasks, LISTED)))
        })
        .collect()
}

/// How many files of accepted work run by themselves. Which ones, and why, is in the report.
fn exposed(tally: &Tally) -> Option<Entry> {
    let files: BTreeSet<&str> =
        tally.rows.values().flat_map(|row| &row.exposed).map(String::as_str).collect();
    let more: u64 = tally.rows.values().map(|row| row.exposed_more).sum();
    let count = files.len() as u64 + more;
    (count > 0).then(|| {
        let lead = Line::new().plain("  ").sign(Sign::Warning).plain(" ");
        let files = words::count(count, "changed file");
        Entry::led(lead, format!("{files} can run on your machine: see ralph report"))
    })
}

/// What the plan has besides the tasks that were named.
fn others(outcome: &Outcome, tally: &Tally) -> Option<Entry> {
    let open = tally.others_open();
    (open > 0 && *outcome == Outcome::Done)
        .then(|| Entry::text(2, Tone::Plain, format!("{}: ralph run", words::others_open(open))))
}

fn branch(tally: &Tally) -> Block {
    let mut block = Vec::new();
    if let Some(workspace) = tally.workspace.as_ref().filter(|one| !one.branch.is_empty()) {
        let held = format!(
            "branch {} has {} of this run",
            workspace.branch,
            words::count(tally.commits.into(), "commit")
        );
        let from = if workspace.came_from.is_empty() || workspace.came_from == workspace.branch {
            String::new()
        } else {
            format!("; you came from {}", workspace.came_from)
        };
        block.push(Entry::text(2, Tone::Plain, format!("{held}{from}")));
    }
    let open = tally.rows.iter().filter(|(_, row)| {
        row.branch.is_none() && !row.status.is_some_and(Status::satisfies) && row.commit.is_none()
    });
    for (task, row) in open.take(LISTED) {
        if let Some(kept) = &row.kept {
            block.push(Entry::text(
                2,
                Tone::Plain,
                format!("unaccepted work on {task} is kept as {kept}"),
            ));
        }
    }
    block
}

/// The command to type next.
pub(crate) fn next(outcome: &Outcome, tally: &Tally) -> Option<String> {
    if tally.start().is_some_and(|start| matches!(start.source, Source::Planning { .. })) {
        return planning::next(outcome);
    }
    match outcome {
        Outcome::Done | Outcome::Drafted => {
            let workspace = tally.workspace.as_ref()?;
            if workspace.came_from.is_empty() || workspace.came_from == workspace.branch {
                return None;
            }
            Some(format!("git diff {}...{}", workspace.came_from, workspace.branch))
        }
        Outcome::Limit { which } if which.contains("iteration") => {
            Some(format!("ralph resume -n {}", tally.max_iterations.saturating_mul(2)))
        }
        Outcome::Limit { which } => {
            let setting = limit_setting(which);
            Some(format!("raise {setting} in the settings, then ralph resume --reload-settings"))
        }
        Outcome::Stopped | Outcome::Interrupted { .. } => Some("ralph resume".into()),
        Outcome::NeedsPerson { .. } => for_person(tally),
        Outcome::AgentUnusable { help, .. }
        | Outcome::Workspace { help, .. }
        | Outcome::Preflight { help, .. }
        | Outcome::Refused { help, .. } => {
            let again = match tally.start().map(|start| &start.source) {
                _ if help.contains("ralph resume") => "",
                None => "",
                // A run that was refused before it touched anything is none.
                Some(_) if tally.workspace.is_none() => ", then ralph run",
                Some(_) => ", then ralph resume",
            };
            (!help.is_empty()).then(|| format!("{help}{again}"))
        }
        Outcome::Bug { .. } => Some(format!(
            "ralph resume; if it happens again, report it with the journal of run {}",
            tally.run
        )),
    }
}

/// The setting behind a limit of a run, from the words that the limit is told in.
fn limit_setting(which: &str) -> &'static str {
    if which.contains("spent") {
        "limits.max_cost_usd"
    } else if which.contains("tokens") {
        "limits.max_tokens"
    } else {
        "limits.max_duration"
    }
}

/// A question is what a person can answer at once, so it comes before everything else.
fn for_person(tally: &Tally) -> Option<String> {
    // Of the whole plan: what an earlier run gave up waits for a person all the same.
    let tasks = tally.plan().map_or(&[][..], |plan| &plan.tasks);
    let find = |is: Status| tasks.iter().filter(move |task| tally.status_of(task) == is);
    let asks = |task: &&Task| tally.rows.get(&task.id).is_some_and(|row| row.question.is_some());
    if let Some(Task { id, .. }) = find(Status::Parked).find(asks) {
        return Some(format!("ralph task answer {id} \"…\""));
    }
    let can_retry = |task: &&Task| tally.rows.get(&task.id).is_some_and(|row| row.agent_failed);
    if let Some(Task { id, .. }) = find(Status::Parked).find(|task| !can_retry(task)) {
        return Some(format!("ralph task show {id}, then ralph task approve {id}"));
    }
    let mut to_retry = find(Status::Failed).chain(find(Status::Parked));
    if let Some(Task { id, .. }) = to_retry.next() {
        return Some(format!("ralph task show {id}, then ralph task retry {id}"));
    }
    tally.has_proposals().then(|| "ralph task proposals".into())
}
