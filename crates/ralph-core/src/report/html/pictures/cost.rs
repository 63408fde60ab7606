//! What each task cost: accepted work, rejected work, reviews; and a line at the cost per verified task.

use maud::{Markup, html};

use super::{
    canvas::{self, Column, LEFT, ROW, ROWS, WIDTH, by_task, label, svg, task_cell},
    scale::share,
};
use crate::{
    ids::TaskId,
    report::{
        Report,
        html::{
            clean::Clean,
            frame::{Frame, count, key},
        },
    },
    timeline::Iteration,
    usage::MicroUsd,
};

/// Room for the sum at the right end of a bar.
const RIGHT: u64 = 80;

/// What a task cost, by what it was for.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    accepted: u64,
    rejected: u64,
    reviews: u64,
}

impl Parts {
    fn sum(self) -> u64 {
        self.accepted + self.rejected + self.reviews
    }

    fn add(&mut self, one: &Iteration) {
        let cost = one.cost_usd_micros.unwrap_or_default().0;
        match (one.kind, one.verdict) {
            ("review", _) => self.reviews += cost,
            (_, Some("accepted")) => self.accepted += cost,
            _ => self.rejected += cost,
        }
    }
}

pub(super) fn figure(report: &Report, frame: &Frame<'_>) -> Markup {
    let rows = rows(report);
    let most = rows.iter().map(|(_, parts)| parts.sum()).max().unwrap_or(0);
    if most == 0 {
        return html! {};
    }
    let each = report.cost.per_verified_task_usd_micros;
    let whole = most.max(each.unwrap_or_default().0);
    let room = WIDTH - LEFT - RIGHT;
    let shown = rows.len().min(ROWS);
    let height = shown as u64 * ROW + if each.is_some() { 24 } else { 4 };
    let marks = html! {
        @for (nth, (task, parts)) in (0u64..).zip(rows.iter().take(shown)) { (label(report, task, nth * ROW)) (bar(task, *parts, nth * ROW, (whole, room))) }
        @if let Some(each) = each {
            @let x = LEFT + share(each.0, whole, room);
            line .mark x1=(x) x2=(x) y1="0" y2=(height - 18) {}
            text .soft x=(x) y=(height - 5) text-anchor=(if x > WIDTH / 2 { "end" } else { "start" }) { (each) " per verified task" }
        }
    };
    let picture = html! {
        (svg("Cost of each task", height, &marks))
        @if rows.len() > shown { p .dim { (count(rows.len() - shown, "cheaper task")) " not drawn." } }
    };
    let legend = html! {
        ul .key { (key("accepted", "", "accepted")) (key("rejected", "", "rejected or unfinished")) (key("review", "", "reviews")) }
    };
    canvas::figure("Cost per task", &legend, &picture, &table(&rows, frame))
}

/// The dearest first.
fn rows(report: &Report) -> Vec<(&TaskId, Parts)> {
    let parts = |all: Vec<&Iteration>| {
        let mut parts = Parts::default();
        for one in all {
            parts.add(one);
        }
        parts
    };
    let rows = by_task(report, usize::MAX).into_iter().map(|(task, all)| (task, parts(all)));
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.sum()));
    rows
}

fn bar(task: &TaskId, parts: Parts, y: u64, (whole, room): (u64, u64)) -> Markup {
    let marks = [
        ("accepted", "accepted work", parts.accepted),
        ("rejected", "rejected or unfinished work", parts.rejected),
        ("review", "reviews", parts.reviews),
    ];
    let mut used = 0;
    let placed = marks.map(|(class, words, cost)| {
        let x = LEFT + share(used, whole, room);
        used += cost;
        (class, words, cost, x, (LEFT + share(used, whole, room)).saturating_sub(x))
    });
    html! {
        @for (class, words, cost, x, width) in placed {
            @if cost > 0 {
                rect class=(class) x=(x) y=(y + 3) width=(width.max(1)) height="15" { title { (Clean::name(task.as_str())) ": " (MicroUsd(cost)) " " (words) } }
            }
        }
        text x=(LEFT + share(used, whole, room) + 6) y=(y + 15) { (MicroUsd(used)) }
    }
}

fn table(rows: &[(&TaskId, Parts)], frame: &Frame<'_>) -> Markup {
    let most = frame.bounds.rows;
    let lines = html! {
        @for (task, parts) in rows.iter().take(most) {
            tr {
                (task_cell(task))
                @for cost in [parts.accepted, parts.rejected, parts.reviews, parts.sum()] { td .num { (MicroUsd(cost)) } }
            }
        }
    };
    let sums = ["accepted", "rejected or unfinished", "reviews", "in all"].map(Column::Number);
    let columns: Vec<Column> = [Column::Words("task")].into_iter().chain(sums).collect();
    canvas::table(&columns, &lines, (rows.len().saturating_sub(most), "task"))
}
