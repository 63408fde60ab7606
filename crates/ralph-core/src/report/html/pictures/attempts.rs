//! What became of each attempt and each review, in order: a square each.

use maud::{Markup, html};

use super::canvas::{self, Column, LEFT, ROW, ROWS, by_task, label, svg, task_cell};
use crate::{
    ids::TaskId,
    report::{
        Report,
        html::frame::{Frame, count, key},
    },
    timeline::Iteration,
};

/// Side of a square with the gap after it.
const SQUARE: u64 = 20;
/// Squares of a row that fit.
const FIT: usize = 34;

pub(super) fn figure(report: &Report, frame: &Frame<'_>) -> Markup {
    let rows = rows(report, frame.bounds.marks());
    let shown = rows.len().min(ROWS);
    let height = shown as u64 * ROW + 4;
    let marks = html! {
        @for (nth, (task, all)) in (0u64..).zip(rows.iter().take(shown)) {
            @let y = nth * ROW;
            (label(report, task, y))
            @for (place, one) in (0u64..).zip(all.iter().take(FIT)) { (square(one, LEFT + place * SQUARE, y)) }
            @if all.len() > FIT { text .soft x=(LEFT + FIT as u64 * SQUARE) y=(y + 15) { "+" (all.len() - FIT) } }
        }
    };
    let picture = html! {
        (svg("Attempts and reviews of each task, in order", height, &marks))
        @if rows.len() > shown { p .dim { (count(rows.len() - shown, "task")) " with fewer attempts not drawn." } }
    };
    let legend = html! {
        ul .key {
            (key("accepted", "+", "accepted")) (key("rejected", "x", "rejected"))
            (key("review", "y", "review approved")) (key("asked", "n", "review wants changes")) (key("open", "", "no verdict"))
        }
    };
    canvas::figure("Attempts", &legend, &picture, &table(&rows, frame))
}

/// Those with most attempts first.
fn rows(report: &Report, most: usize) -> Vec<(&TaskId, Vec<&Iteration>)> {
    let mut rows: Vec<_> = by_task(report, most).into_iter().collect();
    rows.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
    rows
}

fn look(one: &Iteration) -> (&'static str, &'static str, &'static str) {
    match one.verdict {
        Some("accepted") => ("accepted", "+", "accepted"),
        Some("rejected") => ("rejected", "x", "rejected"),
        Some("approved") => ("review", "y", "approved"),
        Some("changes_requested") => ("asked", "n", "wants changes"),
        _ => ("open", "", "no verdict"),
    }
}

fn square(one: &Iteration, x: u64, y: u64) -> Markup {
    let (class, letter, words) = look(one);
    html! {
        g {
            title { "Iteration " (one.iteration) ", " (one.kind) ": " (words) }
            rect class=(class) x=(x + 1) y=(y + 3) width="16" height="16" rx="2" {}
            @if !letter.is_empty() { text .on x=(x + 9) y=(y + 15) text-anchor="middle" { (letter) } }
        }
    }
}

fn table(rows: &[(&TaskId, Vec<&Iteration>)], frame: &Frame<'_>) -> Markup {
    let most = frame.bounds.rows;
    let lines = html! {
        @for (task, all) in rows.iter().take(most) {
            tr {
                (task_cell(task))
                td { @for (nth, one) in all.iter().take(100).enumerate() { @if nth > 0 { ", " } (one.kind) " " (look(one).2) } }
            }
        }
    };
    let columns = [Column::Words("task"), Column::Words("in order")];
    canvas::table(&columns, &lines, (rows.len().saturating_sub(most), "task"))
}
