//! Limits: what makes every run end. Checked before anything starts.

use super::{Detail, Iteration, RunState, who};
use crate::{
    ending::Ending,
    input::Done,
    outcome::Outcome,
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
};

/// The limit that forbids starting anything now, if one does.
pub(super) fn reached(state: &RunState, now: Timestamp) -> Option<Outcome> {
    let limits = &state.start.settings.limits;
    let limit = |which: String| Some(Outcome::Limit { which });
    let counters = &state.counters;
    if state.again.is_none() && counters.iterations >= state.start.max_iterations {
        return limit(match state.start.max_iterations {
            1 => "1 iteration".into(),
            most => format!("{most} iterations"),
        });
    }
    if let Some(which) = used_up(state, now, Usage::default()) {
        return limit(which);
    }
    if limits.max_failed_in_a_row > 0 && counters.failed_in_a_row >= limits.max_failed_in_a_row {
        let failed = counters.failed_in_a_row;
        return Some(Outcome::NeedsPerson {
            why: format!("{failed} tasks in a row failed; the tasks are probably not the cause"),
        });
    }
    calls_used_up(state)
}

/// The end that calls without work led to. It is asked again where a signal hid that end and another process goes on.
fn calls_used_up(state: &RunState) -> Option<Outcome> {
    let (counters, limits) = (&state.counters, &state.start.settings.limits);
    let why = if counters.uncharged_in_a_row > limits.max_retries {
        format!("{} calls in a row failed", counters.uncharged_in_a_row)
    } else if counters.uncharged > limits.max_uncharged {
        format!("{} calls of this run produced no work", counters.uncharged)
    } else {
        return None;
    };
    let help = format!("see .ralph/runs/{}/iterations, then run ralph resume", state.run);
    Some(Outcome::AgentUnusable { why, help })
}

/// The run's limit of money, tokens or time that is reached once this is counted too, in words.
pub(super) fn used_up(state: &RunState, now: Timestamp, more: Usage) -> Option<String> {
    let limits = &state.start.settings.limits;
    let mut used = state.usage;
    used.add(more);
    let money = MicroUsd::from_dollars(limits.max_cost_usd);
    if money.0 > 0 && used.cost >= money {
        return Some(format!("{money} (spent {})", used.cost));
    }
    if limits.max_tokens > 0 && used.tokens() >= limits.max_tokens {
        return Some(format!("{} tokens (used {})", limits.max_tokens, used.tokens()));
    }
    let time = limits.max_duration.0;
    (!time.is_zero() && state.worked(now) >= time).then(|| format!("{time}"))
}

/// Says once that most of the run's time is used: when three quarters of it have passed since the last decision.
pub(super) fn nearly_over(state: &RunState, now: Timestamp) -> Option<String> {
    let time = state.start.settings.limits.max_duration.0;
    let is_most = |used: Millis| used.0 >= time.0.saturating_mul(3) / 4;
    let has_come = is_most(state.worked(now)) && !is_most(state.worked(state.last_at));
    (!time.is_zero() && has_come)
        .then(|| format!("75% of the run's time is used (limits.max_duration = {time})"))
}

/// Says once that a limit of money cannot hold, because the agent reports none.
pub(super) fn unmeasured(state: &RunState, done: &Done) -> Option<String> {
    let limits = &state.start.settings.limits;
    let Done::AgentEnded(report) = done else { return None };
    let is_limited = limits.max_cost_usd > 0.0 || limits.max_task_cost_usd > 0.0;
    if !is_limited || report.ending != Ending::Ok || report.usage.known_cost().is_some() {
        return None;
    }
    let other = if report.usage.tokens() > 0 { "limits.max_tokens" } else { "limits.max_duration" };
    let text = format!("the agent reports no cost, so its limit cannot hold; {other} can");
    let is_new = state.warnings.all.iter().all(|known| known.text != text);
    is_new.then_some(text)
}

/// What is left for the next call: money, tokens, and time. `None` where nothing limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) money: Option<MicroUsd>,
    pub(super) tokens: Option<u64>,
    pub(super) time: Option<Millis>,
}

/// The smaller of what the run and the task have left; what the run has left for a call that belongs to no task.
pub(super) fn left(state: &RunState, task: Option<usize>) -> Left {
    let limits = &state.start.settings.limits;
    let detail = task.and_then(|task| state.detail(task));
    let (spent, tokens, worked) = detail.map(Detail::counted).unwrap_or_default();
    let rest = |limit: u64, used: u64| (limit > 0).then(|| limit.saturating_sub(used));
    let money = |usd: f64, used: MicroUsd| rest(MicroUsd::from_dollars(usd).0, used.0);
    let least = |a: Option<u64>, b: Option<u64>| [a, b].into_iter().flatten().min();
    let so_far = state.worked(state.last_at);
    Left {
        money: least(
            money(limits.max_cost_usd, state.usage.cost),
            money(limits.max_task_cost_usd, spent),
        )
        .map(MicroUsd),
        tokens: least(
            rest(limits.max_tokens, state.usage.tokens()),
            rest(limits.max_task_tokens, tokens),
        ),
        time: least(
            rest(limits.max_duration.0.0, so_far.0),
            rest(limits.max_task_duration.0.0, worked.0),
        )
        .map(Millis),
    }
}

/// The limit of its own that a task has reached, in words.
pub(super) fn task_reached(state: &RunState, task: usize) -> Option<String> {
    let (key, most) = task_limit(state, task)?;
    let unit = if key == "limits.max_task_tokens" { " tokens" } else { "" };
    Some(format!("the task reached its limit of {most}{unit}"))
}

/// The setting of the limit that a task has reached, and how much it allows.
pub(crate) fn task_limit(state: &RunState, task: usize) -> Option<(&'static str, String)> {
    let limits = &state.start.settings.limits;
    let (cost, tokens, worked) = state.detail(task)?.counted();
    let money = MicroUsd::from_dollars(limits.max_task_cost_usd);
    if money.0 > 0 && cost >= money {
        return Some(("limits.max_task_cost_usd", money.to_string()));
    }
    let most = limits.max_task_tokens;
    if most > 0 && tokens >= most {
        return Some(("limits.max_task_tokens", most.to_string()));
    }
    let time = limits.max_task_duration.0;
    (!time.is_zero() && worked >= time).then(|| ("limits.max_task_duration", time.to_string()))
}

/// When the next iteration may begin, if not yet.
pub(super) fn delay(state: &RunState, now: Timestamp) -> Option<Timestamp> {
    let pause = state.start.settings.limits.min_delay.0;
    let until = state.iteration_closed_at?.plus(pause);
    (!pause.is_zero() && now < until).then_some(until)
}

/// The agent's ending in words, with its name.
pub(super) fn agent_words(state: &RunState, iteration: &Iteration, ending: &Ending) -> String {
    format!("{} {}", who::of(state, iteration).agent, ending.describe())
}
