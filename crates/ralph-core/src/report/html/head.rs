//! The top of the page: how the run ended, in a sentence and a few figures.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, Live},
};
use crate::{report::Report, time::Millis};

/// The title of the window.
pub(super) fn title(report: &Report) -> Clean {
    Clean::name(&format!("{} · run {}", report.project, report.run))
}

pub(super) fn section(report: &Report, live: Option<Live>, frame: &Frame<'_>) -> Markup {
    html! {
        header {
            h1 { (Clean::name(&report.project)) }
            p .dim { "Run " span .id { (Clean::name(report.run.as_str())) } ", " ((frame.show)(report.began)) " to " ((frame.show)(report.last)) }
            (outcome(report))
            @if let Some(live) = live.filter(|_| report.ended.is_none()) {
                p .dim { "As of " ((frame.show)(live.as_of)) ", written again every " (live.every) "." }
            }
            (facts(report))
            (place(report))
            @if !report.notes.is_empty() {
                ul { @for note in &report.notes { li { (Clean::opening(&note.replace('`', ""))) } } }
            }
        }
    }
}

fn outcome(report: &Report) -> Markup {
    html! {
        p .outcome {
            @match &report.ended {
                Some(ended) => {
                    strong class=(if ended.exit_code == 0 { "good" } else { "bad" }) { (Clean::opening(&ended.words)) }
                    span .dim { " (exit " (ended.exit_code) ")" }
                }
                None => strong .warn { "Not ended: still running, or interrupted" }
            }
        }
    }
}

fn facts(report: &Report) -> Markup {
    let counts = &report.counts;
    let people = counts.failed + counts.parked + report.proposals.len();
    let cost = report.cost.total_usd_micros.map_or("–".to_owned(), |cost| cost.to_string());
    html! {
        ul .facts {
            li { b { (counts.done) " of " (counts.total) } "tasks done" }
            li { b class=(if counts.verified < counts.done { "warn" } else { "good" }) { (counts.verified) } "of them verified" }
            @if people > 0 { li { b .bad { (people) } a href="#people" { "need you" } } }
            @if counts.blocked + counts.open > 0 { li { b { (counts.blocked + counts.open) } "not finished" } }
            li { b { (report.times.total) } "working time" }
            li {
                b { (cost) }
                @match report.cost.per_verified_task_usd_micros {
                    Some(each) => { (each) " per verified task" }
                    None if report.cost.total_usd_micros.is_none() => "cost not reported",
                    None => "cost",
                }
            }
            li { b { (report.iterations) } "iterations, " (report.rejected) " rejected" }
        }
    }
}

/// Where the work is, and what kept the agents in.
fn place(report: &Report) -> Markup {
    let isolation = &report.isolation.guarantee;
    html! {
        @if !report.branch.is_empty() {
            p {
                "The accepted work is on " code { (Clean::name(&report.branch)) }
                @if !report.came_from.is_empty() && report.came_from != report.branch {
                    ", from " code { (Clean::name(&report.came_from)) }
                }
                "."
            }
        }
        p .dim { "Isolation: " (Clean::sentence(isolation)) }
        @for one in &report.earlier_isolations { p .dim { "Before it was resumed: " (Clean::sentence(&one.guarantee)) } }
        @if report.times.paused > Millis(0) { p .dim { "Paused by a person for " (report.times.paused) "." } }
    }
}
