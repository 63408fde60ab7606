//! Lines about tasks: begun, done, given up, waiting for a person.

use ralph_core::{
    event::IterationStart,
    ids::{CommitId, TaskId},
    plan::Status,
    usage::Usage,
    vocabulary::Kind,
};

use super::header;
use crate::{
    reporters::{
        block::{Block, Entry},
        budget::Caps,
        line::{Line, Sign, Tone},
        tally::{Row, Tally},
    },
    words,
};

/// An iteration begins.
pub(crate) fn begun(start: &IterationStart) -> Entry {
    let agent = header::agent(&start.agent, &start.model);
    let mut after = Line::new();
    let before = match start.kind {
        Kind::Implement => {
            after = after.plain(format!("try {}/{}  ", start.attempt, start.max_attempts));
            Line::signed(Sign::Going).add(Tone::Bold, format!("{} ", start.task))
        }
        Kind::Fix => {
            after = after.plain(format!("fix, try {}/{}  ", start.attempt, start.max_attempts));
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
        after = after.add(Tone::Warn, format!("  start {} of it, not charged", start.retry + 1));
    }
    Entry::Titled { before, title: start.title.clone(), after }
}

/// A task reached another status.
pub(crate) fn moved(task: &TaskId, to: Status, tally: &Tally) -> Block {
    let row = tally.rows.get(task).cloned().unwrap_or_default();
    match to {
        Status::Done => done(task, &row, tally),
        Status::Failed => failed(task, &row, tally),
        Status::Parked => parked(task, &row),
        Status::Skipped => {
            vec![Entry::Cut(Line::signed(Sign::Neutral).add(Tone::Bold, task.as_str()).plain(
                if row.why.is_empty() {
                    " skipped".to_owned()
                } else {
                    format!(" skipped: {}", row.why)
                },
            ))]
        }
        Status::NeedsReview => vec![passed(task, &row)],
        Status::Pending | Status::InProgress | Status::ChangesRequested => Vec::new(),
    }
}

/// The gates accept the work; a reviewer has not seen it yet.
fn passed(task: &TaskId, row: &Row) -> Entry {
    let mut line = Line::signed(Sign::Neutral).add(Tone::Bold, task.as_str()).plain(" passed");
    line = line.join(gates(row));
    if let Some(commit) = &row.commit {
        line = line.dim(format!("  {}", commit.short()));
    }
    Entry::Cut(line.plain("  a review follows"))
}

fn gates(row: &Row) -> Line {
    let mut line = Line::new();
    for (nth, (gate, passed)) in row.gates.iter().enumerate() {
        let sign = if *passed { Sign::Ok } else { Sign::Bad };
        let gap = if nth == 0 { "  " } else { " " };
        line = line.plain(format!("{gap}{gate} ")).sign(sign);
    }
    line
}

fn done(task: &TaskId, row: &Row, tally: &Tally) -> Block {
    let mut after = Line::new().dim(format!(
        "{:<7}  {:>6}  {:>6}",
        words::count_of(&row.tries, "try"),
        row.spent.to_string(),
        cost(&row.usage)
    ));
    after = after.join(gates(row));
    if let Some(approved) = row.reviewed {
        after = after.plain("  review ").sign(if approved { Sign::Ok } else { Sign::Bad });
    }
    if !row.evidence.is_empty() {
        let (proved, all) = (row.proved(), row.evidence.len());
        let tone = if proved == all { Tone::Plain } else { Tone::Warn };
        after = after.add(tone, format!("  {proved}/{all} criteria"));
    }
    after = match &row.commit {
        Some(commit) => after.dim(format!("  {}", commit.short())),
        None => after.dim("  no change needed"),
    };
    let mut block = vec![Entry::Titled {
        before: Line::signed(Sign::Ok).add(Tone::Bold, format!("{task} ")),
        title: tally.title(task),
        after,
    }];
    if let Some(labels) = labels(row) {
        block.push(Entry::text(4, Tone::Warn, labels));
    }
    block
}

/// Everything about a row that is weaker than proof.
pub(crate) fn labels(row: &Row) -> Option<String> {
    let labels: Vec<String> =
        row.labels.iter().map(ralph_core::evidence::Label::describe).collect();
    (!labels.is_empty()).then(|| labels.join(" · "))
}

fn failed(task: &TaskId, row: &Row, tally: &Tally) -> Block {
    let lead = Line::signed(Sign::Warning)
        .add(Tone::Bold, task.as_str())
        .add(Tone::Bad, " failed")
        .plain(": ");
    let mut block =
        vec![Entry::led(lead, format!("{} · {}", row.why, words::count_of(&row.tries, "try")))];
    match (&row.branch, &row.kept) {
        (Some(branch), _) => block.push(kept_on(branch)),
        (None, Some(kept)) => block.push(Entry::text(4, Tone::Plain, format!("kept as {kept}"))),
        (None, None) => {}
    }
    let waiting: Vec<&str> = tally
        .blocked()
        .into_iter()
        .filter(|(_, on)| *on == task)
        .map(|(blocked, _)| blocked.id.as_str())
        .collect();
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        block.push(Entry::text(
            4,
            Tone::Plain,
            format!("{} {verb} for {task}", words::few(&waiting, 5)),
        ));
    }
    block.push(help_to_retry(task));
    block
}

/// Where a given-up task's work is.
pub(crate) fn kept_on(branch: &str) -> Entry {
    Entry::text(4, Tone::Plain, format!("its work is on branch {branch}"))
}

fn parked(task: &TaskId, row: &Row) -> Block {
    let lead = Line::signed(Sign::Warning)
        .add(Tone::Bold, task.as_str())
        .add(Tone::Warn, " waits for a person")
        .plain(": ");
    let why = if row.question.is_some() { "it asks a question" } else { row.why.as_str() };
    let mut block = vec![Entry::led(lead, why)];
    block.extend(row.branch.as_deref().map(kept_on));
    // The line of the question has said how to answer it.
    let help = match &row.question {
        Some(_) => return block,
        None if row.agent_failed => format!(
            "help: ralph logs {task} shows the failed calls; ralph task retry {task} starts the task over"
        ),
        None => format!(
            "help: ralph task show {task}, then ralph task approve {task}, or ralph task answer {task} \"…\" to \
             have it go on, or ralph task retry {task}"
        ),
    };
    block.push(Entry::text(4, Tone::Dim, help));
    block
}

fn help_to_retry(task: &TaskId) -> Entry {
    Entry::text(
        4,
        Tone::Dim,
        format!(
            "help: ralph task show {task}; then make it clearer with ralph task edit {task}, and ralph task retry {task}"
        ),
    )
}

/// A prompt run's accepted iteration.
pub(crate) fn committed(iteration: u32, commit: &CommitId, row: Option<&Row>) -> Block {
    let mut line = Line::signed(Sign::Ok).plain(format!("iteration {iteration} accepted"));
    for (gate, passed) in row.map(|row| row.gates.as_slice()).unwrap_or_default() {
        let sign = if *passed { Sign::Ok } else { Sign::Bad };
        line = line.plain(format!("  {gate} ")).sign(sign);
    }
    let mut block = vec![Entry::Cut(line.dim(format!("  {}", commit.short())))];
    if let Some(labels) = row.and_then(labels) {
        block.push(Entry::text(4, Tone::Warn, labels));
    }
    block
}

/// Money, or a mark where the agent does not report any.
fn cost(usage: &Usage) -> String {
    Caps::default().money(usage).unwrap_or_else(|| "-".into())
}
