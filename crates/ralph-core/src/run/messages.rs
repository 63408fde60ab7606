//! The messages of commits that ralph makes: accepted work, kept work, given-up work.

use std::fmt::Write;

use ralph_text::cut;

use super::{Iteration, RunState};
use crate::{settings::MessageSource, time::Timestamp, verdict::Reason, vocabulary::Stage};

/// Most characters of a commit's subject line.
const SUBJECT: usize = 100;

/// The accepted commit's message: the agent's own where it gave a usable one, else from the task.
pub(super) fn commit(state: &RunState, iteration: &Iteration) -> String {
    let Some(task) = state.task(iteration.task) else { return String::new() };
    let handoff = iteration.report.as_ref().and_then(|report| report.handoff.as_ref());
    let proposed = handoff
        .filter(|_| state.start.settings.git.message == MessageSource::Handoff)
        .and_then(|handoff| handoff.commit_message.as_deref())
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let from_task = || {
        let room = SUBJECT.saturating_sub(task.id.as_str().chars().count() + 2);
        format!("{}: {}", task.id, cut::words(&task.title, room))
    };
    let message = proposed.map_or_else(from_task, str::to_owned);
    let (subject, body) = message.split_once('\n').unwrap_or((&message, ""));
    let subject = cut::words(subject, SUBJECT);
    match body.trim() {
        "" => subject.to_owned(),
        body => format!("{subject}\n\n{body}"),
    }
}

/// The message of a commit that only keeps a tree.
pub(super) fn quarantine(state: &RunState, iteration: &Iteration) -> String {
    let task = state.task(iteration.task).map(|task| task.id.as_str());
    let task = task.unwrap_or_default();
    format!("not accepted: {task} iteration {}\n\n{}", iteration.number, reasons(iteration))
}

/// The message of the branch that keeps a given-up task's work.
pub(super) fn diagnosis(state: &RunState, iteration: &Iteration) -> String {
    let Some(task) = state.task(iteration.task) else { return String::new() };
    let detail = state.detail(iteration.task);
    let attempts = detail.map_or(0, |detail| detail.rejected);
    let did = if iteration.stage == Stage::Park { "parked" } else { "gave up on" };
    let mut text = format!("ralph {did} {}: {}\n\n", task.id, task.title);
    // Without their limit: whoever takes the run up may give another, and this must stay the same commit.
    let _ = writeln!(text, "Attempts: {attempts}");
    if let Some(stuck) = detail.and_then(|detail| detail.stuck.as_ref()) {
        let _ = writeln!(text, "Stuck: {}", stuck.describe());
    }
    if let Some(question) = detail.and_then(|detail| detail.question.as_ref()) {
        let _ = writeln!(text, "Question: {question}");
    }
    for finding in detail.into_iter().flat_map(|detail| &detail.findings) {
        let _ = writeln!(text, "Finding: {}", finding.line());
    }
    for record in detail.into_iter().flat_map(|detail| &detail.feedback) {
        let _ = writeln!(text, "\nAttempt {} ({}):", record.attempt, record.verdict.fingerprint);
        for reason in &record.verdict.reasons {
            let _ = writeln!(text, "- {}", reason.describe());
        }
    }
    if detail.is_none_or(|detail| detail.feedback.is_empty()) {
        text.push_str(&reasons(iteration));
    }
    text
}

fn reasons(iteration: &Iteration) -> String {
    let lines: Vec<String> = match (&iteration.verdict, &iteration.report) {
        (Some(verdict), _) => verdict.reasons.iter().map(Reason::describe).collect(),
        (None, Some(report)) => vec![format!("the agent {}", report.ending.describe())],
        (None, None) => Vec::new(),
    };
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "- {line}");
        text
    })
}

/// `20261114-220301`, for branch names.
pub(super) fn stamp(at: Timestamp) -> String {
    let digits: String = at.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    match digits.split_at_checked(8) {
        Some((date, time)) => format!("{date}-{time}"),
        None => digits,
    }
}
