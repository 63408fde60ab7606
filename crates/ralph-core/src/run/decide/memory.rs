//! Compactions: when one is due, who makes it, and what follows. Never blocks, repeats or ends a run.

use super::policy;
use crate::{
    agent_facts::short_name,
    ending::Ending,
    event::Event,
    input::AgentReport,
    memory::{
        LooksUp, adopt, bound,
        compaction::{Compaction, CompactionStart, Compactor, Trigger},
        due, merge, stored_tokens,
    },
    run::{
        Iteration, RunState, brief,
        who::{self, Choice, Who},
    },
    settings::CompactBy,
    time::Timestamp,
    vocabulary::Kind,
};

/// What comes before an iteration on this task: an agent that is asked, or the compacted memory at once.
pub(super) fn due_before(state: &RunState, at: Timestamp, task: usize, kind: Kind) -> Vec<Event> {
    // Others get no memory, so it can wait.
    if !matches!(kind, Kind::Implement | Kind::Fix | Kind::Prompt) {
        return Vec::new();
    }
    let Some(task) = state.task(task) else {
        return Vec::new();
    };
    let agent = agent(state, at);
    let looks_up = if agent.is_some() { LooksUp::Yes } else { LooksUp::No };
    let Some(due) = due(&state.memory, &state.start.settings.memory, task, looks_up) else {
        return Vec::new();
    };
    let Some(who) = agent else {
        return compacted(state, due.why, Compactor::BuiltIn { why: String::new() }, None);
    };
    let problem = brief::compaction_problem(state, &due.libraries);
    let mut events: Vec<_> = problem.map(|text| Event::Warned { text }).into_iter().collect();
    events.push(Event::CompactionBegan(CompactionStart {
        number: state.memory.compactions + 1,
        after: state.counters.iterations,
        why: due.why,
        agent: who.agent,
        model: who.model,
        libraries: due.libraries,
    }));
    events
}

/// The agent that can compact now, if settings want one.
fn agent(state: &RunState, at: Timestamp) -> Option<Who> {
    let settings = &state.start.settings;
    if settings.memory.compactor == CompactBy::BuiltIn {
        return None;
    }
    match who::choose(state, at, usize::MAX, Kind::Compact) {
        Choice::Free(who) if state.start.abilities_of(&who.agent).can_compact => Some(who),
        Choice::Free(_) | Choice::AllRest { .. } => None,
    }
}

/// The agent that was asked has ended. If nothing came of it, ralph compacts itself.
pub(super) fn ended(
    state: &RunState,
    at: Timestamp,
    start: &CompactionStart,
    report: &AgentReport,
) -> Vec<Event> {
    let iteration = Iteration {
        agent: start.agent.clone(),
        model: start.model.clone(),
        report: Some(Box::new(report.clone())),
        ..Iteration::new(Kind::Compact, usize::MAX)
    };
    let mut events = vec![Event::AgentEnded(Box::new(report.clone()))];
    events.extend(policy::limited(state, at, &iteration, &report.ending));
    let reaction = policy::reaction(state, at, &iteration);
    events.extend(policy::rests(state, at, &iteration, reaction));
    let by_agent = Compactor::Agent { agent: start.agent.clone(), model: start.model.clone() };
    let failed = (report.ending != Ending::Ok).then(|| report.ending.describe());
    events.extend(match failed {
        None => compacted(state, start.why.clone(), by_agent, Some(report)),
        Some(why) => not_by_agent(state, start, &why),
    });
    events
}

/// The agent that was asked gave nothing.
pub(super) fn not_by_agent(state: &RunState, start: &CompactionStart, why: &str) -> Vec<Event> {
    let why = format!("{} {why}", short_name(&start.agent));
    compacted(state, start.why.clone(), Compactor::BuiltIn { why }, None)
}

/// The memory as it is from now on. That ralph stepped in for an agent is a warning, which the report and the log show.
fn compacted(
    state: &RunState,
    why: Trigger,
    by: Compactor,
    report: Option<&AgentReport>,
) -> Vec<Event> {
    let memory = &state.memory;
    let now = state.counters.iterations;
    let mut context = memory.context.clone();
    merge(&mut context, &memory.records);
    let mut by = by;
    if let Some(report) = report
        && let Err(problem) = adopt(&mut context, report.handoff.as_ref(), now)
    {
        by = Compactor::BuiltIn { why: format!("{}: {problem}", short_name(by.name())) };
    }
    let budget = state.start.settings.memory.context_budget_tokens;
    let left_out = bound(&mut context, budget, now);
    let warned = match &by {
        Compactor::BuiltIn { why } if !why.is_empty() => Some(Event::Warned {
            text: format!("memory: ralph compacted it in place of the agent: {why}"),
        }),
        _ => None,
    };
    let compacted = Event::MemoryCompacted(Box::new(Compaction {
        number: memory.compactions + 1,
        after: now,
        why,
        by,
        records: u32::try_from(memory.records.len()).unwrap_or(u32::MAX),
        tokens: u32::try_from(stored_tokens(&context)).unwrap_or(u32::MAX),
        left_out,
        context,
    }));
    warned.into_iter().chain([compacted]).collect()
}
