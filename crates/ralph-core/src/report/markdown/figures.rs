//! Tables and figures: tasks, reviews, flaky gates, money, time, amendments.

use ralph_text::markdown::{cell_code, list, words};

use super::phrases::{code, count, said};
use crate::{
    report::{Report, TaskReport},
    time::Millis,
    usage::Usage,
};

/// Most rows of the table; the JSON has all tasks.
const ROWS: usize = 200;

/// Every task that something was done about.
pub(super) fn tasks(report: &Report) -> String {
    if report.tasks.is_empty() {
        return String::new();
    }
    let head = "| task | status | attempts | reviews | cost | tokens | agent time | commits |\n|---|---|--:|--:|--:|--:|--:|---|";
    let rows: Vec<String> = report.tasks.iter().take(ROWS).map(row).collect();
    let mut text = format!("## Tasks\n\n{head}\n{}", rows.join("\n"));
    let hidden = report.tasks.len().saturating_sub(ROWS);
    if hidden > 0 {
        text = format!("{text}\n\nand {hidden} more; the JSON report has all");
    }
    if report.not_begun > 0 {
        text = format!("{text}\n\nnot begun: {}", count(report.not_begun as u64, "task"));
    }
    text
}

fn row(task: &TaskReport) -> String {
    let commits: Vec<String> =
        task.commits.iter().map(|commit| cell_code(commit.short())).collect();
    let verified = if task.verified { ", verified" } else { "" };
    format!(
        "| {}: {} | {}{verified} | {} | {} | {} | {} | {} | {} |",
        words(task.id.as_str()),
        said(&task.title),
        task.status.word().replace('_', " "),
        task.attempts,
        task.reviews,
        money(&task.usage),
        task.usage.tokens(),
        task.agent_time,
        commits.join(" ")
    )
}

/// An agent that reports nothing is not said to be free.
fn money(usage: &Usage) -> String {
    usage.known_cost().map_or_else(|| "?".into(), |cost| cost.to_string())
}

/// The sections after the evidence, empty ones included.
pub(super) fn sections(report: &Report) -> [String; 4] {
    [reviews(report), flaky(report), spent(report), amendments(report)]
}

fn reviews(report: &Report) -> String {
    let counts = &report.reviews;
    let mut lines = vec![words(&counts.words)];
    let reviewed = counts.reviewed();
    if reviewed > 0 {
        let bars = counts.histogram.iter().map(|(reviews, tasks)| {
            let (tasks, reviews) =
                (count((*tasks).into(), "task"), count((*reviews).into(), "review"));
            format!("{reviews}: {tasks}")
        });
        lines.extend(bars);
        let share = u64::from(counts.approved_at_first) * 100 / u64::from(reviewed);
        lines.push(format!(
            "approved at the first review: {} of {reviewed} ({share} %)",
            counts.approved_at_first
        ));
        lines.push(format!("at the cap: {}", counts.at_cap));
    }
    format!("## Reviews\n\n{}", list(lines.into_iter()))
}

fn flaky(report: &Report) -> String {
    if report.flaky_gates.is_empty() {
        return String::new();
    }
    let lines = report.flaky_gates.iter().map(|(gate, times)| {
        format!(
            "{}: failed at first and passed when run again {}",
            code(gate),
            count((*times).into(), "time")
        )
    });
    format!("## Flaky gates\n\n{}", list(lines))
}

fn spent(report: &Report) -> String {
    let kinds: Vec<String> =
        report.iterations_by_kind.iter().map(|(kind, n)| format!("{n} {}", kind.word())).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let mut lines = vec![format!(
        "{}{kinds}, {}",
        count(report.iterations.into(), "iteration"),
        count(report.rejected.into(), "rejected attempt")
    )];
    if report.by_agent.len() > 1 {
        let each = report.by_agent.iter().map(|(agent, spent)| {
            let calls = count(spent.calls.into(), "call");
            format!("{}: {calls}, {}, {}", code(agent), spent.time, money(&spent.usage))
        });
        lines.extend(each);
    }
    let times = &report.times;
    let part = |name: &str, time: Millis| {
        let share = time.0.saturating_mul(100).checked_div(times.total.0).unwrap_or(0);
        format!("{name} {time} ({share} %)")
    };
    lines.push(format!(
        "time {}: {}, {}, {}; the rest is waiting and ralph itself",
        times.total,
        part("agents", times.agent),
        part("reviewers", times.review),
        part("gates", times.gates)
    ));
    if !times.paused.is_zero() {
        lines.push(format!("paused by a person for {}", times.paused));
    }
    let usage = &report.usage;
    if *usage == Usage::default() {
        lines.push("cost and tokens: not reported by the agent".into());
    } else {
        lines.extend(
            match (report.cost.total_usd_micros, report.cost.per_verified_task_usd_micros) {
                (None, _) => vec!["cost: not reported by the agent".into()],
                (Some(cost), Some(each)) => {
                    vec![format!("cost {cost}"), format!("cost per verified task {each}")]
                }
                (Some(cost), None) => {
                    let none = "cost per verified task: no task is verified";
                    vec![format!("cost {cost}"), none.into()]
                }
            },
        );
        lines.push(format!(
            "tokens: {} in, {} out, {} read from the cache, {} written to it",
            usage.input, usage.output, usage.cache_read, usage.cache_write
        ));
    }
    format!("## Time and money\n\n{}", list(lines.into_iter()))
}

fn amendments(report: &Report) -> String {
    let counts = &report.amendments;
    if *counts == crate::report::Amendments::default() {
        return String::new();
    }
    format!(
        "## Changes of the plan that agents proposed\n\n{} applied, {} waiting, {} refused",
        counts.applied, counts.waiting, counts.refused
    )
}
