//! What needs a person: given-up work in source 004's form, questions, proposals, and what waits for them.

use ralph_text::{
    cut,
    markdown::{fenced, list, words},
    sanitise::clean,
};

use super::phrases::{LISTED, code, count, listed, more, said};
use crate::report::{Failed, Parked, Report, Setback};

/// Lines of a failure that are shown.
const LINES: usize = 20;

/// The sections, empty ones included.
pub(super) fn sections(report: &Report) -> [String; 5] {
    [
        under("## Failed tasks (a person is needed)", &report.failed, failed),
        under("## Parked tasks (a person is needed)", &report.parked, parked),
        proposals(report),
        questions(report),
        blocked(report),
    ]
}

fn under<T>(title: &str, all: &[T], show: impl Fn(&T) -> String) -> String {
    if all.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = all.iter().take(LISTED).map(show).collect();
    format!("{title}\n\n{}{}", shown.join("\n\n"), more(all.len()))
}

fn failed(task: &Failed) -> String {
    let stuck = match &task.stuck {
        None => "no".to_owned(),
        Some(why) if task.tried.is_empty() => format!("yes ({})", words(why)),
        Some(why) => format!("yes ({}; tried: {})", words(why), words(&task.tried)),
    };
    let mut lines = vec![
        format!("Attempts: {}/{}", task.attempts, task.max_attempts),
        format!("Last gate: {}", task.last_gate.as_deref().map_or("none".into(), code)),
        format!("Branch: {}", task.branch.as_deref().map_or("none".into(), code)),
        format!("Error: {}", task.error.as_ref().map_or_else(|| said(&task.why), error)),
        format!("Stuck: {stuck}"),
        format!("Quality warnings: {}", task.quality_warnings),
        format!("Next: {}", commands(&task.next)),
    ];
    if task.error.is_some() && !task.why.is_empty() {
        lines.insert(4, format!("Given up: {}", said(&task.why)));
    }
    let output = task.error.as_ref().and_then(output).unwrap_or_default();
    format!(
        "### {}: {}\n\n{}{output}",
        words(task.task.as_str()),
        said(&task.title),
        list(lines.into_iter())
    )
}

/// The first reason, and how many more there are.
fn error(error: &Setback) -> String {
    let first = error.reasons.first().map(|reason| said(reason)).unwrap_or_default();
    match error.reasons.len() {
        0 | 1 => first,
        all => format!("{first} (and {})", count(all as u64 - 1, "more reason")),
    }
}

/// What the first program that failed printed.
fn output(error: &Setback) -> Option<String> {
    let output = error.outputs.iter().find(|output| !output.text.trim().is_empty())?;
    let text = cut::lines(&clean(&output.text), LINES);
    Some(format!("\n\n{}\n\nThe whole output: {}", fenced(&text), code(&output.log)))
}

fn parked(task: &Parked) -> String {
    let mut lines = Vec::new();
    match &task.question {
        Some(question) => lines.push(format!("Question: {}", said(question))),
        None => lines.push(format!("Why: {}", said(&task.why))),
    }
    lines.extend(task.findings.iter().take(LISTED).map(|one| format!("Finding: {}", said(one))));
    let hidden = task.findings.len().saturating_sub(LISTED);
    if hidden > 0 {
        lines.push(format!("and {}", count(hidden as u64, "more finding")));
    }
    lines.extend(task.branch.as_deref().map(|branch| format!("Branch: {}", code(branch))));
    lines.push(format!("Quality warnings: {}", task.quality_warnings));
    lines.push(format!("Next: {}", commands(&task.next)));
    format!(
        "### {}: {}\n\n{}",
        words(task.task.as_str()),
        said(&task.title),
        list(lines.into_iter())
    )
}

fn commands(commands: &[String]) -> String {
    commands.iter().map(|command| code(command)).collect::<Vec<_>>().join(" or ")
}

fn proposals(report: &Report) -> String {
    let text = listed("## Proposals waiting for a decision", &report.proposals, |one| {
        let (change, reason, why) = (said(&one.change), said(&one.reason), said(&one.why));
        format!("{}: {change}. Reason given: {reason}. It waits because {why}", one.number)
    });
    match text.as_str() {
        "" => text,
        text => format!("{text}\n\nNext: {}", code("ralph task proposals")),
    }
}

fn questions(report: &Report) -> String {
    let title = "## Questions that agents left (nothing waits for an answer)";
    listed(title, &report.questions, |one| {
        format!("{} ({}): {}", words(one.task.as_str()), said(&one.title), said(&one.question))
    })
}

fn blocked(report: &Report) -> String {
    listed("## Blocked tasks", &report.blocked, |one| {
        let (task, on) = (words(one.task.as_str()), words(one.on.as_str()));
        format!("{task}: {} (waits for {on})", said(&one.title))
    })
}
