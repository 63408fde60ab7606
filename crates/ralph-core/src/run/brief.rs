//! What a state has to say in words: the agent's call with its prompt, and the messages of commits.

use super::{Iteration, RunState};
use crate::{
    effect::AgentCall, plan::Task, settings::MessageSource, time::Timestamp, usage::MicroUsd,
};

/// Most characters of a commit's subject line.
const SUBJECT: usize = 100;

/// The agent call that an iteration asks for.
pub(super) fn call(state: &RunState, iteration: &Iteration) -> AgentCall {
    let start = &state.start;
    let task = start
        .plan
        .tasks
        .get(iteration.task)
        .cloned()
        .unwrap_or_default();
    let agent = &start.settings.agent;
    let timeouts = &start.settings.timeouts;
    let factor = timeouts.multiplier * task.timeout_multiplier.unwrap_or(1.0);
    AgentCall {
        iteration: iteration.number,
        retry: iteration.retry,
        kind: iteration.kind,
        agent: task.agent.clone().unwrap_or_else(|| agent.command.clone()),
        flags: agent.flags.clone(),
        model: task.model.clone().unwrap_or_else(|| agent.model.clone()),
        fallback_model: agent.fallback_model.clone(),
        max_turns: task.max_turns.unwrap_or(agent.max_turns),
        prompt: prompt(state, iteration, &task),
        soft_timeout: timeouts.implement.soft.0.times(factor),
        hard_timeout: timeouts.implement.hard.0.times(factor),
        idle_timeout: timeouts.idle.0.times(factor),
        env: agent.env.clone(),
        budget: budget(state),
        task: task.id,
    }
}

fn prompt(state: &RunState, iteration: &Iteration, task: &Task) -> String {
    let _ = (state, iteration);
    format!(
        "# Task {}: {}\n\n{}\n",
        task.id, task.title, task.description
    )
}

fn budget(state: &RunState) -> Option<MicroUsd> {
    let limit = MicroUsd::from_dollars(state.start.settings.limits.max_cost_usd);
    (limit.0 > 0).then(|| MicroUsd(limit.0.saturating_sub(state.usage.cost.0)))
}

/// The accepted commit's message: the agent's own where it gave a usable one, else from the task.
pub(super) fn commit_message(state: &RunState, iteration: &Iteration) -> String {
    let Some(task) = state.start.plan.tasks.get(iteration.task) else {
        return String::new();
    };
    let handoff = iteration
        .report
        .as_ref()
        .and_then(|report| report.handoff.as_ref());
    let proposed = handoff
        .filter(|_| state.start.settings.git.message == MessageSource::Handoff)
        .and_then(|handoff| handoff.commit_message.as_deref())
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let mut message = match proposed {
        Some(text) => text.to_owned(),
        None => format!("{}: {}", task.id, task.title),
    };
    if let Some((subject, _)) = message.split_once('\n').or(Some((&message, "")))
        && subject.chars().count() > SUBJECT
    {
        message = subject.chars().take(SUBJECT).collect();
    }
    message
}

/// The message of a commit that only keeps a tree.
pub(super) fn quarantine_message(state: &RunState, iteration: &Iteration) -> String {
    let task = state
        .start
        .plan
        .tasks
        .get(iteration.task)
        .map(|task| task.id.as_str());
    let mut text = format!(
        "not accepted: {} iteration {}\n\n",
        task.unwrap_or_default(),
        iteration.number
    );
    text.push_str(&reasons(iteration));
    text
}

/// The message of the branch that keeps a given-up task's work.
pub(super) fn diagnosis(state: &RunState, iteration: &Iteration) -> String {
    let Some(task) = state.start.plan.tasks.get(iteration.task) else {
        return String::new();
    };
    let attempts = state
        .detail(iteration.task)
        .map_or(0, |detail| detail.rejected);
    let mut text = format!("ralph gave up on {}: {}\n\n", task.id, task.title);
    text.push_str(&format!(
        "Attempts: {attempts}/{}\n",
        state.max_attempts(iteration.task)
    ));
    if let Some(verdict) = &iteration.verdict {
        text.push_str(&format!("Fingerprint: {}\n\n", verdict.fingerprint));
    }
    text.push_str(&reasons(iteration));
    text
}

fn reasons(iteration: &Iteration) -> String {
    let lines: Vec<String> = match (&iteration.verdict, &iteration.report) {
        (Some(verdict), _) => verdict
            .reasons
            .iter()
            .map(|reason| reason.describe())
            .collect(),
        (None, Some(report)) => vec![format!("the agent {}", report.ending.describe())],
        (None, None) => Vec::new(),
    };
    lines.iter().map(|line| format!("- {line}\n")).collect()
}

/// `20261114-220301`, for branch names.
pub(super) fn stamp(at: Timestamp) -> String {
    let digits: String = at
        .to_string()
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    match digits.split_at_checked(8) {
        Some((date, time)) => format!("{date}-{time}"),
        None => digits,
    }
}
