//! What people said to the agents while the run went on: answers, and messages with who heard them first.

use ralph_text::markdown::{list, words};

use super::phrases::{LISTED, listed, more, said};
use crate::{
    report::Report,
    run::{Hold, Word},
    time::Timestamp,
};

/// The section; empty where nobody said anything.
pub(super) fn section(report: &Report, show: &dyn Fn(Timestamp) -> String) -> String {
    let steered = &report.steered;
    if steered.is_empty() {
        return String::new();
    }
    let newest = steered.iter().skip(steered.len().saturating_sub(LISTED));
    format!(
        "## What was steered\n\n{}{}",
        list(newest.map(|word| line(word, show))),
        more(steered.len())
    )
}

/// What was asked and answered; empty where nothing was.
pub(super) fn answered(report: &Report) -> String {
    listed("## What was answered", &report.answered, |one| {
        let (question, answer) = (said(&one.question), said(&one.answer));
        format!("{} asked: {question} The answer: {answer}", words(one.task.as_str()))
    })
}

fn line(word: &Word, show: &dyn Fn(Timestamp) -> String) -> String {
    let about = match &word.said.task {
        Some(task) => words(task.as_str()),
        None => "every task".into(),
    };
    let heard = match (word.seen, word.hold) {
        (Some(iteration), Hold::GaveWay) => {
            format!("first seen by iteration {iteration}; gave way to newer words")
        }
        (Some(iteration), _) => format!("first seen by iteration {iteration}"),
        (None, Hold::TaskEnded) => "no call saw it: the task ended before".into(),
        (None, Hold::GaveWay) => "no call saw it: newer words took its place".into(),
        (None, Hold::Holds) => "no call has seen it yet".into(),
    };
    format!("{}, about {about}: {} ({heard})", show(word.at), said(&word.said.text))
}
