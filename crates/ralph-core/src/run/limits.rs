//! Limits: what makes every run end. Checked before anything starts.

use super::{Iteration, RunState, who};
use crate::{ending::Ending, outcome::Outcome, time::Timestamp, usage::MicroUsd};

/// The limit that forbids starting anything now, if one does.
pub(super) fn reached(state: &RunState, now: Timestamp) -> Option<Outcome> {
    let limits = &state.start.settings.limits;
    let limit = |which: String| Some(Outcome::Limit { which });
    let counters = &state.counters;
    if state.again.is_none() && counters.iterations >= state.start.max_iterations {
        return limit(format!("{} iterations", state.start.max_iterations));
    }
    let money = MicroUsd::from_dollars(limits.max_cost_usd);
    if money.0 > 0 && state.usage.cost >= money {
        return limit(format!("{money} (spent {})", state.usage.cost));
    }
    if limits.max_tokens > 0 && state.usage.tokens() >= limits.max_tokens {
        return limit(format!("{} tokens (used {})", limits.max_tokens, state.usage.tokens()));
    }
    let time = limits.max_duration.0;
    if !time.is_zero() && now.since(state.started_at) >= time {
        return limit(format!("{time}"));
    }
    if limits.max_failed_in_a_row > 0 && counters.failed_in_a_row >= limits.max_failed_in_a_row {
        let failed = counters.failed_in_a_row;
        return Some(Outcome::NeedsPerson {
            why: format!(
                "{failed} tasks failed one after the other; the cause is probably not the task"
            ),
        });
    }
    None
}

/// The limit of its own that a task has reached, in words.
pub(super) fn task_reached(state: &RunState, task: usize) -> Option<String> {
    let limits = &state.start.settings.limits;
    let detail = state.detail(task)?;
    let money = MicroUsd::from_dollars(limits.max_task_cost_usd);
    if money.0 > 0 && detail.usage.cost >= money {
        return Some(format!("the task's limit of {money} is reached"));
    }
    if limits.max_task_tokens > 0 && detail.usage.tokens() >= limits.max_task_tokens {
        return Some(format!("the task's limit of {} tokens is reached", limits.max_task_tokens));
    }
    let time = limits.max_task_duration.0;
    if !time.is_zero() && detail.time >= time {
        return Some(format!("the task's limit of {time} is reached"));
    }
    None
}

/// When the next iteration may begin, if not yet.
pub(super) fn delay(state: &RunState, now: Timestamp) -> Option<Timestamp> {
    let pause = state.start.settings.limits.min_delay.0;
    let until = state.iteration_closed_at?.plus(pause);
    (!pause.is_zero() && now < until).then_some(until)
}

/// The agent's ending in words, with its name.
pub(super) fn agent_words(state: &RunState, iteration: &Iteration, ending: &Ending) -> String {
    let who = who::who(state, iteration.task, iteration.kind);
    format!("{} {}", who.agent, ending.describe())
}
