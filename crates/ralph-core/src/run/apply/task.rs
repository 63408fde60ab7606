//! What becomes of a task: its status, its evidence, its reviews, what people said about it.

use crate::{
    event::{Event, Rejection, Reviewed},
    gates::{baseline, report::GateReport},
    ids::{CommitId, TaskId, TreeId},
    input::Reapplied,
    plan::Status,
    run::{Answer, AttemptRecord, Detail, Phase, RunState, traces},
    stuck::{Measures, Stuck},
};

impl RunState {
    /// Facts about one task.
    pub(super) fn apply_to_task(&mut self, event: &Event) {
        match event {
            Event::Committed { task, commit, tree, .. } => self.committed(task, commit, tree),
            Event::AttemptAccepted { task, .. } => self.accepted(task),
            Event::EvidenceRecorded { task, evidence, labels } => self.with(task, |detail| {
                detail.evidence.clone_from(evidence);
                detail.labels.clone_from(labels);
            }),
            Event::TaskMoved { task, from, to, why } => self.moved(task, (*from, *to), why),
            Event::AttemptRejected(rejection) => self.rejected(rejection),
            Event::WorkKept { task, branch, head, tree } => {
                self.work_kept(task, branch, head, tree);
            }
            Event::TaskReset { task } => self.with(task, Detail::start_over),
            Event::AgentKeptFailing { task, why } => self.kept_failing(task, why),
            Event::QuestionAsked { task, question, in_passing } => self.with(task, |detail| {
                let kept =
                    if *in_passing { &mut detail.asked_in_passing } else { &mut detail.question };
                *kept = Some(question.clone());
            }),
            Event::AnswerGiven { task, answer } => {
                self.with(task, |detail| answered(detail, answer));
            }
            Event::ApprovalGiven { task } => self.with(task, |detail| {
                detail.fresh_counters();
                detail.approved = true;
                detail.reapply = detail.branch.take();
            }),
            Event::WorkReapplied { task, result } => {
                self.with(task, |detail| reapplied(detail, result));
            }
            Event::Reviewed(reviewed) => self.reviewed(reviewed),
            Event::ReviewUnusable { task, nth, .. } => {
                self.call_judged();
                self.with(task, |detail| detail.unusable_reviews = *nth);
            }
            Event::Escalated { task, stuck, measures } => {
                self.with(task, |detail| escalated(detail, stuck, measures));
            }
            _ => {}
        }
    }

    pub(super) fn with(&mut self, task: &TaskId, change: impl FnOnce(&mut Detail)) {
        if let Some(detail) = self.position(task).and_then(|at| self.detail_mut(at)) {
            change(detail);
        }
    }

    fn committed(&mut self, task: &TaskId, commit: &CommitId, tree: &TreeId) {
        self.head = commit.clone();
        self.head_tree = tree.clone();
        self.with(task, |detail| detail.commits.push(commit.clone()));
    }

    /// The attempt counts: its gates are the new measure, and nothing counts against the task.
    fn accepted(&mut self, task: &TaskId) {
        let (mut proof, mut touched, mut claimed) = (Vec::new(), Vec::new(), String::new());
        let mut left_out = 0;
        let files = self.changed_files();
        if let Phase::Iterating(iteration) = &self.phase {
            if let (Some(known), Some(results)) = (&mut self.baseline, &iteration.results) {
                baseline::tighten(known, results);
                let brief =
                    |gate: &GateReport| GateReport { output: String::new(), ..gate.clone() };
                proof = results.gates.iter().map(brief).collect();
            }
            if let Some(captured) = &iteration.captured {
                touched.clone_from(&captured.touched);
                left_out = captured.touched_left_out;
            }
            claimed = iteration.report.as_deref().map(traces::tried).unwrap_or_default();
        }
        self.counters.accepted += 1;
        self.counters.failed_in_a_row = 0;
        self.last_failure = None;
        self.call_judged();
        self.with(task, |detail| {
            detail.note_files(files);
            detail.accepted();
            detail.proof = proof;
            detail.claimed = claimed;
            detail.note_touched(&touched, left_out);
        });
    }

    fn moved(&mut self, task: &TaskId, (from, to): (Status, Status), why: &str) {
        let Some(at) = self.position(task) else {
            return;
        };
        if let Some(progress) = self.tasks.get_mut(at) {
            progress.status = to;
        }
        if to.satisfies() {
            self.steering.task_ended(task);
        }
        if to == Status::InProgress {
            let (head, now) = (self.head.clone(), self.last_at);
            self.current = Some(at);
            self.with(task, |detail| {
                detail.began.get_or_insert(now);
                detail.ended = None;
            });
            if from != Status::ChangesRequested {
                self.with(task, |detail| detail.begin(&head));
            }
            return;
        }
        // It stays under way until it has ended: nobody else's work may come between where it began and where
        // it is given up.
        let goes_on = matches!(to, Status::NeedsReview | Status::ChangesRequested);
        if self.current == Some(at) && !goes_on {
            self.current = None;
        }
        if self.again.as_ref().is_some_and(|again| again.task == at) {
            self.again = None;
        }
        if to == Status::Failed {
            self.counters.failed_in_a_row += 1;
            let failing = self.detail(at).filter(|detail| !detail.traces.is_empty());
            self.last_failure = failing.map(|detail| detail.shared.clone());
        }
        // Most tasks that a person skips were never begun; they need no detail beyond the reason.
        let at = self.last_at;
        self.with(task, |detail| detail.left(to, why, at));
    }

    fn rejected(&mut self, rejection: &Rejection) {
        self.counters.rejected += 1;
        self.call_judged();
        let Some(task) = self.position(&rejection.task) else {
            return;
        };
        let (record, trace) = match &self.phase {
            Phase::Iterating(iteration) => (
                record(iteration, rejection.attempt),
                traces::of(self, iteration, rejection.attempt),
            ),
            _ => (None, None),
        };
        let files = self.changed_files();
        if let Some(detail) = self.detail_mut(task) {
            detail.attempts += 1;
            detail.all_rejected += 1;
            detail.note_files(files);
            detail.rejected = rejection.attempt;
            detail.work.clone_from(&rejection.work);
            detail.shared.clone_from(&rejection.shared);
            detail.approved = false;
            detail.remember_attempt(record, trace);
        }
    }

    /// Some of the files that the iteration under way changed.
    fn changed_files(&self) -> Vec<String> {
        match &self.phase {
            Phase::Iterating(iteration) => {
                iteration.captured.as_ref().map(|captured| captured.sample.clone())
            }
            _ => None,
        }
        .unwrap_or_default()
    }

    fn work_kept(&mut self, task: &TaskId, branch: &str, head: &CommitId, tree: &TreeId) {
        self.head = head.clone();
        self.head_tree = tree.clone();
        self.with(task, |detail| {
            // Parked work that was never brought back is still where it was.
            detail.branch = detail.reapply.take().or_else(|| Some(branch.to_owned()));
            detail.commits.clear();
        });
    }

    fn reviewed(&mut self, reviewed: &Reviewed) {
        self.call_judged();
        self.with(&reviewed.task, |detail| {
            detail.reviews = reviewed.review;
            detail.unusable_reviews = 0;
            detail.findings.clone_from(&reviewed.judgement.findings);
            detail.note_warnings(&reviewed.judgement.warnings);
            if !reviewed.judgement.approved {
                detail.remember_request(&reviewed.print);
            }
        });
        if !reviewed.judgement.approved {
            self.memory.refuse(reviewed.task.as_str());
        }
    }
}

fn record(iteration: &crate::run::Iteration, attempt: u32) -> Option<AttemptRecord> {
    Some(AttemptRecord {
        attempt,
        verdict: iteration.verdict.clone()?,
        results: iteration.results.clone().unwrap_or_default(),
        tried: iteration.report.as_deref().map(traces::tried).unwrap_or_default(),
    })
}

fn answered(detail: &mut Detail, answer: &str) {
    let question = detail.question.take().unwrap_or_else(|| detail.why.clone());
    detail.answers.push(Answer { question, answer: answer.to_owned() });
    detail.reapply = detail.branch.take();
    detail.fresh_counters();
}

fn reapplied(detail: &mut Detail, result: &Reapplied) {
    let branch = detail.reapply.take();
    detail.work.clone_from(&result.tree);
    match result.tree {
        Some(_) => detail.earlier = None,
        None if detail.approved => {
            detail.branch = branch;
            detail.approved = false;
        }
        None => detail.earlier = branch,
    }
}

fn escalated(detail: &mut Detail, stuck: &Stuck, measures: &Measures) {
    detail.stuck = Some(stuck.clone());
    detail.escalated.take(measures);
    detail.expand.clone_from(&measures.expand);
    if measures.shift {
        detail.work = None;
    }
}
