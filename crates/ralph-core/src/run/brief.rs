//! The agent call that a state asks for: who is started, with which limits, and what it is told.

use super::{Answer, AttemptRecord, Detail, Iteration, Kind, Reason, RunState, Stage, limits, who};
use crate::{
    agents,
    effect::AgentCall,
    gates::{
        baseline::{Standing, compare},
        message::{check_message, gate_message},
        protect::Touched,
        report::{FailAction, GateReport, Severity},
    },
    plan::Task,
    prompt::{
        Brief, Counter, Feedback, HandoffForm, ReviewWork, Section, Shift, Vars, Work, render,
    },
    review::Finding,
    time::Millis,
};

/// Tokens of a prompt, as far as they can be kept.
const BUDGET: usize = 8_000;

/// The agent call that an iteration asks for.
pub(super) fn call(state: &RunState, iteration: &Iteration) -> AgentCall {
    let start = &state.start;
    let task = start.plan.tasks.get(iteration.task).cloned().unwrap_or_default();
    let timeouts = &start.settings.timeouts;
    let factor = timeouts.multiplier * task.timeout_multiplier.unwrap_or(1.0);
    let is_review = iteration.kind == Kind::Review;
    let timeout = if is_review { timeouts.review } else { timeouts.implement };
    let overflowed = state.detail(iteration.task).is_some_and(|detail| detail.overflowed);
    let tokens = if overflowed { BUDGET / 2 } else { BUDGET };
    let who = who::of(state, iteration);
    let left = limits::left(state, iteration.task);
    let hard_timeout = timeout.hard.0.times(factor);
    AgentCall {
        iteration: iteration.number,
        retry: iteration.retry,
        kind: iteration.kind,
        flags: who.flags,
        model: who.model,
        fallback_model: who.fallback_model,
        max_turns: who.max_turns,
        soft_timeout: timeout.soft.0.times(factor),
        hard_timeout: left.time.map_or(hard_timeout, |time| hard_timeout.min(time.max(Millis(1)))),
        idle_timeout: timeouts.idle.0.times(factor),
        env: start.settings.agent.env.clone(),
        budget: left.money,
        tokens: left.tokens,
        prices: start.settings.prices.clone(),
        custom: start.settings.agents.get(&who.agent).cloned().map(Box::new),
        copy_of: is_review.then(|| state.head.clone()),
        task: task.id.clone(),
        prompt: render(&brief(state, iteration, task, &who.agent), tokens).text,
        agent: who.agent,
    }
}

/// Everything the call is told.
fn brief(state: &RunState, iteration: &Iteration, task: Task, agent: &str) -> Brief {
    let settings = &state.start.settings.prompt;
    let counter = Counter { iteration: iteration.number, of: state.start.max_iterations };
    let detail = state.detail(iteration.task);
    let work = match iteration.kind {
        Kind::Prompt => {
            let text = if state.prompt.is_empty() { &task.description } else { &state.prompt };
            Work::Prompt(Vars::new("prompt", settings, counter).fill(text))
        }
        Kind::Review => Work::Review(review_work(state, detail, task)),
        Kind::Fix => {
            let findings = detail.map(|detail| detail.findings.clone()).unwrap_or_default();
            Work::Fix(Box::new(task), findings)
        }
        Kind::Implement | Kind::Apply => Work::Task(Box::new(task)),
    };
    let mut brief = Brief::new(work);
    let agent = agents::of_name(agent, &state.start.settings);
    if agent.facts().handoff == agents::HandoffBy::Block {
        brief.handoff = HandoffForm::Block;
    }
    brief.counter = settings.iteration_count.then_some(counter);
    if iteration.kind != Kind::Prompt {
        brief.background.push((Section::Project, state.start.plan.description.clone()));
    }
    if iteration.kind != Kind::Review
        && let Some(detail) = detail
    {
        if let Some(newest) = detail.feedback.back() {
            brief.feedback = feedback(state, iteration.task, newest);
        }
        brief.feedback.extend(detail.feedback.iter().filter_map(tried));
        brief.directive = shift(detail);
        brief.extra_files.clone_from(&detail.expand);
        let told = |one: &Answer| (one.question.clone(), one.answer.clone());
        brief.answers = detail.answers.iter().map(told).collect();
        brief.notes = notes(state, detail);
    }
    brief
}

/// What a reviewer gets to see: facts, and what the agent claims, labelled as that.
fn review_work(state: &RunState, detail: Option<&Detail>, task: Task) -> ReviewWork {
    let mut work = ReviewWork::new(task);
    let Some(detail) = detail else { return work };
    if !detail.began_at.is_empty() && detail.began_at != state.head {
        work.range = Some((detail.began_at.clone(), state.head.clone()));
    }
    work.gates = detail.proof.iter().map(gate_line).collect();
    let line = |one: &Touched| format!("{} ({})", one.path, one.exposure.describe());
    work.touched = detail.touched.iter().map(line).collect();
    work.claims.clone_from(&detail.claimed);
    work.earlier = detail.findings.iter().map(Finding::line).collect();
    work
}

fn gate_line(report: &GateReport) -> String {
    let tests = report.tests.ran.map(|ran| format!(", {ran} tests")).unwrap_or_default();
    let flaky = if report.flaky { ", failed at first and passed when run again" } else { "" };
    format!("{}: exit {}{tests}{flaky}", report.gate, report.end.exit_code())
}

/// What an agent that is stuck must not do again.
fn shift(detail: &Detail) -> Option<Shift> {
    let stuck = detail.stuck.as_ref().filter(|_| detail.escalated.shifts > 0)?;
    let mut failed_approach: Vec<String> =
        detail.feedback.iter().map(|record| record.tried.trim().to_owned()).collect();
    failed_approach.retain(|tried| !tried.is_empty());
    failed_approach.dedup();
    Some(Shift { failed_approach, why: stuck.describe() })
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

/// What an attempt said it did: an agent's words, so they are shown as output.
fn tried(record: &AttemptRecord) -> Option<Feedback> {
    let said: String = record.tried.trim().chars().take(400).collect();
    (!said.is_empty()).then(|| Feedback {
        title: format!("attempt {} said of itself (a claim, not a fact)", record.attempt),
        hint: String::new(),
        output: said,
        action: FailAction::Append,
    })
}

/// What else a fresh context must know about earlier attempts.
fn notes(state: &RunState, detail: &Detail) -> Vec<String> {
    let mut notes = Vec::new();
    for record in &detail.feedback {
        notes.push(format!("Attempt {}: {}.", record.attempt, summary(record)));
    }
    if !detail.feedback.is_empty() {
        notes.push(if detail.work.is_some() {
            "The work of the last attempt is still in the files: repair it.".into()
        } else {
            "The files are back at the last accepted state: start over.".into()
        });
    } else if detail.work.is_some() {
        notes.push("What an earlier call had done so far is in the files.".into());
    }
    if let Some(branch) = &detail.earlier {
        notes.push(format!(
            "An earlier try is on the branch {branch}: `git diff HEAD...{branch}` shows it."
        ));
    }
    if detail.overflowed {
        notes.push("An earlier call ran out of context: read less at a time.".into());
    }
    notes.extend(state.refused.iter().map(|why| format!("A plan amendment was refused. {why}")));
    notes
}

fn summary(record: &AttemptRecord) -> String {
    let reasons: Vec<_> = record.verdict.reasons.iter().map(Reason::describe).collect();
    reasons.join("; ")
}

/// The first agent call of a run that has not begun, for people to look at.
pub fn first_call(state: &RunState) -> Option<AgentCall> {
    let task = state.pick()?;
    let iteration = Iteration { stage: Stage::Agent, ..Iteration::new(state.kind_of(task), task) };
    Some(call(state, &iteration))
}
