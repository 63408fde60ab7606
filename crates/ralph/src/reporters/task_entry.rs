//! A task as lists show it: its mark, its figures, and why it has its status where that is not plain.

use ralph_core::{plan::Status, report::TaskLine};

use super::{
    block::{Block, Entry},
    line::{Line, Sign, Tone},
};
use crate::words::count;

/// The lines of a task. `attempts` may count one that is under way; `cells` are shown after the figures.
pub(crate) fn lines(task: &TaskLine, attempts: u32, cells: Line) -> Block {
    let mut after = Line::new().dim(word(task.status));
    if attempts > 0 {
        after = after.dim(format!("  {}", count(attempts.into(), "attempt")));
    }
    if task.reviews > 0 {
        after = after.dim(format!("  {}", count(task.reviews.into(), "review")));
    }
    after = after.join(cells);
    if !task.labels.is_empty() && task.status == Status::Done {
        after = after.add(Tone::Warn, format!("  {}", task.labels.join(", ")));
    }
    let note = note(task).map(|text| Entry::text(4, Tone::Plain, text));
    std::iter::once(titled(task, after)).chain(note).collect()
}

/// A task's mark, id and title, and what follows them.
pub(crate) fn titled(task: &TaskLine, after: Line) -> Entry {
    let sign = match task.status {
        Status::Done => Sign::Ok,
        Status::Failed => Sign::Bad,
        Status::Parked => Sign::Warning,
        Status::InProgress | Status::NeedsReview | Status::ChangesRequested => Sign::Going,
        Status::Pending | Status::Skipped => Sign::Neutral,
    };
    let before = Line::signed(sign).add(Tone::Bold, format!("{} ", task.id));
    Entry::Titled { before, title: task.title.clone(), after }
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
