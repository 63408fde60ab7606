//! How it was run: what people said meanwhile, which hosts were reached, where time and money went.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, count, left_out, money, scroll},
};
use crate::{
    report::{Answered, Report},
    run::{Hold, Spent, Word},
    time::Millis,
    usage::Usage,
};

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    html! {
        (steered(report, frame))
        (network(report, frame))
        section { h2 { "How it was run" } (spent(report)) }
    }
}

fn steered(report: &Report, frame: &Frame<'_>) -> Markup {
    let hidden = report.steered.len().saturating_sub(frame.bounds.rows);
    let rows = frame.bounds.rows;
    html! {
        @if !report.steered.is_empty() || !report.answered.is_empty() {
            section {
                h2 { "What people said" }
                ul { @for one in report.answered.iter().take(rows) { (answered(one)) } }
                (left_out(report.answered.len().saturating_sub(rows), "answer"))
                ul { @for word in report.steered.iter().skip(hidden) { (said(word, frame)) } }
                (left_out(hidden, "message"))
            }
        }
    }
}

fn answered(one: &Answered) -> Markup {
    html! {
        li {
            span .id { (Clean::name(one.task.as_str())) } " asked: " (Clean::sentence(&one.question))
            " The answer: " strong { (Clean::sentence(&one.answer)) }
        }
    }
}

fn said(word: &Word, frame: &Frame<'_>) -> Markup {
    html! {
        li {
            span .dim { ((frame.show)(word.at)) ", about " }
            @match &word.said.task { Some(task) => span .id { (Clean::name(task.as_str())) } None => "every task" }
            ": " (Clean::sentence(&word.said.text))
            span .dim {
                @match (word.seen, word.hold) {
                    (Some(iteration), _) => { " (first seen by iteration " (iteration) ")" }
                    (None, Hold::Holds) => " (no agent has seen it yet)",
                    (None, _) => " (no agent saw it)",
                }
            }
        }
    }
}

fn network(report: &Report, frame: &Frame<'_>) -> Markup {
    let rows = frame.bounds.rows;
    let table = html! {
        table {
            thead { tr { th scope="col" { "host" } th scope="col" .num { "connections" } th scope="col" .num { "refused" } th scope="col" .num { "bytes sent" } th scope="col" .num { "bytes received" } th scope="col" { "why refused" } } }
            tbody {
                @for one in report.traffic.iter().take(rows) {
                    tr {
                        th scope="row" { code { (Clean::name(&one.host)) } }
                        td .num { (one.allowed) }
                        td .num { @if one.refused > 0 { span .bad { (one.refused) } } @else { "0" } }
                        td .num { (one.sent) }
                        td .num { (one.received) }
                        td { (Clean::name(&one.why)) }
                    }
                }
            }
        }
    };
    html! {
        @if !report.traffic.is_empty() {
            section {
                h2 { "Network" }
                (scroll("Hosts that agents and gates asked for", &table))
                (left_out(report.traffic.len().saturating_sub(rows), "host"))
            }
        }
    }
}

fn spent(report: &Report) -> Markup {
    let (times, usage) = (&report.times, &report.usage);
    let share = |time: Millis| time.0.saturating_mul(100).checked_div(times.total.0).unwrap_or(0);
    html! {
        p {
            "Working time " (times.total) ": agents " (times.agent) " (" (share(times.agent)) " %), reviewers "
            (times.review) " (" (share(times.review)) " %), gates " (times.gates) " (" (share(times.gates)) " %); the rest is waiting and ralph itself."
        }
        p {
            @if *usage == Usage::default() { "The agents reported neither cost nor tokens." } @else {
                "Tokens: " (usage.input) " in, " (usage.output) " out, " (usage.cache_read) " read from the cache, " (usage.cache_write) " written to it."
            }
        }
        @if report.reviews.total > 0 {
            p { (count(report.reviews.total as usize, "review")) ". " (Clean::opening(&report.reviews.words)) "." }
        }
        @if report.amendments.applied + report.amendments.refused > 0 {
            p { "Changes to the plan that agents proposed: " (report.amendments.applied) " applied, " (report.amendments.waiting) " waiting, " (report.amendments.refused) " refused." }
        }
        (by("agent", &report.by_agent.iter().map(|(name, spent)| (name.as_str(), spent)).collect::<Vec<_>>()))
        (by("kind of iteration", &report.by_kind.iter().map(|(kind, spent)| (kind.word(), spent)).collect::<Vec<_>>()))
    }
}

fn by(what: &str, rows: &[(&str, &Spent)]) -> Markup {
    let table = html! {
        table {
            thead { tr { th scope="col" { (what) } th scope="col" .num { "calls" } th scope="col" .num { "time" } th scope="col" .num { "tokens" } th scope="col" .num { "cost" } } }
            tbody {
                @for (name, spent) in rows.iter().take(40) {
                    tr {
                        th scope="row" { (Clean::name(name)) }
                        td .num { (spent.calls) }
                        td .num { (spent.time) }
                        td .num { (spent.usage.tokens()) }
                        td .num { (money(&spent.usage)) }
                    }
                }
            }
        }
    };
    html! { @if !rows.is_empty() { (scroll("Time and money", &table)) } }
}
