//! `--json`: one published event per line on the given writer.

use std::{io::Write, sync::Arc};

use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, News, Reporter, Said},
};
use ralph_core::{
    event::{Decision, Event, IterationStart, RunStart, Source, StopHow},
    gates::report::{CheckReport, GateResults},
    ids::{CommitId, TaskId, TreeId},
    input::{AgentReport, ScmReport},
    isolation::Isolation,
    outcome::Outcome,
    plan::Status,
    time::Timestamp,
    usage::{MicroUsd, Usage},
    verdict::{Reason, Verdict},
    vocabulary::{Kind, ReviewMode},
};
use serde::Serialize;

use super::{
    console::{exit_code, next_command},
    plain,
    tally::{Tally, is_detail},
    wire::{Envelope, Finished, Todo, Tokens, VERSION, Wire},
    wire_people, wire_steering,
};

/// Writes wire events.
pub(crate) struct Json {
    out: Box<dyn Write + Send>,
    tally: Tally,
}

impl Json {
    /// `tally` is what happened before, for a run that is taken up again.
    pub(crate) fn new(out: Box<dyn Write + Send>, tally: Tally) -> Self {
        Self { out, tally }
    }

    fn decided(&mut self, decision: &Arc<Decision>) -> std::io::Result<()> {
        for event in decision.events.iter().filter(|e| is_detail(e)) {
            self.tally.note(decision, event);
        }
        for event in &decision.events {
            if !is_detail(event) {
                self.tally.note(decision, event);
            }
            for what in wires(event, &self.tally) {
                write(&mut self.out, what, self.tally.run.as_str(), decision.at)?;
            }
        }
        Ok(())
    }
}

fn write(out: &mut dyn Write, what: Wire<'_>, run: &str, at: Timestamp) -> std::io::Result<()> {
    let envelope = Envelope { v: VERSION, what, run, at };
    let line = serde_json::to_string(&envelope)?;
    let mut line = plain::in_json(&line).into_owned().into_bytes();
    line.push(b'\n');
    out.write_all(&line)
}

impl Reporter for Json {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        match news {
            News::Decided(decision) => self.decided(decision),
            News::Chatter(chatter) => match chat(chatter) {
                Some(what) => write(&mut self.out, what, self.tally.run.as_str(), chatter.at),
                None => Ok(()),
            },
        }
    }

    fn caught_up(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }

    fn tick(&mut self, _now: Timestamp) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn chat(chatter: &Chatter) -> Option<Wire<'_>> {
    let iteration = chatter.iteration;
    Some(match &chatter.said {
        Said::Agent(event) => return agent(iteration, event),
        Said::GateStarted { gate } => Wire::GateStarted { iteration, gate },
        Said::GateRunsAgain { gate, end } => {
            Wire::GateRunsAgain { iteration, gate, exit_code: end.exit_code() }
        }
        // The durable event says more; this one would say it twice.
        Said::GateFinished { .. } => return None,
        Said::Slow { what, after } => Wire::Slow { what, after_ms: after.0 },
        Said::Noted { text } => Wire::Warning { text },
        Said::Dropped { count } => Wire::Dropped { count: *count },
    })
}

fn agent(iteration: u32, event: &AgentEvent) -> Option<Wire<'_>> {
    Some(match event {
        AgentEvent::Text { text } => Wire::AgentText { iteration, text },
        AgentEvent::ToolStart { id, name, input } => {
            Wire::ToolStarted { iteration, id, name, input }
        }
        AgentEvent::ToolEnd { id, lines, chars, is_error, .. } => {
            Wire::ToolEnded { iteration, id, is_error: *is_error, lines: *lines, chars: *chars }
        }
        AgentEvent::Todo { items } => Wire::AgentTodo {
            iteration,
            items: items
                .iter()
                .map(|item| Todo { text: &item.text, status: &item.status })
                .collect(),
        },
        AgentEvent::Retry { attempt, of, delay_ms, error } => {
            Wire::AgentRetried { iteration, attempt: *attempt, of: *of, delay_ms: *delay_ms, error }
        }
        AgentEvent::RateLimit { status, resets_at, utilization } => Wire::AgentRateLimit {
            iteration,
            status,
            resets_at: *resets_at,
            utilization: *utilization,
        },
        AgentEvent::Denied { tool, why } => Wire::ToolDenied { iteration, tool, why },
        AgentEvent::Session { .. }
        | AgentEvent::Thinking { .. }
        | AgentEvent::Progress { .. }
        | AgentEvent::Spent { .. }
        | AgentEvent::Result { .. } => return None,
    })
}

fn wires<'a>(event: &'a Event, tally: &'a Tally) -> Vec<Wire<'a>> {
    let one = match event {
        Event::RunStarted(start) => started(start, tally),
        Event::RunResumed { .. } => resumed(tally),
        Event::IsolationChanged { isolation } => isolation_changed(isolation),
        Event::WorkspaceOpened(workspace) => Wire::WorkspaceOpened {
            root: &workspace.root,
            branch: &workspace.branch,
            came_from: &workspace.came_from,
            head: workspace.head.as_str(),
        },
        Event::BaselineRecorded { tree, results } => baseline(tree, results, tally),
        Event::IterationStarted(start) => iteration_started(start),
        Event::AgentEnded(report) => agent_ended(report, tally),
        Event::GatesRan { tree, results } => return gates(tree, results, tally),
        Event::VerdictReached(verdict) => verdict_reached(verdict),
        Event::Committed { task, iteration, commit, tree } => Wire::TaskCommitted {
            task: task.as_str(),
            iteration: *iteration,
            commit: commit.as_str(),
            tree: tree.as_str(),
        },
        Event::TaskMoved { task, to, why, .. } => moved(task, *to, why, tally),
        Event::ScmTasksRan { reports } => return reports.iter().map(scm_ran).collect(),
        Event::AttemptRejected(rejection) => Wire::AttemptRejected {
            task: rejection.task.as_str(),
            attempt: rejection.attempt,
            max_attempts: rejection.max_attempts,
            kept: rejection.kept.as_deref(),
        },
        Event::CallSetAside(aside) => {
            Wire::CallSetAside { why: aside.ending.describe(), kept: aside.kept.as_deref() }
        }
        Event::WaitBegan { until, why } => Wire::WaitBegan { until: *until, why },
        Event::WaitEnded => Wire::WaitEnded,
        Event::AgentRested { agent, until, why, .. } => {
            Wire::AgentRested { agent, until: *until, why }
        }
        Event::WorkKept { task, branch, head, .. } => {
            Wire::WorkKept { task: task.as_str(), branch, head: head.as_str() }
        }
        Event::StopRequested { how } => Wire::StopRequested { how: stop_word(*how) },
        Event::Warned { text } => Wire::Warning { text },
        Event::RunFinished { outcome, notes } => finished(outcome, notes, tally),
        Event::EvidenceRecorded { .. }
        | Event::AmendmentsProposed { .. }
        | Event::AmendmentsRuled { .. }
        | Event::ProposalDecided { .. }
        | Event::PlanChanged { .. }
        | Event::TaskReset { .. }
        | Event::QuestionAsked { .. }
        | Event::AnswerGiven { .. }
        | Event::ApprovalGiven { .. }
        | Event::WorkReapplied { .. }
        | Event::Reviewed(_)
        | Event::ReviewUnusable { .. }
        | Event::PlanDrafted(_)
        | Event::DraftUnusable { .. }
        | Event::Escalated { .. } => return wire_people::wires(event, tally),
        Event::Steered { .. }
        | Event::PauseRequested { .. }
        | Event::Paused
        | Event::Unpaused
        | Event::CompactionBegan(_)
        | Event::MemoryCompacted(_) => return wire_steering::wires(event),
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

fn scm_ran(report: &ScmReport) -> Wire<'_> {
    Wire::ScmRan { task: &report.task, exit_code: report.end.exit_code(), output: &report.output }
}

fn stop_word(how: StopHow) -> &'static str {
    match how {
        StopHow::AfterIteration => "after_iteration",
        StopHow::Now => "now",
        StopHow::Signal { .. } => "signal",
    }
}

fn started<'a>(start: &'a RunStart, tally: &Tally) -> Wire<'a> {
    let mode = match start.source {
        Source::Prompt { .. } | Source::Planning { .. } => ReviewMode::Off,
        Source::Plan | Source::Tasks { .. } => start.settings.review.mode,
    };
    Wire::RunStarted {
        version: &start.version,
        tasks: tally.counts.total,
        open: tally.counts.total - tally.counts.satisfied(),
        agent: &start.settings.agent.command,
        model: &start.settings.agent.model,
        isolated: start.isolation.is_isolated(),
        isolation: &start.isolation.backend,
        guarantee: &start.isolation.guarantee,
        branch: &start.branch,
        max_iterations: start.max_iterations,
        gates: start.gates.iter().map(|gate| gate.name.as_str()).collect(),
        review: match mode {
            ReviewMode::On => "on",
            ReviewMode::Auto => "auto",
            ReviewMode::Off => "off",
        },
        reviewer: (mode != ReviewMode::Off)
            .then(|| start.settings.agent.for_kind(Kind::Review).command),
    }
}

fn resumed(tally: &Tally) -> Wire<'_> {
    Wire::RunResumed {
        iterations: tally.iterations,
        max_iterations: tally.max_iterations,
        isolation: &tally.isolation.backend,
        guarantee: &tally.isolation.guarantee,
    }
}

fn isolation_changed(isolation: &Isolation) -> Wire<'_> {
    Wire::IsolationChanged {
        isolated: isolation.is_isolated(),
        isolation: &isolation.backend,
        guarantee: &isolation.guarantee,
    }
}

fn iteration_started(start: &IterationStart) -> Wire<'_> {
    Wire::IterationStarted {
        iteration: start.iteration,
        retry: start.retry,
        kind: start.kind.word(),
        task: start.task.as_str(),
        title: &start.title,
        attempt: start.attempt,
        max_attempts: start.max_attempts,
        agent: &start.agent,
        model: &start.model,
    }
}

fn baseline<'a>(tree: &'a TreeId, results: &'a GateResults, tally: &Tally) -> Wire<'a> {
    let red = results.gates.iter().filter(|gate| !tally.passed(gate));
    Wire::BaselineRecorded {
        tree: tree.as_str(),
        red: red.map(|gate| gate.gate.as_str()).collect(),
    }
}

fn agent_ended<'a>(report: &'a AgentReport, tally: &Tally) -> Wire<'a> {
    Wire::AgentEnded {
        iteration: tally.current.as_ref().map_or(0, |c| c.start.iteration),
        ending: tag(&report.ending, "how"),
        detail: report.ending.describe(),
        claimed: report.claimed,
        took_ms: report.took.0,
        cost_usd: dollars(report.usage.cost),
        cost_is_estimate: report.usage.is_estimate,
        tokens: tokens(&report.usage),
        tools: report.tools,
        tool_errors: report.tool_errors,
    }
}

fn gates<'a>(tree: &'a TreeId, results: &'a GateResults, tally: &Tally) -> Vec<Wire<'a>> {
    let gates = results.gates.iter().map(|gate| Wire::GateFinished {
        gate: &gate.gate,
        passed: tally.passed(gate),
        flaky: gate.flaky,
        exit_code: gate.end.exit_code(),
        took_ms: gate.took.0,
        tests: gate.tests.ran,
        failing: gate.tests.failing.as_deref(),
        tree: tree.as_str(),
        log: &gate.log,
    });
    let checks = results.checks.iter().map(|check: &CheckReport| Wire::CheckFinished {
        criterion: check.criterion,
        command: &check.command,
        passed: check.end.succeeded(),
        exit_code: check.end.exit_code(),
        took_ms: check.took.0,
        tree: tree.as_str(),
        log: &check.log,
    });
    gates.chain(checks).collect()
}

fn verdict_reached(verdict: &Verdict) -> Wire<'_> {
    Wire::VerdictReached {
        accepted: verdict.accepted,
        tree: verdict.tree.as_ref().map(TreeId::as_str),
        reasons: verdict.reasons.iter().map(Reason::describe).collect(),
        labels: verdict.labels.iter().map(ralph_core::evidence::Label::describe).collect(),
    }
}

fn moved<'a>(task: &'a TaskId, to: Status, why: &'a str, tally: &'a Tally) -> Wire<'a> {
    let row = tally.rows.get(task);
    let tries = row.map_or(0, |row| row.tries.len());
    let task = task.as_str();
    match to {
        Status::Done => Wire::TaskDone {
            task,
            tries,
            spent_ms: row.map_or(0, |row| row.spent.0),
            cost_usd: row.map_or(0.0, |row| dollars(row.usage.cost)),
            cost_is_estimate: row.is_some_and(|row| row.usage.is_estimate),
            commit: row.and_then(|row| row.commit.as_ref()).map(CommitId::as_str),
            proved: row.map_or(0, super::tally::Row::proved),
            criteria: row.map_or(0, |row| row.evidence.len()),
            labels: row.map_or_else(Vec::new, |row| {
                row.labels.iter().map(ralph_core::evidence::Label::describe).collect()
            }),
        },
        Status::Failed => {
            Wire::TaskFailed { task, why, tries, branch: row.and_then(|row| row.branch.as_deref()) }
        }
        Status::Parked => Wire::TaskParked { task, why },
        Status::Skipped => Wire::TaskSkipped { task, why },
        Status::InProgress => Wire::TaskStarted { task },
        Status::Pending => Wire::TaskReopened { task, why },
        Status::NeedsReview => Wire::TaskInReview { task, why },
        Status::ChangesRequested => Wire::TaskChangesRequested { task, why },
    }
}

fn finished<'a>(outcome: &Outcome, notes: &'a [String], tally: &Tally) -> Wire<'a> {
    let counts = tally.counts;
    Wire::RunFinished(Finished {
        outcome: tag(outcome, "outcome"),
        detail: tally.describe(outcome),
        exit_code: exit_code(outcome, tally.start()),
        done: counts.done,
        skipped: counts.skipped,
        failed: counts.failed,
        parked: counts.parked,
        left: counts.open(),
        iterations: tally.iterations,
        rejected: tally.rejected,
        cost_usd: dollars(tally.usage.cost),
        cost_is_estimate: tally.usage.is_estimate,
        tokens: tokens(&tally.usage),
        took_ms: tally.took(tally.last).0,
        notes,
        next: next_command(outcome, tally),
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
fn dollars(cost: MicroUsd) -> f64 {
    cost.0 as f64 / 1e6
}

fn tokens(usage: &Usage) -> Tokens {
    Tokens {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::tests::{
        people,
        scripts::{self, Paper, play},
    };

    #[test]
    fn wire_events_are_one_object_per_line_with_version_type_run_and_time() {
        let mut all = String::new();
        let runs = [scripts::rejection_then_success(), scripts::given_up(), people::talked()];
        for beats in runs {
            let paper = Paper::default();
            let mut json = Json::new(Box::new(paper.clone()), Tally::default());
            assert!(play(&beats, &mut json).is_ok());
            all.push_str(&paper.text());
        }
        for line in all.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            assert_eq!(value["v"], VERSION, "{line}");
            for key in ["type", "run", "at"] {
                assert!(value[key].is_string(), "{key} in {line}");
            }
        }
        insta::assert_snapshot!("wire", all);
    }
}
