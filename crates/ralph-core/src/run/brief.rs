//! The agent call that a state asks for: who is started, with which limits, and what it is told.

use super::{AttemptRecord, Iteration, Kind, Reason, RunState, Stage};
use crate::{
    agents,
    effect::AgentCall,
    event::Source,
    gates::{
        baseline::{Standing, compare},
        message::{check_message, gate_message},
        report::{FailAction, Severity},
    },
    plan::Task,
    prompt::{Brief, Counter, Feedback, HandoffForm, Section, Vars, Work, render},
    usage::MicroUsd,
};

/// Tokens of a prompt, as far as they can be kept.
const BUDGET: usize = 8_000;

/// The agent call that an iteration asks for.
pub(super) fn call(state: &RunState, iteration: &Iteration) -> AgentCall {
    let start = &state.start;
    let task = start.plan.tasks.get(iteration.task).cloned().unwrap_or_default();
    let agent = &start.settings.agent;
    let timeouts = &start.settings.timeouts;
    let factor = timeouts.multiplier * task.timeout_multiplier.unwrap_or(1.0);
    let overflowed = state.detail(iteration.task).is_some_and(|detail| detail.overflowed);
    let tokens = if overflowed { BUDGET / 2 } else { BUDGET };
    let command = task.agent.clone().unwrap_or_else(|| agent.command.clone());
    AgentCall {
        iteration: iteration.number,
        retry: iteration.retry,
        kind: iteration.kind,
        flags: agent.flags.clone(),
        model: task.model.clone().unwrap_or_else(|| agent.model.clone()),
        fallback_model: agent.fallback_model.clone(),
        max_turns: task.max_turns.unwrap_or(agent.max_turns),
        soft_timeout: timeouts.implement.soft.0.times(factor),
        hard_timeout: timeouts.implement.hard.0.times(factor),
        idle_timeout: timeouts.idle.0.times(factor),
        env: agent.env.clone(),
        budget: budget(state),
        task: task.id.clone(),
        prompt: render(&brief(state, iteration, task, &command), tokens).text,
        agent: command,
    }
}

/// Everything the call is told.
fn brief(state: &RunState, iteration: &Iteration, task: Task, agent: &str) -> Brief {
    let settings = &state.start.settings.prompt;
    let counter = Counter { iteration: iteration.number, of: state.start.max_iterations };
    let work = match iteration.kind {
        Kind::Implement => Work::Task(Box::new(task)),
        Kind::Prompt => {
            let text = if state.prompt.is_empty() { &task.description } else { &state.prompt };
            Work::Prompt(Vars::new("prompt", settings, counter).fill(text))
        }
    };
    let mut brief = Brief::new(work);
    if !agents::has_structured_output(agent) {
        brief.handoff = HandoffForm::Block;
    }
    brief.counter = settings.iteration_count.then_some(counter);
    if iteration.kind == Kind::Implement {
        brief.background.push((Section::Project, state.start.plan.description.clone()));
    }
    if let Some(newest) = state.detail(iteration.task).and_then(|detail| detail.feedback.back()) {
        brief.feedback = feedback(state, iteration.task, newest);
    }
    brief.notes = notes(state, iteration);
    brief
}

/// The newest attempt's failures, word for word.
fn feedback(state: &RunState, task: usize, record: &AttemptRecord) -> Vec<Feedback> {
    let mut told = Vec::new();
    for report in &record.results.gates {
        let Some(spec) = state.start.gates.iter().find(|spec| spec.name == report.gate) else {
            continue;
        };
        let before = state.baseline.iter().flatten().find(|known| known.gate == report.gate);
        let standing = compare(report, spec, before);
        if standing == Standing::SoftRed || !standing.accepts() {
            let message = gate_message(spec, report, &standing);
            let advisory =
                if spec.severity == Severity::Soft { " (advice, not required)" } else { "" };
            told.push(Feedback {
                title: format!("{}{advisory}", message.head),
                hint: String::new(),
                output: message.output,
                action: spec.fail_action,
            });
        }
    }
    let criteria = state.start.plan.tasks.get(task).map(|task| task.acceptance_criteria.as_slice());
    for check in record.results.checks.iter().filter(|check| !check.end.succeeded()) {
        let criterion = criteria.and_then(|all| all.get(check.criterion));
        let hard_timeout = state.start.settings.timeouts.gate.hard.0;
        let message = check_message(criterion.map_or("", |one| one.text()), check, hard_timeout);
        told.push(Feedback {
            title: message.head,
            hint: String::new(),
            output: message.output,
            action: FailAction::Append,
        });
    }
    told
}

/// What else a fresh context must know about earlier attempts.
fn notes(state: &RunState, iteration: &Iteration) -> Vec<String> {
    let Some(detail) = state.detail(iteration.task) else { return Vec::new() };
    let mut notes = Vec::new();
    for record in &detail.feedback {
        notes.push(format!("Attempt {}: {}.", record.attempt, summary(record)));
        if !record.tried.trim().is_empty() {
            let tried: String = record.tried.trim().chars().take(400).collect();
            notes.push(format!("Attempt {} said of itself: {tried}", record.attempt));
        }
    }
    if !detail.feedback.is_empty() {
        notes.push(if detail.work.is_some() {
            "The work of the last attempt is still in the files: repair it.".into()
        } else {
            "The files are back at the last accepted state: start over.".into()
        });
    } else if detail.work.is_some() {
        notes.push("An earlier call was cut off; what it had done so far is in the files.".into());
    }
    if detail.overflowed {
        notes.push("An earlier call ran out of context: read less at a time.".into());
    }
    notes
}

fn summary(record: &AttemptRecord) -> String {
    let reasons: Vec<_> = record.verdict.reasons.iter().map(Reason::describe).collect();
    reasons.join("; ")
}

fn budget(state: &RunState) -> Option<MicroUsd> {
    let limit = MicroUsd::from_dollars(state.start.settings.limits.max_cost_usd);
    (limit.0 > 0).then(|| MicroUsd(limit.0.saturating_sub(state.usage.cost.0)))
}

/// The first agent call of a run that has not begun, for people to look at.
pub fn first_call(state: &RunState) -> Option<AgentCall> {
    let kind = match state.start.source {
        Source::Prompt { .. } => Kind::Prompt,
        Source::Plan | Source::Tasks { .. } => Kind::Implement,
    };
    let iteration = Iteration {
        number: 1,
        retry: 0,
        kind,
        task: state.pick()?,
        stage: Stage::Agent,
        stage_since: state.last_at,
        checkpoint: None,
        report: None,
        captured: None,
        results: None,
        verdict: None,
    };
    Some(call(state, &iteration))
}
