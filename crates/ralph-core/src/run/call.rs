//! The agent call that a state asks for: who is started, where, and with which limits. What it reads is the brief's.

use super::{
    Iteration, RunState, brief,
    limits::{self, Left},
    who::{self, Who},
};
use crate::{
    effect::AgentCall,
    memory::{compaction::CompactionStart, mcp},
    prompt::Rendered,
    settings::Timeout,
    time::Millis,
    vocabulary::{Kind, Stage},
};

/// The call of an iteration.
pub(super) fn of_iteration(state: &RunState, iteration: &Iteration) -> AgentCall {
    let task = state.task(iteration.task);
    let timeouts = &state.start.settings.timeouts;
    let multiplier = task.and_then(|task| task.timeout_multiplier).unwrap_or(1.0);
    let is_review = iteration.kind == Kind::Review;
    let in_copy = matches!(iteration.kind, Kind::Review | Kind::Plan);
    let bounds = Bounds {
        timeout: if is_review { timeouts.review } else { timeouts.implement },
        factor: timeouts.multiplier * multiplier,
        left: limits::left(state, Some(iteration.task)),
    };
    let who = who::of(state, iteration);
    AgentCall {
        iteration: iteration.number,
        retry: iteration.retry,
        copy_of: in_copy.then(|| state.head.clone()),
        task: state.task_id(iteration.task),
        prompt: brief::prompt(state, iteration, &who.agent).text,
        seal: brief::seal(state, iteration),
        ..call(state, iteration.kind, who, &bounds)
    }
}

/// The call of a compaction: in a throwaway copy, with the servers of memory, never a task's work.
pub(super) fn of_compaction(state: &RunState, start: &CompactionStart) -> AgentCall {
    let timeouts = &state.start.settings.timeouts;
    let bounds = Bounds {
        timeout: timeouts.review,
        factor: timeouts.multiplier,
        left: limits::left(state, None),
    };
    let who = who::compacting(state, &start.agent, &start.model);
    AgentCall {
        iteration: start.after,
        // A compaction after the same iteration has files of its own.
        retry: start.number,
        copy_of: Some(state.head.clone()),
        prompt: brief::compaction_prompt(state, &start.libraries).text,
        ..call(state, Kind::Compact, who, &bounds)
    }
}

struct Bounds {
    timeout: Timeout,
    factor: f64,
    left: Left,
}

/// What follows from who is called and from the limits.
fn call(state: &RunState, kind: Kind, who: Who, bounds: &Bounds) -> AgentCall {
    let settings = &state.start.settings;
    let Bounds { timeout, factor, left } = bounds;
    let hard_timeout = timeout.hard.0.times(*factor);
    AgentCall {
        kind,
        flags: who.flags,
        model: who.model,
        fallback_model: who.fallback_model,
        max_turns: who.max_turns,
        soft_timeout: timeout.soft.0.times(*factor),
        hard_timeout: left.time.map_or(hard_timeout, |time| hard_timeout.min(time.max(Millis(1)))),
        idle_timeout: settings.timeouts.idle.0.times(*factor),
        env: settings.agent.env.clone(),
        budget: left.money,
        tokens: left.tokens,
        prices: settings.prices.clone(),
        custom: settings.agents.get(&who.agent).cloned().map(Box::new),
        mcp: mcp::of_kind(kind, &state.start.library.mcp).to_owned(),
        agent: who.agent,
        ..AgentCall::default()
    }
}

/// The first agent call of a run that has not begun, and what its prompt is made of, for people to look at.
pub fn first_call(state: &RunState) -> Option<(AgentCall, Rendered)> {
    let task = state.pick()?;
    let iteration =
        Iteration { stage: Stage::Agent, number: 1, ..Iteration::new(state.kind_of(task), task) };
    let call = of_iteration(state, &iteration);
    let rendered = brief::prompt(state, &iteration, &call.agent);
    Some((call, rendered))
}
