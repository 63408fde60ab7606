//! The call of an agent that compacts memory: in a throwaway copy, with the servers of memory, never a task's work.

use super::{RunState, brief, limits, who};
use crate::{
    effect::AgentCall,
    memory::{compaction::CompactionStart, mcp},
    prompt::{Brief, CompactWork, Rendered, Work, render},
    time::Millis,
    vocabulary::Kind,
};

/// The call that a compaction asks for.
pub(super) fn call(state: &RunState, start: &CompactionStart) -> AgentCall {
    let settings = &state.start.settings;
    let timeout = settings.timeouts.review;
    let who = who::compacting(state, &start.agent, &start.model);
    let left = limits::left_of_run(state);
    let factor = settings.timeouts.multiplier;
    let hard_timeout = timeout.hard.0.times(factor);
    AgentCall {
        iteration: start.after,
        // A compaction after the same iteration has files of its own.
        retry: start.number,
        kind: Kind::Compact,
        flags: who.flags,
        model: who.model,
        fallback_model: who.fallback_model,
        max_turns: who.max_turns,
        soft_timeout: timeout.soft.0.times(factor),
        hard_timeout: left.time.map_or(hard_timeout, |time| hard_timeout.min(time.max(Millis(1)))),
        idle_timeout: settings.timeouts.idle.0.times(factor),
        env: settings.agent.env.clone(),
        budget: left.money,
        tokens: left.tokens,
        prices: settings.prices.clone(),
        custom: settings.agents.get(&who.agent).cloned().map(Box::new),
        mcp: mcp::of_kind(Kind::Compact, &state.start.library.mcp).to_owned(),
        copy_of: Some(state.head.clone()),
        prompt: told(state, &start.libraries).text,
        agent: who.agent,
        ..AgentCall::default()
    }
}

/// Why the user's template cannot be used for a compaction that is about to start, if it cannot.
pub(super) fn trouble(state: &RunState, libraries: &[String]) -> Option<String> {
    if state.start.library.templates.is_empty() {
        return None;
    }
    brief::unusable(&told(state, libraries))
}

/// The prompt, laid out by the user's own template if there is one.
fn told(state: &RunState, libraries: &[String]) -> Rendered {
    let mut brief = Brief::new(Work::Compact(Box::new(CompactWork {
        context: state.memory.context.clone(),
        records: state.memory.records.clone(),
        libraries: libraries.to_vec(),
    })));
    brief.template = brief.template_name().own(&state.start.library.templates).map(str::to_owned);
    render(&brief, state.start.settings.memory.context_budget_tokens)
}
