//! A task as lists show it: its mark, its figures, and why it has its status where that is not plain.

use ralph_core::{plan::Status, report::TaskLine};

use super::{
    block::{Block, Entry},
    line::{Line, Sign, Tone},
};
use crate::words::count;

/// What is true of a task beside what its run decided.
#[derive(Default)]
pub(crate) struct Standing<'a> {
    /// May count one that is under way.
    pub(crate) attempts: u32,
    /// Nobody works on the run now: it ended, or died.
    pub(crate) is_dead: bool,
    /// What people asked for about it and no run has taken yet.
    pub(crate) requests: &'a [&'static str],
}

/// The lines of a task; `cells` are shown after the figures.
pub(crate) fn lines(task: &TaskLine, standing: &Standing<'_>, cells: Line) -> Block {
    let Standing { attempts, is_dead, requests } = standing;
    let mut after = Line::new().dim(word_now(task.status, *is_dead));
    if *attempts > 0 {
        after = after.dim(format!("  {}", count((*attempts).into(), "attempt")));
    }
    if task.reviews > 0 {
        after = after.dim(format!("  {}", count(task.reviews.into(), "review")));
    }
    after = after.join(cells);
    if !task.labels.is_empty() && task.status == Status::Done {
        after = after.add(Tone::Warn, format!("  {}", task.labels.join(", ")));
    }
    let note = match requests {
        [] => note(task),
        some => Some(format!("{}: not applied yet", some.join(", "))),
    };
    let note = note.map(|text| Entry::text(4, Tone::Plain, text));
    std::iter::once(titled(task, *is_dead, after)).chain(note).collect()
}

/// A task's mark, id and title, and what follows them.
pub(crate) fn titled(task: &TaskLine, is_dead: bool, after: Line) -> Entry {
    let before = Line::signed(sign(task.status, is_dead)).add(Tone::Bold, format!("{} ", task.id));
    Entry::Titled { before, title: task.title.clone(), after }
}

/// The sign of a status, where nobody may work on the run any more.
pub(crate) fn sign(status: Status, is_dead: bool) -> Sign {
    match status {
        Status::InProgress if is_dead => Sign::Neutral,
        Status::Done => Sign::Ok,
        Status::Failed => Sign::Bad,
        Status::Parked => Sign::Warning,
        Status::InProgress | Status::NeedsReview | Status::ChangesRequested => Sign::Going,
        Status::Pending | Status::Skipped => Sign::Neutral,
    }
}

/// A status for people, where nobody may work on the run any more.
pub(crate) fn word_now(status: Status, is_dead: bool) -> String {
    if is_dead && status == Status::InProgress { "interrupted".into() } else { word(status) }
}

/// A status for people.
pub(crate) fn word(status: Status) -> String {
    status.word().replace('_', " ")
}

fn note(task: &TaskLine) -> Option<String> {
    let is_explained = matches!(
        task.status,
        Status::Failed | Status::Parked | Status::ChangesRequested | Status::Skipped
    );
    let why = Some(&task.why).filter(|why| is_explained && !why.is_empty()).cloned();
    let question = task.question.as_ref();
    if task.status == Status::Parked {
        question.map(|question| format!("it asks: {question}")).or(why)
    } else {
        let asked = |question| format!("it asked, without waiting for an answer: {question}");
        why.or_else(|| question.map(asked))
    }
}
