//! What needs a person, each with the command to type. First on the page.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, commands, left_out},
};
use crate::report::{Failed, Parked, Report, Setback};

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    let rows = frame.bounds.rows;
    let needs = report.failed.len() + report.parked.len() + report.proposals.len();
    html! {
        section {
            h2 #people { "What needs you" }
            @if needs == 0 { p { "Nothing waits for you." } }
            @for task in report.parked.iter().take(rows) { (parked(task, frame)) }
            (left_out(report.parked.len().saturating_sub(rows), "waiting task"))
            @for task in report.failed.iter().take(rows) { (failed(task, frame)) }
            (left_out(report.failed.len().saturating_sub(rows), "failed task"))
            (proposals(report, rows))
            (questions(report, rows))
            (blocked(report, rows))
        }
    }
}

fn parked(task: &Parked, frame: &Frame<'_>) -> Markup {
    html! {
        div .card.warn {
            h3 { span .id { (Clean::name(task.task.as_str())) } " " (Clean::name(&task.title)) }
            @match &task.question {
                Some(question) => p { "It asks: " strong { (Clean::sentence(question)) } }
                None => p { "It waits for you: " (Clean::sentence(&task.why)) }
            }
            (findings(&task.findings, frame))
            (branch(task.branch.as_deref()))
            p { "Next: " (commands(&task.next)) }
        }
    }
}

fn failed(task: &Failed, frame: &Frame<'_>) -> Markup {
    html! {
        div .card.bad {
            h3 { span .id { (Clean::name(task.task.as_str())) } " " (Clean::name(&task.title)) }
            p {
                "Failed after " (task.attempts) " of " (task.max_attempts) " attempts"
                @if let Some(gate) = &task.last_gate { ", last at " code { (Clean::name(gate)) } }
                "."
                @if !task.why.is_empty() { " " (Clean::sentence(&task.why)) }
                @if task.why.ends_with(char::is_alphanumeric) { "." }
            }
            @if let Some(why) = &task.stuck {
                p { "Stuck: " (Clean::sentence(why)) @if !task.tried.is_empty() { ". Tried: " (Clean::sentence(&task.tried)) } }
            }
            @if let Some(error) = &task.error { (setback(error, frame)) }
            (branch(task.branch.as_deref()))
            p { "Next: " (commands(&task.next)) }
        }
    }
}

/// What stood against a task: reasons, and what the programs that failed printed.
pub(super) fn setback(setback: &Setback, frame: &Frame<'_>) -> Markup {
    html! {
        (findings(&setback.reasons, frame))
        @if frame.bounds.has_output {
            @for output in setback.outputs.iter().filter(|one| !one.text.trim().is_empty()) {
                details {
                    summary { "Output of " code { (Clean::name(&output.of)) } ", exit " (output.exit_code) }
                    pre { (Clean::output(&output.text)) }
                    p .dim { "The whole output: " code { (Clean::name(&output.log)) } }
                }
            }
        }
    }
}

fn findings(findings: &[String], frame: &Frame<'_>) -> Markup {
    let most = frame.bounds.rows.min(40);
    html! {
        @if !findings.is_empty() {
            ul { @for one in findings.iter().take(most) { li { (Clean::finding(one)) } } }
            (left_out(findings.len().saturating_sub(most), "finding"))
        }
    }
}

fn branch(branch: Option<&str>) -> Markup {
    html! { @if let Some(branch) = branch { p .dim { "Its work is on " code { (Clean::name(branch)) } "." } } }
}

fn proposals(report: &Report, rows: usize) -> Markup {
    html! {
        @for one in report.proposals.iter().take(rows) {
            div .card.warn {
                h3 { "Proposal " (one.number) ": " (Clean::name(&one.change)) }
                p { "Reason given: " (Clean::sentence(&one.reason)) }
                p .dim { "It waits because " (Clean::sentence(&one.why)) }
                p { "Next: " code { "ralph task proposals" } }
            }
        }
        (left_out(report.proposals.len().saturating_sub(rows), "proposal"))
    }
}

fn questions(report: &Report, rows: usize) -> Markup {
    html! {
        @if !report.questions.is_empty() {
            h3 { "Questions that agents left" }
            p .dim { "Nothing waits for an answer." }
            ul {
                @for one in report.questions.iter().take(rows) {
                    li { span .id { (Clean::name(one.task.as_str())) } ": " (Clean::sentence(&one.question)) }
                }
            }
            (left_out(report.questions.len().saturating_sub(rows), "question"))
        }
    }
}

fn blocked(report: &Report, rows: usize) -> Markup {
    html! {
        @if !report.blocked.is_empty() {
            h3 { "Blocked tasks" }
            ul {
                @for one in report.blocked.iter().take(rows) {
                    li {
                        span .id { (Clean::name(one.task.as_str())) } " " (Clean::name(&one.title))
                        span .dim { " waits for " span .id { (Clean::name(one.on.as_str())) } }
                    }
                }
            }
            (left_out(report.blocked.len().saturating_sub(rows), "blocked task"))
        }
    }
}
