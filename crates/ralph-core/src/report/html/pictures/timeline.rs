//! The run in time: a row for each task, a bar for each iteration, gates, waits, and what was rejected.

use maud::{Markup, html};

use super::{
    canvas::{
        self,
        Column::{self, Number, Words},
        LEFT, ROW, ROWS, WIDTH, by_task, label, svg,
    },
    scale::Scale,
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
    time::{Millis, Timestamp},
    timeline::{Iteration, Wait},
};

/// Height of the axis above the rows.
const TOP: u64 = 24;
/// A bar is at least so wide, and has its letter from here on.
const THIN: u64 = 2;
const LETTERED: u64 = 12;
const COLUMNS: [Column; 9] = [
    Number("iteration"),
    Words("task"),
    Words("kind"),
    Words("agent"),
    Words("began"),
    Number("agent time"),
    Number("gates"),
    Words("verdict"),
    Number("cost"),
];

pub(super) fn figure(report: &Report, frame: &Frame<'_>) -> Markup {
    let most = frame.bounds.marks();
    let rows = rows(report, most);
    let (shown, rest) = rows.split_at(rows.len().min(ROWS));
    let lines = shown.len() as u64 + u64::from(!rest.is_empty());
    let height = TOP + lines * ROW + 4;
    let scale = Scale::new(report.began, end(report), LEFT, WIDTH - LEFT - 8);
    let marks = html! {
        defs { pattern #hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" { line .hatch x1="0" y1="0" x2="0" y2="6" {} } }
        @for (at, words) in scale.marks() {
            line .axis x1=(at) x2=(at) y1=(TOP - 4) y2=(height) {}
            text .soft x=(at) y="14" text-anchor=(if at + 24 > WIDTH { "end" } else { "middle" }) { (words) }
        }
        @for (nth, (task, iterations)) in (0u64..).zip(shown) {
            @let y = TOP + nth * ROW;
            (label(report, task, y))
            @for one in iterations { (bar(one, &scale, y, end(report))) }
        }
        @if !rest.is_empty() {
            @let y = TOP + shown.len() as u64 * ROW;
            text .soft x="0" y=(y + 15) { (count(rest.len(), "more task")) }
            @for one in rest.iter().flat_map(|(_, all)| all) { (bar(one, &scale, y, end(report))) }
        }
        @for wait in newest_waits(report, most) { (waited(wait, &scale, height, end(report))) }
    };
    let picture = svg("Iterations of each task in time", height, &marks);
    canvas::figure("Timeline", &legend(report), &picture, &table(report, frame))
}

/// Iterations by task, in the order in which tasks began; with too many, those that took longest.
fn rows(report: &Report, most: usize) -> Vec<(&TaskId, Vec<&Iteration>)> {
    let mut rows: Vec<_> = by_task(report, most).into_iter().collect();
    let took =
        |all: &[&Iteration]| all.iter().map(|one| one.agent_ms.0 + one.gate_ms.0).sum::<u64>();
    rows.sort_by_key(|(_, all)| std::cmp::Reverse(took(all)));
    let began = |all: &[&Iteration]| all.first().map(|one| one.began);
    let shown = rows.len().min(ROWS);
    if let Some(shown) = rows.get_mut(..shown) {
        shown.sort_by_key(|(_, all)| began(all));
    }
    rows
}

fn newest_waits(report: &Report, most: usize) -> impl Iterator<Item = &Wait> {
    let all = &report.timeline.waits;
    all.iter().skip(all.len().saturating_sub(most))
}

fn end(report: &Report) -> Timestamp {
    report.last
}

fn bar(one: &Iteration, scale: &Scale, y: u64, last: Timestamp) -> Markup {
    let (x, until) = (scale.place(one.began), scale.place(one.ended.unwrap_or(last)));
    let width = until.saturating_sub(x).max(THIN);
    let gates = scale.width(one.gate_ms).min(width);
    let middle = x + width / 2;
    let is_rejected = matches!(one.verdict, Some("rejected" | "changes_requested"));
    html! {
        g {
            title { (words(one)) }
            rect class=(one.kind) x=(x) y=(y + 3) width=(width) height="12" rx="2" {}
            @if gates > 0 { rect .gate x=(x + width - gates) y=(y + 16) width=(gates) height="3" {} }
            @if width >= LETTERED { text .on x=(middle) y=(y + 13) text-anchor="middle" { (letter(one.kind)) } }
            @if is_rejected {
                @let cross = format!("M{} {}l6 6m0 -6l-6 6", x + width - 3, y + 6);
                path .halo d=(cross) {}
                path .cross d=(cross) {}
            }
        }
    }
}

fn waited(wait: &Wait, scale: &Scale, height: u64, last: Timestamp) -> Markup {
    let (x, until) = (scale.place(wait.began), scale.place(wait.ended.unwrap_or(last)));
    html! {
        @if until > x {
            rect fill="url(#hatch)" x=(x) y=(TOP) width=(until - x) height=(height - TOP) { title { "Waited " (wait.ended.unwrap_or(last).since(wait.began)) ": " (Clean::sentence(&wait.why)) } }
        }
    }
}

/// `implement`, attempt 2 of T-1: rejected, 3m12s, gates 14s, $0.31.
fn words(one: &Iteration) -> Clean {
    let verdict = one.verdict.map_or("no verdict", verdict_words);
    let cost = one.cost_usd_micros.map(|cost| format!(", {cost}")).unwrap_or_default();
    Clean::name(&format!(
        "Iteration {}: {} {}, attempt {}, {verdict}; agent {}, gates {}{cost}",
        one.iteration, one.kind, one.task, one.attempt, one.agent_ms, one.gate_ms
    ))
}

fn verdict_words(verdict: &str) -> &str {
    if verdict == "changes_requested" { "changes requested" } else { verdict }
}

fn letter(kind: &str) -> &'static str {
    match kind {
        "implement" => "i",
        "fix" => "f",
        "review" => "r",
        "apply" => "a",
        "prompt" => "p",
        _ => "",
    }
}

fn legend(report: &Report) -> Markup {
    let kinds = ["implement", "fix", "review", "apply", "prompt"];
    let is_there = |kind: &&&str| report.timeline.newest.iter().any(|one| one.kind == **kind);
    html! {
        ul .key {
            @for kind in kinds.iter().filter(is_there) { (key(kind, letter(kind), kind)) }
            li { svg viewBox="0 0 14 14" aria-hidden="true" { rect .gate x="0" y="6" width="14" height="3" {} } "gates" }
            li { svg viewBox="0 0 14 14" aria-hidden="true" { path .cross d="M3 3l8 8m0 -8l-8 8" {} } "rejected" }
            @if !report.timeline.waits.is_empty() {
                li { svg viewBox="0 0 14 14" aria-hidden="true" { path .hatch d="M0 8L8 0M3 14L14 3" {} } "waited" }
            }
        }
    }
}

fn table(report: &Report, frame: &Frame<'_>) -> Markup {
    let (all, rows) = (&report.timeline.newest, frame.bounds.rows);
    let hidden = all.len().saturating_sub(rows);
    let older = usize::try_from(report.timeline.older.count).unwrap_or(usize::MAX);
    let lines = html! {
        @for one in all.iter().skip(hidden) {
            tr {
                td .num { (one.iteration) }
                td { span .id { (Clean::name(one.task.as_str())) } }
                td { (one.kind) }
                td { (Clean::name(&one.agent)) }
                td .when { ((frame.show)(one.began)) }
                td .num { (one.agent_ms) }
                td .num { (one.gate_ms) }
                td { (one.verdict.map_or("–", verdict_words)) }
                td .num { (one.cost_usd_micros.map_or("–".into(), |cost| cost.to_string())) }
            }
        }
        @for wait in newest_waits(report, rows) {
            @let took = wait.ended.map_or(Millis(0), |ended| ended.since(wait.began));
            tr { td {} td {} td { "wait" } td {} td .when { ((frame.show)(wait.began)) } td .num { (took) } td {} td { (Clean::name(&wait.why)) } td {} }
        }
    };
    canvas::table(&COLUMNS, &lines, (hidden.saturating_add(older), "earlier iteration"))
}
