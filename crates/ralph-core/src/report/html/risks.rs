//! What to look at before the work is used: files that run by themselves, what is weaker than proof, what went wrong.
//!
//! Must never say that nothing runs unless the list is complete and empty.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, count, left_out},
};
use crate::{
    gates::protect::Touched,
    report::{Exposed, Report},
};

/// Most files of one kind that are named.
const PATHS: usize = 20;

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    html! {
        section { (exposed(report, frame)) }
        (weaker(report, frame))
        (on_the_way(report, frame))
    }
}

fn exposed(report: &Report, frame: &Frame<'_>) -> Markup {
    let rows = frame.bounds.rows;
    let has_work = report.tasks.iter().any(|task| !task.commits.is_empty());
    let files = usize::try_from(report.exposed_files()).unwrap_or(usize::MAX);
    html! {
        h2 { "What will run on your machine" }
        @if report.exposed.is_empty() && !has_work {
            p { "No work was accepted, so nothing new will run." }
        } @else if report.exposed.is_empty() {
            p { "Accepted work changed no file that runs by itself, checks the work or changes what runs. Other changed code runs when you build, test or start the project." }
        } @else {
            p { "Look at " strong { (count(files, "file")) } " before you build, test, merge or open the project: they run by themselves, check the work, or change what runs. Other changed code runs when you build, test or start the project." }
            @for one in report.exposed.iter().take(rows) { (task(one)) }
            (left_out(report.exposed.len().saturating_sub(rows), "task"))
        }
    }
}

fn task(exposed: &Exposed) -> Markup {
    html! {
        h3 { span .id { (Clean::name(exposed.task.as_str())) } " on " code { (Clean::name(&exposed.branch)) } }
        ul {
            @for group in exposed.files.chunk_by(|a, b| a.exposure == b.exposure).take(40) {
                @if let Some(first) = group.first() {
                    li { (Clean::name(&first.exposure.describe())) ": " (paths(group)) }
                }
            }
            @if exposed.left_out > 0 { li .dim { (exposed.left_out) " more are not listed" } }
        }
    }
}

fn paths(files: &[Touched]) -> Markup {
    html! {
        @for (nth, file) in files.iter().take(PATHS).enumerate() {
            @if nth > 0 { ", " }
            code { (Clean::name(&file.path)) }
        }
        @if files.len() > PATHS { " and " (files.len() - PATHS) " more" }
    }
}

fn weaker(report: &Report, frame: &Frame<'_>) -> Markup {
    html! {
        @if !report.weaker.is_empty() {
            section {
                h2 { "Weaker than full proof" }
                ul {
                    @for one in report.weaker.iter().take(frame.bounds.rows) {
                        li {
                            strong .warn { (Clean::sentence(&one.words)) } ": "
                            @for (nth, task) in one.tasks.iter().take(40).enumerate() {
                                @if nth > 0 { ", " }
                                span .id { (Clean::name(task.as_str())) }
                            }
                            @if one.tasks.len() > 40 { " and " (one.tasks.len() - 40) " more" }
                        }
                    }
                }
            }
        }
    }
}

fn on_the_way(report: &Report, frame: &Frame<'_>) -> Markup {
    let (warnings, rows) = (&report.warnings, frame.bounds.rows);
    let hidden = usize::try_from(warnings.left_out).unwrap_or(usize::MAX);
    let hidden = hidden.saturating_add(warnings.all.len().saturating_sub(rows));
    html! {
        @if !warnings.all.is_empty() || !report.soft_failures.is_empty() || !report.flaky_gates.is_empty() {
            section {
                h2 { "What happened on the way" }
                ul {
                    @for (gate, times) in &report.soft_failures {
                        li { "Soft gate " code { (Clean::name(gate)) } " failed " (times) "×" }
                    }
                    @for (gate, times) in &report.flaky_gates {
                        li { "Flaky gate " code { (Clean::name(gate)) } " failed and then passed " (times) "×" }
                    }
                    @for one in warnings.all.iter().take(rows) {
                        li {
                            (Clean::sentence(&one.text))
                            span .dim {
                                @if one.iteration == 0 { " (before the first iteration" } @else { " (iteration " (one.iteration) }
                                @if one.times > 1 { ", " (one.times) "×" }
                                ")"
                            }
                        }
                    }
                }
                (left_out(hidden, "warning"))
            }
        }
    }
}
