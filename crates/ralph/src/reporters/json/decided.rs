//! Decisions as published events: the run, its iterations, gates and tasks.

use ralph_core::{
    event::{Event, IterationStart, Rejection, RunStart, Source, StopHow},
    gates::report::GateResults,
    ids::{CommitId, TaskId, TreeId},
    input::{AgentReport, ScmReport, Workspace},
    isolation::Isolation,
    outcome::Outcome,
    plan::Status,
    run::Detail,
    time::Millis,
    timeline::{Timeline, proved},
    usage::Usage,
    verdict::{Reason, Verdict},
    vocabulary::{Kind, ReviewMode},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::people::{self, Published, labels};
use crate::reporters::console::{exit_code, next_command};

/// The published events of one event.
pub(super) fn published(event: &Event, timeline: &Timeline) -> Vec<Published> {
    let one = match event {
        Event::RunStarted(start) => ("run.started", started(start, timeline)),
        Event::RunResumed { .. } => ("run.resumed", resumed(timeline)),
        Event::IsolationChanged { isolation } => ("isolation.changed", changed(isolation)),
        Event::WorkspaceOpened(workspace) => ("workspace.opened", opened(workspace)),
        Event::BaselineRecorded { tree, results } => {
            ("baseline.recorded", baseline(tree, results, timeline))
        }
        Event::IterationStarted(start) => ("iteration.started", iteration_started(start)),
        Event::AgentEnded(report) => ("agent.ended", agent_ended(report, timeline)),
        Event::GatesRan { tree, results } => return gates(tree, results, timeline),
        Event::VerdictReached(verdict) => ("verdict.reached", verdict_reached(verdict)),
        Event::Committed { task, iteration, commit, tree } => (
            "task.committed",
            json!({
                "task": task.as_str(),
                "iteration": iteration,
                "commit": commit.as_str(),
                "tree": tree.as_str(),
            }),
        ),
        Event::TaskMoved { task, to, why, .. } => moved(task, *to, why, timeline),
        Event::ScmTasksRan { reports } => {
            return reports.iter().map(|report| ("scm.ran", scm(report))).collect();
        }
        Event::AttemptRejected(rejection) => ("attempt.rejected", rejected(rejection)),
        Event::CallSetAside(aside) => {
            ("call.set_aside", json!({"why": aside.ending.describe(), "kept": aside.kept}))
        }
        Event::WaitBegan { until, why } => ("wait.began", json!({"until": until, "why": why})),
        Event::WaitEnded => ("wait.ended", json!({})),
        Event::AgentRested { agent, until, why, .. } => {
            ("agent.rested", json!({"agent": agent, "until": until, "why": why}))
        }
        Event::WorkKept { task, branch, head, .. } => {
            ("work.kept", json!({"task": task.as_str(), "branch": branch, "head": head.as_str()}))
        }
        Event::StopRequested { how } => ("stop.requested", json!({"how": stop_word(*how)})),
        Event::Warned { text } => ("warning", json!({"text": text})),
        Event::RunFinished { outcome, notes } => {
            ("run.finished", finished(outcome, notes, timeline))
        }
        Event::AmendmentsProposed { .. }
        | Event::AmendmentsRuled { .. }
        | Event::ProposalDecided { .. }
        | Event::PlanChanged { .. }
        | Event::TaskReset { .. }
        | Event::QuestionAsked { .. }
        | Event::AnswerGiven { .. }
        | Event::ApprovalGiven { .. }
        | Event::WorkReapplied { .. } => return people::published(event, timeline),
        Event::EvidenceRecorded { .. }
        | Event::Reviewed(_)
        | Event::ReviewUnusable { .. }
        | Event::PlanDrafted(_)
        | Event::DraftUnusable { .. }
        | Event::Escalated { .. } => return people::judged(event).into_iter().collect(),
        Event::Steered { .. }
        | Event::PauseRequested { .. }
        | Event::Paused
        | Event::Unpaused
        | Event::CompactionBegan(_)
        | Event::MemoryCompacted(_) => return people::steered(event).into_iter().collect(),
        Event::PromptRead { .. }
        | Event::CheckpointTaken(_)
        | Event::TreeCaptured(_)
        | Event::AttemptAccepted { .. }
        | Event::AgentKeptFailing { .. }
        | Event::Proceeded { .. }
        | Event::IterationClosed
        | Event::RequestTaken { .. }
        | Event::RunEnding { .. } => return Vec::new(),
    };
    vec![one]
}

fn opened(workspace: &Workspace) -> Value {
    json!({
        "root": workspace.root,
        "branch": workspace.branch,
        "came_from": workspace.came_from,
        "head": workspace.head.as_str(),
    })
}

fn baseline(tree: &TreeId, results: &GateResults, timeline: &Timeline) -> Value {
    let red = results.gates.iter().filter(|gate| !timeline.passed(gate));
    let red: Vec<&str> = red.map(|gate| gate.gate.as_str()).collect();
    json!({"tree": tree.as_str(), "red": red})
}

fn scm(report: &ScmReport) -> Value {
    let exit_code = report.end.exit_code();
    json!({"task": report.task, "exit_code": exit_code, "output": report.output})
}

fn rejected(rejection: &Rejection) -> Value {
    json!({
        "task": rejection.task.as_str(),
        "attempt": rejection.attempt,
        "max_attempts": rejection.max_attempts,
        "kept": rejection.kept,
    })
}

fn stop_word(how: StopHow) -> &'static str {
    match how {
        StopHow::AfterIteration => "after_iteration",
        StopHow::Now => "now",
        StopHow::Signal { .. } => "signal",
    }
}

fn started(start: &RunStart, timeline: &Timeline) -> Value {
    let mode = match start.source {
        Source::Prompt { .. } | Source::Planning { .. } => ReviewMode::Off,
        Source::Plan | Source::Tasks { .. } => start.settings.review.mode,
    };
    let reviewer = start.settings.agent.for_kind(Kind::Review).command;
    json!({
        "version": start.version,
        "tasks": timeline.counts.total,
        "open": timeline.counts.total - timeline.counts.satisfied(),
        "agent": start.settings.agent.command,
        "model": start.settings.agent.model,
        "isolated": start.isolation.is_isolated(),
        "isolation": start.isolation.backend,
        "guarantee": start.isolation.guarantee,
        "branch": start.branch,
        "max_iterations": start.max_iterations,
        "gates": start.gates.iter().map(|gate| gate.name.as_str()).collect::<Vec<_>>(),
        "review": match mode {
            ReviewMode::On => "on",
            ReviewMode::Auto => "auto",
            ReviewMode::Off => "off",
        },
        "reviewer": (mode != ReviewMode::Off).then_some(reviewer),
    })
}

fn resumed(timeline: &Timeline) -> Value {
    let (iterations, max_iterations) = timeline.iterations();
    let isolation = timeline.start().map(|start| &start.isolation);
    json!({
        "iterations": iterations,
        "max_iterations": max_iterations,
        "isolation": isolation.map_or("", |isolation| &isolation.backend),
        "guarantee": isolation.map_or("", |isolation| &isolation.guarantee),
    })
}

fn changed(isolation: &Isolation) -> Value {
    json!({
        "isolated": isolation.is_isolated(),
        "isolation": isolation.backend,
        "guarantee": isolation.guarantee,
    })
}

fn iteration_started(start: &IterationStart) -> Value {
    json!({
        "iteration": start.iteration,
        "retry": start.retry,
        "kind": start.kind.word(),
        "task": start.task.as_str(),
        "title": start.title,
        "attempt": start.attempt,
        "max_attempts": start.max_attempts,
        "agent": start.agent,
        "model": start.model,
    })
}

fn agent_ended(report: &AgentReport, timeline: &Timeline) -> Value {
    json!({
        "iteration": timeline.current.as_ref().map_or(0, |current| current.start.iteration),
        "ending": tag(&report.ending, "how"),
        "detail": report.ending.describe(),
        "claimed": report.claimed,
        "took_ms": report.took.0,
        "cost_usd": dollars(&report.usage),
        "cost_is_estimate": report.usage.is_estimate,
        "tokens": tokens(&report.usage),
        "tools": report.tools,
        "tool_errors": report.tool_errors,
    })
}

fn gates(tree: &TreeId, results: &GateResults, timeline: &Timeline) -> Vec<Published> {
    let gates = results.gates.iter().map(|gate| {
        let fields = json!({
            "gate": gate.gate,
            "passed": timeline.passed(gate),
            "flaky": gate.flaky,
            "exit_code": gate.end.exit_code(),
            "took_ms": gate.took.0,
            "tests": gate.tests.ran,
            "failing": gate.tests.failing,
            "tree": tree.as_str(),
            "log": gate.log,
        });
        ("gate.finished", fields)
    });
    let checks = results.checks.iter().map(|check| {
        let fields = json!({
            "criterion": check.criterion,
            "command": check.command,
            "passed": check.end.succeeded(),
            "exit_code": check.end.exit_code(),
            "took_ms": check.took.0,
            "tree": tree.as_str(),
            "log": check.log,
        });
        ("check.finished", fields)
    });
    gates.chain(checks).collect()
}

fn verdict_reached(verdict: &Verdict) -> Value {
    json!({
        "accepted": verdict.accepted,
        "tree": verdict.tree.as_ref().map(TreeId::as_str),
        "reasons": verdict.reasons.iter().map(Reason::describe).collect::<Vec<_>>(),
        "labels": labels(&verdict.labels),
    })
}

fn moved(task: &TaskId, to: Status, why: &str, timeline: &Timeline) -> Published {
    let name = match to {
        Status::Done => return ("task.done", done(task, timeline)),
        Status::Failed => {
            let detail = timeline.detail(task);
            let attempts = detail.map_or(0, |detail| detail.attempts);
            let fields = json!({
                "task": task.as_str(),
                "why": why,
                "attempts": attempts,
                "tries": attempts,
                "branch": detail.and_then(|detail| detail.branch.as_deref()),
            });
            return ("task.failed", fields);
        }
        Status::InProgress => return ("task.started", json!({"task": task.as_str()})),
        Status::Parked => "task.parked",
        Status::Skipped => "task.skipped",
        Status::Pending => "task.reopened",
        Status::NeedsReview => "task.in_review",
        Status::ChangesRequested => "task.changes_requested",
    };
    (name, json!({"task": task.as_str(), "why": why}))
}

fn done(task: &TaskId, timeline: &Timeline) -> Value {
    let none = Detail::default();
    let detail = timeline.detail(task).unwrap_or(&none);
    let known = timeline.tasks.get(task);
    let gates = known.map_or(Millis::default(), |known| known.gate_time);
    json!({
        "task": task.as_str(),
        "attempts": detail.attempts,
        "tries": detail.attempts,
        "spent_ms": detail.time.plus(gates).0,
        "cost_usd": dollars(&detail.usage),
        "cost_is_estimate": detail.usage.is_estimate,
        "commit": detail.commits.last().map(CommitId::as_str),
        "proved": proved(detail),
        "criteria": detail.evidence.len(),
        "labels": labels(&detail.labels),
    })
}

fn finished(outcome: &Outcome, notes: &[String], timeline: &Timeline) -> Value {
    let counts = timeline.counts;
    let usage = timeline.usage();
    json!({
        "outcome": tag(outcome, "outcome"),
        "detail": timeline.describe(outcome),
        "exit_code": exit_code(outcome, timeline.start()),
        "done": counts.done,
        "skipped": counts.skipped,
        "failed": counts.failed,
        "parked": counts.parked,
        "left": counts.open(),
        "iterations": timeline.iterations().0,
        "rejected": timeline.state().map_or(0, |state| state.counters.rejected),
        "cost_usd": dollars(&usage),
        "cost_is_estimate": usage.is_estimate,
        "tokens": tokens(&usage),
        "took_ms": timeline.took(timeline.last()).0,
        "notes": notes,
        "next": next_command(outcome, timeline),
    })
}

/// The name that a tagged enum is stored under.
fn tag(value: &impl Serialize, key: &str) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| Some(value.get(key)?.as_str()?.to_owned()))
        .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "sums of money stay far below 2^52")]
fn dollars(usage: &Usage) -> Option<f64> {
    usage.known_cost().map(|cost| cost.0 as f64 / 1e6)
}

fn tokens(usage: &Usage) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
    })
}
