//! Folds decisions into the state. Decides nothing: what an event says is what becomes true.

use super::{AttemptRecord, Iteration, Phase, RunState, Stage, state::FEEDBACK_WINDOW};
use crate::{
    event::{Decision, Event, IterationStart, Rejection, SetAside, Uncharged},
    gates::baseline,
    ids::{CommitId, TaskId, TreeId},
    input::AgentReport,
    plan::Status,
};

impl RunState {
    /// Folds one decision.
    pub fn apply(&mut self, decision: &Decision) {
        self.seq = decision.seq + 1;
        self.last_at = decision.at;
        if decision.events.iter().any(ends_effect) {
            self.effects += 1;
        }
        for event in &decision.events {
            self.apply_event(event);
        }
    }

    fn apply_event(&mut self, event: &Event) {
        match event {
            Event::RunStarted(_) | Event::Warned { .. } | Event::ScmTasksRan { .. } => {}
            Event::RunResumed { max_iterations, pinned, .. } => {
                self.resume(*max_iterations, pinned.as_deref());
            }
            Event::WorkspaceOpened(workspace) => self.opened(workspace),
            Event::BaselineRecorded { results, .. } => {
                self.baseline = Some(results.gates.clone());
                self.phase = Phase::Boundary;
            }
            Event::PromptRead { text } => self.prompt.clone_from(text),
            Event::IterationStarted(start) => self.started(start),
            Event::AgentEnded(report) => self.agent_ended(report),
            Event::CheckpointTaken(_)
            | Event::TreeCaptured(_)
            | Event::GatesRan { .. }
            | Event::VerdictReached(_)
            | Event::Proceeded { .. } => self.apply_to_iteration(event),
            Event::WaitEnded => self.phase = Phase::Boundary,
            Event::IterationClosed => {
                self.iteration_closed_at = Some(self.last_at);
                self.phase = Phase::Boundary;
            }
            Event::Committed { task, commit, tree, .. } => self.committed(task, commit, tree),
            Event::AttemptAccepted { task, .. } => self.accepted(task),
            Event::EvidenceRecorded { task, evidence, labels } => {
                if let Some(detail) = self.position(task).and_then(|at| self.detail_mut(at)) {
                    detail.evidence.clone_from(evidence);
                    detail.labels.clone_from(labels);
                }
            }
            Event::TaskMoved { task, to, why, .. } => self.moved(task, *to, why),
            Event::AttemptRejected(rejection) => self.rejected(rejection),
            Event::CallSetAside(aside) => self.set_aside(aside),
            Event::WaitBegan { until, .. } => self.phase = Phase::Waiting { until: *until },
            Event::WorkKept { task, branch, head, tree } => {
                self.head = head.clone();
                self.head_tree = tree.clone();
                if let Some(detail) = self.position(task).and_then(|at| self.detail_mut(at)) {
                    detail.branch = Some(branch.clone());
                }
            }
            Event::RequestTaken { request } => {
                self.taken.insert(request.id.clone());
            }
            Event::StopRequested { how } => self.stop = self.stop.max(Some(*how)),
            Event::RunEnding { outcome } => {
                self.suspend();
                self.phase = Phase::Closing { outcome: outcome.clone() };
            }
            Event::RunFinished { outcome, .. } => {
                self.suspend();
                self.phase = Phase::Finished { outcome: outcome.clone() };
            }
        }
    }

    /// Facts that only the iteration under way remembers.
    fn apply_to_iteration(&mut self, event: &Event) {
        let Phase::Iterating(iteration) = &mut self.phase else {
            return;
        };
        match event {
            Event::CheckpointTaken(taken) => iteration.checkpoint = Some(taken.clone()),
            Event::TreeCaptured(captured) => iteration.captured = Some(captured.clone()),
            Event::GatesRan { results, .. } => iteration.results = Some(results.clone()),
            Event::VerdictReached(verdict) => iteration.verdict = Some(verdict.clone()),
            Event::Proceeded { to } => {
                iteration.stage = *to;
                iteration.stage_since = self.last_at;
            }
            _ => {}
        }
    }

    fn started(&mut self, start: &IterationStart) {
        let Some(task) = self.position(&start.task) else {
            return;
        };
        if self.detail_mut(task).is_none() {
            return;
        }
        self.counters.iterations = start.iteration;
        self.again = None;
        self.current = Some(task);
        self.phase = Phase::Iterating(Box::new(Iteration {
            number: start.iteration,
            retry: start.retry,
            kind: start.kind,
            task,
            stage: Stage::Checkpoint,
            stage_since: self.last_at,
            checkpoint: None,
            report: None,
            captured: None,
            results: None,
            verdict: None,
        }));
    }

    fn agent_ended(&mut self, report: &AgentReport) {
        let Phase::Iterating(iteration) = &mut self.phase else {
            return;
        };
        iteration.report = Some(Box::new(report.clone()));
        iteration.stage = Stage::Capture;
        let task = iteration.task;
        self.usage.add(report.usage);
        self.counters.tools = self.counters.tools.saturating_add(report.tools);
        self.counters.tool_errors = self.counters.tool_errors.saturating_add(report.tool_errors);
        self.counters.agent_time = self.counters.agent_time.plus(report.took);
        if let Some(detail) = self.detail_mut(task) {
            detail.usage.add(report.usage);
            detail.time = detail.time.plus(report.took);
        }
    }

    fn committed(&mut self, task: &TaskId, commit: &CommitId, tree: &TreeId) {
        self.head = commit.clone();
        self.head_tree = tree.clone();
        if let Some(detail) = self.position(task).and_then(|at| self.detail_mut(at)) {
            detail.commits.push(commit.clone());
        }
    }

    fn accepted(&mut self, task: &TaskId) {
        if let (Phase::Iterating(iteration), Some(known)) = (&self.phase, &mut self.baseline)
            && let Some(results) = &iteration.results
        {
            baseline::tighten(known, results);
        }
        self.counters.accepted += 1;
        self.counters.failed_in_a_row = 0;
        self.reset_uncharged();
        if let Some(detail) = self.position(task).and_then(|at| self.detail_mut(at)) {
            detail.attempts += 1;
            detail.rejected = 0;
            detail.overflowed = false;
            detail.work = None;
            detail.feedback.clear();
        }
    }

    fn moved(&mut self, task: &TaskId, to: Status, why: &str) {
        let Some(at) = self.position(task) else {
            return;
        };
        if let Some(progress) = self.tasks.get_mut(at) {
            progress.status = to;
        }
        if to == Status::InProgress {
            self.current = Some(at);
            return;
        }
        if self.current == Some(at) {
            self.current = None;
        }
        if to == Status::Failed {
            self.counters.failed_in_a_row += 1;
        }
        if let Some(detail) = self.detail_mut(at) {
            why.clone_into(&mut detail.why);
            detail.work = None;
            detail.feedback.clear();
        }
    }

    fn rejected(&mut self, rejection: &Rejection) {
        self.counters.rejected += 1;
        self.reset_uncharged();
        let Some(task) = self.position(&rejection.task) else {
            return;
        };
        let record = self.attempt_record(rejection.attempt);
        if let Some(detail) = self.detail_mut(task) {
            detail.attempts += 1;
            detail.rejected = rejection.attempt;
            detail.work.clone_from(&rejection.work);
            detail.feedback.extend(record);
            while detail.feedback.len() > FEEDBACK_WINDOW {
                detail.feedback.pop_front();
            }
        }
    }

    fn attempt_record(&self, attempt: u32) -> Option<AttemptRecord> {
        let Phase::Iterating(iteration) = &self.phase else {
            return None;
        };
        let report = iteration.report.as_deref()?;
        let tried = match &report.handoff {
            Some(handoff) => &handoff.task_completed.summary,
            None => &report.last_words,
        };
        Some(AttemptRecord {
            attempt,
            verdict: iteration.verdict.clone()?,
            results: iteration.results.clone().unwrap_or_default(),
            tried: tried.clone(),
        })
    }

    fn set_aside(&mut self, aside: &SetAside) {
        match aside.counts_as {
            Uncharged::Failure => self.counters.uncharged_in_a_row += 1,
            Uncharged::Limit => self.counters.back_offs_in_a_row += 1,
            Uncharged::Overflow | Uncharged::Interrupt => {}
        }
        if aside.counts_as != Uncharged::Interrupt {
            self.counters.uncharged += 1;
        }
        self.remember_iteration();
        if let Some(detail) = self.current.and_then(|task| self.detail_mut(task)) {
            detail.work.clone_from(&aside.work);
            detail.overflowed |= aside.counts_as == Uncharged::Overflow;
        }
        self.phase = Phase::Boundary;
    }

    fn reset_uncharged(&mut self) {
        self.counters.uncharged_in_a_row = 0;
        self.counters.back_offs_in_a_row = 0;
    }
}

/// What arrives from outside leaves the effect in flight as it is.
fn ends_effect(event: &Event) -> bool {
    !matches!(event, Event::StopRequested { .. } | Event::RequestTaken { .. })
}
