//! The live line at the bottom: how far, how long, how much, and what happens right now.

use ralph_core::{run::Kind, time::Timestamp};

use super::agent::AgentView;
use crate::reporters::{
    clock,
    line::{Line, Tone},
    tally::Tally,
};

const BAR: usize = 20;

/// What happens right now, beside the agent's tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct Now {
    /// A gate that runs, and since when.
    pub(crate) gate: Option<(String, Timestamp)>,
    /// A stop was asked for.
    pub(crate) stopping: bool,
}

/// The line at `now`.
pub(crate) fn status(tally: &Tally, view: &AgentView, doing: &Now, now: Timestamp) -> Line {
    let mut line = Line::new().plain("  ");
    let counts = tally.counts;
    if counts.total > 0 {
        line = line
            .add(Tone::Bold, format!("{}/{} ", counts.satisfied(), counts.total))
            .join(bar(counts.satisfied(), counts.total))
            .plain("  ");
    } else if let Some(current) = &tally.current {
        let (nth, of) = (current.start.iteration, tally.max_iterations);
        line = line.add(Tone::Bold, format!("iteration {nth}/{of}")).plain("  ");
    }
    line = line.plain(clock::running(now.since(tally.began)));
    if let Some(left) = tally.time_left(now).filter(|_| tally.waiting.is_none()) {
        line = line.dim(format!("  about {left} left"));
    }
    line = line.plain(format!("  {}", cost(tally)));
    line.join(activity(tally, view, doing, now))
}

/// `$0.93` or `$0.93 of $20`.
pub(crate) fn cost(tally: &Tally) -> String {
    let limit =
        tally.start().map(|start| start.settings.limits.max_cost_usd).filter(|limit| *limit > 0.0);
    match limit {
        Some(limit) => format!("{} of ${limit}", tally.usage.cost),
        None => tally.usage.cost.to_string(),
    }
}

fn bar(done: usize, total: usize) -> Line {
    let filled = BAR * done / total.max(1);
    let full = "━".repeat(filled);
    let edge = if filled < BAR && done > 0 { "╸" } else { "" };
    let rest = BAR - filled - edge.chars().count();
    Line::new().add(Tone::Good, format!("{full}{edge}")).dim("─".repeat(rest))
}

fn activity(tally: &Tally, view: &AgentView, doing: &Now, now: Timestamp) -> Line {
    if let Some((until, _)) = &tally.waiting {
        return Line::new()
            .add(Tone::Warn, format!("  waiting, {} left", clock::running(until.since(now))));
    }
    let mut line = Line::new();
    if doing.stopping {
        line = line.add(Tone::Warn, "  stopping");
    }
    if let Some((gate, since)) = &doing.gate {
        return line.plain(format!("  gate {gate} {}", clock::running(now.since(*since))));
    }
    if let Some(open) = view.running() {
        let took = clock::running(now.since(open.at));
        return line
            .plain(format!("  {took} "))
            .add(Tone::Accent, &open.name)
            .plain(" ")
            .dim(&open.input);
    }
    match &tally.current {
        Some(current) if current.ending.is_none() => {
            let start = &current.start;
            let kind = match start.kind {
                Kind::Implement | Kind::Prompt => String::new(),
                Kind::Fix | Kind::Review | Kind::Apply => format!("{} ", start.kind.word()),
            };
            let took = clock::running(now.since(current.at));
            line.dim(format!("  {} {kind}{} {took}", start.task, start.agent))
        }
        _ => line,
    }
}
