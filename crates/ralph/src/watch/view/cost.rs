//! Where the money and the tokens went.

use ralph_core::{
    agent_facts::short_name,
    usage::{MicroUsd, Usage},
};

use crate::{
    reporters::{
        budget,
        line::{Line, Tone},
        plain, width,
    },
    watch::model::Model,
    words,
};

const BAR: usize = 24;
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Most tasks that are listed.
const MOST: usize = 100;

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let (timeline, Some(state)) = (&model.timeline, model.state()) else { return Vec::new() };
    let usage = timeline.usage();
    let caps = budget::of_run(timeline);
    let mut lines = vec![Line::new().add(Tone::Bold, budget::spent(&usage, &caps))];
    let verified = model.proved.unwrap_or_default().verified;
    if let (Some(cost), Some(each)) = (usage.known_cost(), std::num::NonZeroUsize::new(verified)) {
        let each = MicroUsd(cost.0 / each.get() as u64);
        lines.push(Line::new().plain(format!("{each} a verified task ({verified})")));
    }
    lines.push(Line::new().dim("iterations  ").plain(spark(model, columns.saturating_sub(14))));
    lines.push(shares(model));
    lines.push(Line::new());
    let mut tasks: Vec<(usize, Usage)> = (0..state.tasks.len())
        .filter_map(|at| Some((at, state.detail(at)?.usage)))
        .filter(|(_, usage)| usage.tokens() > 0 || usage.cost.0 > 0)
        .collect();
    tasks.sort_by_key(|(_, usage)| std::cmp::Reverse((usage.cost, usage.tokens())));
    let most = tasks.first().map_or(1, |(_, usage)| weight(usage)).max(1);
    for (at, usage) in tasks.iter().take(MOST) {
        let filled = usize::try_from(weight(usage) * BAR as u64 / most).unwrap_or(BAR).max(1);
        let id = plain::cut(&plain::one_line(state.task_id(*at).as_str()), 10);
        let pad = " ".repeat(11 - width::of(&id));
        let money = match usage.known_cost() {
            Some(_) => budget::money(usage),
            None => format!("{} tokens", words::short(usage.tokens())),
        };
        let rest = " ".repeat(BAR - filled);
        lines.push(
            Line::new()
                .plain(id)
                .plain(pad)
                .add(Tone::Accent, "█".repeat(filled))
                .plain(rest)
                .plain(format!("  {money}")),
        );
    }
    for (agent, spent) in &state.counters.by_agent {
        let money = budget::money(&spent.usage);
        let text = format!(
            "{}  {}  {money}  {}",
            short_name(agent),
            words::count(spent.calls.into(), "call"),
            spent.time
        );
        lines.push(Line::new().dim(text));
    }
    lines
}

fn weight(usage: &Usage) -> u64 {
    usage.known_cost().map_or(usage.tokens(), |cost| cost.0)
}

/// What each of the newest iterations cost, as a row of bars.
fn spark(model: &Model, columns: usize) -> String {
    let all = &model.timeline.history.newest;
    let cost = |one: &ralph_core::timeline::Iteration| {
        one.cost_usd_micros.map_or(one.tokens, |cost| cost.0)
    };
    let newest = all.iter().skip(all.len().saturating_sub(columns));
    let most = newest.clone().map(cost).max().unwrap_or_default().max(1);
    let step = |value: u64| {
        let at = usize::try_from(value * (STEPS.len() as u64 - 1) / most).unwrap_or_default();
        STEPS.get(at).copied().unwrap_or('█')
    };
    newest.map(|one| step(cost(one))).collect()
}

/// `agent 81%  gates 15%  review 3%` of the time that was worked.
fn shares(model: &Model) -> Line {
    let Some(state) = model.state() else { return Line::new() };
    let counters = &state.counters;
    let review = counters.review_time.0;
    let work = counters.agent_time.0.saturating_sub(review);
    let all = (work + review + counters.gate_time.0).max(1);
    let share = |part: u64| part * 100 / all;
    let (work, gates, review) = (share(work), share(counters.gate_time.0), share(review));
    let mut line =
        Line::new().dim(format!("time        agent {work} %  gates {gates} %  review {review} %"));
    let hours = model.timeline.took(model.until()).0;
    if let (Some(cost), true) = (model.timeline.usage().known_cost(), hours > 60_000) {
        let pace = MicroUsd(
            u64::try_from(u128::from(cost.0) * 3_600_000 / u128::from(hours)).unwrap_or(u64::MAX),
        );
        line = line.dim(format!("  {pace} an hour"));
    }
    line
}
