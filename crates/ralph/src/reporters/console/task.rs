//! Lines about tasks: begun, done, given up, waiting for a person.

use ralph_core::{
    event::IterationStart,
    evidence::Label,
    ids::{CommitId, TaskId},
    plan::Status,
    run::Detail,
    timeline::{TaskTimeline, Timeline, proved},
    usage::Usage,
    vocabulary::Kind,
};

use super::header;
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        budget::Caps,
        line::{Line, Sign, Tone},
    },
    words,
};

/// An iteration begins.
pub(crate) fn begun(start: &IterationStart) -> Entry {
    let agent = header::agent(&start.agent, &start.model);
    let mut after = Line::new();
    let before = match start.kind {
        Kind::Implement => {
            after = after.plain(format!("attempt {}/{}  ", start.attempt, start.max_attempts));
            Line::signed(Sign::Going).add(Tone::Bold, format!("{} ", start.task))
        }
        Kind::Fix => {
            after = after.plain(format!("fix, attempt {}/{}  ", start.attempt, start.max_attempts));
            Line::signed(Sign::Going).add(Tone::Bold, format!("{} ", start.task))
        }
        Kind::Review | Kind::Apply | Kind::Compact => {
            after = after.plain(format!("{}  ", start.kind.word()));
            Line::signed(Sign::Going).add(Tone::Bold, format!("{} ", start.task))
        }
        Kind::Prompt | Kind::Plan => Line::signed(Sign::Going),
    };
    after = after.dim(format!("iteration {}", start.iteration));
    if start.kind != Kind::Apply {
        after = after.dim(format!("  {agent}"));
    }
    if start.retry > 0 {
        after = after.add(Tone::Warn, format!("  retry {}, not charged", start.retry));
    }
    Entry::Titled { before, title: start.title.clone(), after }
}

/// A task reached another status.
pub(crate) fn moved(task: &TaskId, to: Status, timeline: &Timeline) -> Block {
    let detail = timeline.detail(task).cloned().unwrap_or_default();
    let known = timeline.tasks.get(task).cloned().unwrap_or_default();
    match to {
        Status::Done => done(task, (&detail, &known), timeline.title(task)),
        Status::Failed => failed(task, (&detail, &known), timeline),
        Status::Parked => parked(task, &detail),
        Status::Skipped => {
            let why = match detail.why.as_str() {
                "" => " skipped".to_owned(),
                why => format!(" skipped: {why}"),
            };
            let line = Line::signed(Sign::Neutral).add(Tone::Bold, task.as_str()).plain(why);
            vec![Entry::Cut(line)]
        }
        Status::NeedsReview => vec![passed(task, (&detail, &known))],
        Status::Pending | Status::InProgress | Status::ChangesRequested => Vec::new(),
    }
}

/// The gates accept the work; a reviewer has not seen it yet.
fn passed(task: &TaskId, (detail, known): (&Detail, &TaskTimeline)) -> Entry {
    let mut line = Line::signed(Sign::Neutral).add(Tone::Bold, task.as_str()).plain(" passed");
    line = line.join(gates(known));
    if let Some(commit) = detail.commits.last() {
        line = line.dim(format!("  {}", commit.short()));
    }
    Entry::Cut(line.plain("  a review follows"))
}

fn gates(known: &TaskTimeline) -> Line {
    let mut line = Line::new();
    for (nth, (gate, passed)) in known.gates.iter().enumerate() {
        let sign = if *passed { Sign::Ok } else { Sign::Bad };
        let gap = if nth == 0 { "  " } else { " " };
        line = line.plain(format!("{gap}{gate} ")).sign(sign);
    }
    line
}

fn done(task: &TaskId, (detail, known): (&Detail, &TaskTimeline), title: &str) -> Block {
    let mut after = Line::new().dim(format!(
        "{:<10}  {:>6}  {:>6}",
        words::count(detail.attempts.into(), "attempt"),
        detail.time.plus(known.gate_time).to_string(),
        cost(&detail.usage)
    ));
    after = after.join(gates(known));
    if let Some(approved) = known.reviewed {
        after = after.plain("  review ").sign(if approved { Sign::Ok } else { Sign::Bad });
    }
    if !detail.evidence.is_empty() {
        let (proved, all) = (proved(detail), detail.evidence.len());
        let tone = if proved == all { Tone::Plain } else { Tone::Warn };
        after = after.add(tone, format!("  {proved}/{all} criteria"));
    }
    after = match detail.commits.last() {
        Some(commit) => after.dim(format!("  {}", commit.short())),
        None => after.dim("  no change needed"),
    };
    let mut block = vec![Entry::Titled {
        before: Line::signed(Sign::Ok).add(Tone::Bold, format!("{task} ")),
        title: title.to_owned(),
        after,
    }];
    block.extend(labels(detail));
    block
}

/// Everything about a task that is weaker than proof.
fn labels(detail: &Detail) -> Option<Entry> {
    let labels: Vec<String> = detail.labels.iter().map(Label::describe).collect();
    (!labels.is_empty()).then(|| Entry::text(4, Tone::Warn, labels.join(" · ")))
}

fn failed(task: &TaskId, (detail, known): (&Detail, &TaskTimeline), timeline: &Timeline) -> Block {
    let lead = Line::signed(Sign::Bad)
        .add(Tone::Bold, task.as_str())
        .add(Tone::Bad, " failed")
        .plain(": ");
    let mut parts = vec![detail.why.clone()];
    if let (None, Some(kept)) = (&detail.branch, &known.kept) {
        parts.push(format!("kept as {kept}"));
    }
    let blocked = timeline.blocked();
    let waiting = blocked.iter().filter(|(_, on)| *on == task);
    let waiting: Vec<&str> = waiting.map(|(blocked, _)| blocked.id.as_str()).collect();
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {verb} for it", words::few(&waiting, 5)));
    }
    vec![Entry::led(lead, dots(&parts))]
}

/// Where a given-up task's work is.
pub(crate) fn kept_on(branch: &str) -> Entry {
    Entry::text(4, Tone::Plain, format!("its work is on branch {branch}"))
}

fn parked(task: &TaskId, detail: &Detail) -> Block {
    let lead = Line::signed(Sign::Warning)
        .add(Tone::Bold, task.as_str())
        .add(Tone::Warn, " waits for you")
        .plain(": ");
    // The line of the question says what it waits for and how to answer.
    if detail.question.is_some() {
        return Vec::new();
    }
    vec![Entry::led(lead, detail.why.as_str())]
}

/// A prompt run's accepted iteration.
pub(crate) fn committed(
    iteration: u32,
    commit: &CommitId,
    task: &TaskId,
    timeline: &Timeline,
) -> Block {
    let mut line = Line::signed(Sign::Ok).plain(format!("iteration {iteration} accepted"));
    for (gate, passed) in timeline.tasks.get(task).into_iter().flat_map(|known| &known.gates) {
        let sign = if *passed { Sign::Ok } else { Sign::Bad };
        line = line.plain(format!("  {gate} ")).sign(sign);
    }
    let mut block = vec![Entry::Cut(line.dim(format!("  {}", commit.short())))];
    block.extend(timeline.detail(task).and_then(labels));
    block
}

/// Money, or a mark where the agent does not report any.
fn cost(usage: &Usage) -> String {
    Caps::default().money(usage).unwrap_or_else(|| "-".into())
}
