//! Every task that something was done about: a row each, with details for as many as fit, those that need a person first.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, count, left_out, money, scroll},
    people::setback,
};
use crate::{
    evidence::{Evidence, Judged},
    ids::CommitId,
    plan::Status,
    report::{Report, TaskReport},
};

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    let mut tasks: Vec<&TaskReport> = report.tasks.iter().collect();
    tasks.sort_by_key(|task| !matches!(task.status, Status::Failed | Status::Parked));
    let (detailed, rest) = tasks.split_at(tasks.len().min(frame.bounds.tasks));
    html! {
        @if !tasks.is_empty() {
            section {
                h2 { "Tasks" }
                div .tools #tools hidden {
                    input #find type="search" placeholder="Filter tasks" aria-label="Filter tasks";
                    button #fold type="button" { "Unfold all" }
                }
                p .dim #none hidden role="status" { "No task matches." }
                @for task in detailed { (details(task, report, frame)) }
                (rows(rest, frame))
                @if report.not_begun > 0 { p .dim { (count(report.not_begun, "task")) " not begun." } }
            }
        }
    }
}

fn details(task: &TaskReport, report: &Report, frame: &Frame<'_>) -> Markup {
    html! {
        details .task {
            summary {
                (sign(task)) " " span .id { (Clean::name(task.id.as_str())) } " " strong { (Clean::name(&task.title)) }
                span .dim { " " (brief(task)) }
            }
            @if !task.why.is_empty() { p { (Clean::sentence(&task.why)) } }
            p .dim {
                (count(task.attempts as usize, "attempt")) ", " (task.rejected) " rejected · "
                (count(task.reviews as usize, "review")) ", " (task.change_requests) " with change requests · "
                (money(&task.usage)) " · " (task.usage.tokens()) " tokens · " (task.agent_time) " agent time"
                @if let Some(began) = task.began { " · began " ((frame.show)(began)) }
                @if let Some(ended) = task.ended { " · ended " ((frame.show)(ended)) }
            }
            @if !task.commits.is_empty() {
                p { "Commits: " @for one in &task.commits { (commit(one, report.commits_at.as_deref())) " " } }
            }
            @if let Some(branch) = &task.branch { p { "Branch: " code { (Clean::name(branch)) } } }
            @if !task.labels.is_empty() {
                ul { @for label in &task.labels { li .warn { (Clean::sentence(&label.describe())) } } }
            }
            @if !task.evidence.is_empty() { ul { @for one in &task.evidence { li { (record(one)) } } } }
            @if task.status == Status::Failed { p .dim { "What failed is shown under " a href="#people" { "what needs you" } "." } }
            @if let Some(one) = task.setback.as_ref().filter(|_| task.status != Status::Failed) {
                h3 { @if task.status == Status::Done { "Approved in spite of" } @else { "What last stood against it" } }
                (setback(one, frame))
            }
            @if !task.warnings.is_empty() {
                h3 { "Quality warnings" }
                ul { @for one in task.warnings.iter().take(40) { li { (Clean::finding(one)) } } }
                (left_out(task.warnings.len().saturating_sub(40), "warning"))
            }
        }
    }
}

fn commit(commit: &CommitId, at: Option<&str>) -> Markup {
    let name = html! { code { (Clean::short(commit.as_str(), 11)) } };
    let is_id = !commit.is_empty() && commit.as_str().bytes().all(|byte| byte.is_ascii_hexdigit());
    html! {
        @match at.filter(|_| is_id) {
            Some(at) => a href=(Clean::name(&format!("{at}{commit}"))) { (name) }
            None => (name)
        }
    }
}

fn record(evidence: &Evidence) -> Markup {
    html! {
        (Clean::sentence(&evidence.criterion)) ": "
        @match &evidence.by {
            Judged::Check { command, exit_code, log } => {
                "check " code { (Clean::name(command)) } ", exit " (exit_code) ", log " code { (Clean::name(log)) }
            }
            Judged::Reviewer { agent, evidence, comment, met, .. } => {
                @if *met { span .good { "met" } } @else { span .bad { "not met" } }
                ", says " (Clean::name(agent)) ": " (Clean::finding(evidence))
                @if !comment.trim().is_empty() { " " span .dim { (Clean::finding(comment)) } }
            }
            Judged::Person => "a person approved it",
            Judged::Unreviewed => span .warn { "nobody judged it" }
        }
    }
}

/// Those that are not shown in detail.
fn rows(tasks: &[&TaskReport], frame: &Frame<'_>) -> Markup {
    let most = frame.bounds.rows;
    let table = html! {
        table {
            thead { tr { th scope="col" { "task" } th scope="col" { "status" } th scope="col" .num { "attempts" } th scope="col" .num { "reviews" } th scope="col" .num { "cost" } th scope="col" .num { "agent time" } } }
            tbody {
                @for task in tasks.iter().take(most) {
                    tr {
                        th scope="row" { span .id { (Clean::name(task.id.as_str())) } " " (Clean::name(&task.title)) }
                        td { (sign(task)) " " (task.status.word().replace('_', " ")) }
                        td .num { (task.attempts) }
                        td .num { (task.reviews) }
                        td .num { (money(&task.usage)) }
                        td .num { (task.agent_time) }
                    }
                }
            }
        }
    };
    html! {
        @if !tasks.is_empty() {
            h3 { "More tasks, without details" }
            (scroll("Tasks without details", &table))
            (left_out(tasks.len().saturating_sub(most), "task"))
        }
    }
}

/// A sign and a colour, which says the same as the words.
fn sign(task: &TaskReport) -> Markup {
    let (class, sign, words) = match task.status {
        Status::Done if task.verified => ("good", "✓", "verified"),
        Status::Done => ("warn", "✓", "done, not verified"),
        Status::Failed => ("bad", "✗", "failed"),
        Status::Parked => ("warn", "?", "waits for you"),
        Status::Skipped => ("dim", "–", "skipped"),
        _ => ("dim", "·", "open"),
    };
    html! { span class=(class) title=(words) role="img" aria-label=(words) { (sign) } }
}

fn brief(task: &TaskReport) -> String {
    let status = match task.status {
        Status::Done if task.verified => "verified".to_owned(),
        Status::Done => "done, not verified".to_owned(),
        Status::Parked => "waits for you".to_owned(),
        other => other.word().replace('_', " "),
    };
    format!("{status} · {} · {}", count(task.attempts as usize, "attempt"), money(&task.usage))
}
