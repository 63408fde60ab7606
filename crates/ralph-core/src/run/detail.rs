//! How far one task is: what was tried, judged, asked and answered. Bounded, whatever agents do.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    evidence::{Evidence, Label},
    gates::{
        protect::Touched,
        report::{GateReport, GateResults},
    },
    ids::{CommitId, TreeId},
    plan::{Status, Task, formats::source},
    review::{Finding, FindingSeverity},
    stuck::{self, Escalated, Stuck, Trace},
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
    verdict::Verdict,
    vocabulary::ReviewMode,
};

/// How many attempts a task's feedback looks back.
const FEEDBACK_WINDOW: usize = 3;
/// How many change requests stuck detection looks back.
const REQUEST_WINDOW: usize = 4;
/// Most changed files remembered for one task.
const FILES: usize = 40;
/// Most exposed paths and quality warnings remembered for one task.
const NOTED: usize = 200;

/// How far one task is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TaskProgress {
    pub status: Status,
    /// Only tasks that were begun have one.
    pub detail: Option<Box<Detail>>,
}

/// What is known about a task that was begun.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// Rejected attempts since the last accepted one.
    pub rejected: u32,
    /// Rejected attempts in all.
    #[serde(default)]
    pub all_rejected: u32,
    /// Attempts in all, accepted ones included.
    pub attempts: u32,
    /// Where the run branch stood when the task began.
    pub began_at: CommitId,
    /// Where the next attempt starts; `None` is the run branch.
    pub work: Option<TreeId>,
    /// A context overflow was already forgiven.
    pub overflowed: bool,
    pub usage: Usage,
    /// Time agents took.
    pub time: Millis,
    /// What of both was used when a person last spoke: the task's limits count from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Box<(Usage, Millis)>>,
    /// When the run first turned to it.
    pub began: Option<Timestamp>,
    /// When it reached its present status.
    pub ended: Option<Timestamp>,
    /// Some of the files that were changed since its last accepted attempt, as far as that work was kept.
    pub files: Vec<String>,
    pub commits: Vec<CommitId>,
    pub evidence: Vec<Evidence>,
    pub labels: Vec<Label>,
    /// The last attempts, oldest first. Emptied when the task ends; one that failed keeps the newest.
    pub feedback: VecDeque<AttemptRecord>,
    /// Branch that keeps given-up or parked work.
    pub branch: Option<String>,
    /// Why it ended where it is.
    pub why: String,
    /// What the gates said of the last accepted tree, without their output.
    pub proof: Vec<GateReport>,
    /// What the last accepted attempt says it did.
    pub claimed: String,
    /// Reviews that gave a verdict.
    pub reviews: u32,
    /// Change requests since the task began or a person answered; bounded by `review.cap`.
    pub change_requests: u32,
    /// Reviews in a row that gave no verdict.
    pub unusable_reviews: u32,
    /// What the last review wants changed.
    pub findings: Vec<Finding>,
    /// What reviews noticed that blocks nothing.
    pub warnings: Vec<Finding>,
    /// Fingerprints of the last change requests, oldest first.
    pub requests: VecDeque<String>,
    /// The last rejected attempts, for stuck detection, oldest first.
    pub traces: VecDeque<Trace>,
    /// Fingerprint of the last rejected attempt's gates.
    pub shared: String,
    pub escalated: Escalated,
    /// Why it was called stuck, the last time.
    pub stuck: Option<Stuck>,
    /// Files that the last failure leads to, for the next brief.
    pub expand: Vec<String>,
    /// How the agent kept failing on it, while it waits for a person because of that.
    pub agent_failed: Option<String>,
    /// What the agent asked, until it is answered.
    pub question: Option<String>,
    /// What the agent asked beside work that it called finished, the last time.
    pub asked_in_passing: Option<String>,
    pub answers: Vec<Answer>,
    /// A person approved the work; gates still judge it.
    pub approved: bool,
    /// Branch whose work is brought back before the next attempt.
    pub reapply: Option<String>,
    /// Branch of earlier attempts, named in the brief.
    pub earlier: Option<String>,
    /// What its accepted work changed of tests, CI, hooks, scripts and agent configuration.
    pub touched: Vec<Touched>,
    /// How many more of them there are than are listed.
    pub touched_left_out: u64,
}

/// What a rejected attempt leaves for the next prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    pub attempt: u32,
    pub verdict: Verdict,
    pub results: GateResults,
    /// The agent's own summary of what it tried.
    pub tried: String,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub question: String,
    pub answer: String,
}

impl TaskProgress {
    /// What a plan says of a task when a run starts. One that an earlier run left under way begins anew; so does one
    /// that waited for its review, because what gates and checks found stayed with that run, and one that waits for
    /// changes which nobody would review.
    pub(super) fn at_start(task: &Task, mode: ReviewMode) -> Self {
        let is_left = task.status == Status::ChangesRequested && !task.is_reviewed(mode);
        let begins_anew =
            matches!(task.status, Status::InProgress | Status::NeedsReview) || is_left;
        let status = if begins_anew { Status::Pending } else { task.status };
        let wanted = task.review_feedback.as_deref();
        let known = task.branch.is_some() || task.review_count.is_some() || wanted.is_some();
        let waits = status == Status::Parked;
        // What was said of a finished task stays as it is in the plan.
        let detail = (known && !status.satisfies()).then(|| {
            Box::new(Detail {
                findings: wanted.map(findings).unwrap_or_default(),
                branch: task.branch.clone(),
                question: task.question.clone().filter(|_| waits),
                asked_in_passing: task.question.clone().filter(|_| !waits),
                reviews: task.review_count.unwrap_or_default(),
                ..Detail::default()
            })
        });
        Self { status, detail }
    }

    /// Puts what a plan file shows of the state into the task.
    pub(super) fn show_in(&self, task: &mut Task) {
        task.status = self.status;
        let Some(detail) = &self.detail else { return };
        if detail.reviews > 0 || task.review_count.is_some() {
            task.review_count = Some(detail.reviews);
        }
        task.review_feedback = feedback(&detail.findings, &detail.labels);
        // Work that is to be brought back is still on its branch.
        task.branch = detail.branch.clone().or_else(|| detail.reapply.clone());
        // A parked task that shows a question waits for its answer.
        let in_passing = detail.asked_in_passing.as_ref();
        let in_passing = in_passing.filter(|_| self.status != Status::Parked);
        task.question = detail.question.as_ref().or(in_passing).cloned();
        if self.status == Status::Done && !detail.evidence.is_empty() {
            source::proved(task);
        }
    }
}

/// What is weaker than full proof about a task in this status: what was recorded with its evidence, or that
/// it was imported as done and there is none.
pub fn labels_of(task: &Task, status: Status, detail: Option<&Detail>) -> Vec<Label> {
    let recorded = detail.filter(|one| !(one.evidence.is_empty() && one.labels.is_empty()));
    match recorded {
        Some(detail) => detail.labels.clone(),
        None if status == Status::Done && source::is_imported_as_done(task) => {
            vec![Label::ImportedAsDone]
        }
        None => Vec::new(),
    }
}

/// The findings as the plan file has them, one a line.
fn feedback(findings: &[Finding], labels: &[Label]) -> Option<String> {
    let at_cap = labels.iter().any(|label| matches!(label, Label::AutoApprovedAtCap { .. }));
    let prefix = at_cap.then(|| "[AUTO-APPROVED AT CAP]".to_owned());
    let lines: Vec<String> = prefix.into_iter().chain(findings.iter().map(Finding::line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a plan file says a reviewer wants, as findings again.
fn findings(feedback: &str) -> Vec<Finding> {
    let lines = feedback.lines().map(str::trim).filter(|line| !line.is_empty());
    let finding = |line: &str| Finding {
        severity: FindingSeverity::Blocking,
        title: line.to_owned(),
        detail: String::new(),
        place: String::new(),
    };
    lines.map(finding).collect()
}

impl Detail {
    /// The task begins here, for the first time or again.
    pub(super) fn begin(&mut self, head: &CommitId) {
        self.began_at = head.clone();
        self.commits.clear();
        self.evidence.clear();
        self.labels.clear();
    }

    /// An attempt counts: what was counted against the task is forgotten.
    pub(super) fn accepted(&mut self) {
        self.attempts += 1;
        self.rejected = 0;
        self.overflowed = false;
        self.unusable_reviews = 0;
        self.work = None;
        self.feedback.clear();
        self.traces.clear();
        self.expand.clear();
        self.stuck = None;
    }

    /// The task is done; findings stay only where it was approved in spite of them.
    pub(super) fn finished(&mut self) {
        let at_cap = |label: &Label| matches!(label, Label::AutoApprovedAtCap { .. });
        if !self.labels.iter().any(at_cap) {
            self.findings.clear();
        }
        self.approved = false;
        self.branch = None;
        self.question = None;
        self.claimed.clear();
        self.requests.clear();
    }

    pub(super) fn remember_attempt(&mut self, record: Option<AttemptRecord>, trace: Option<Trace>) {
        self.feedback.extend(record);
        self.traces.extend(trace);
        keep_last(&mut self.feedback, FEEDBACK_WINDOW);
        keep_last(&mut self.traces, stuck::MOST);
    }

    /// The task ended, or waits: what was tried last is kept where it failed.
    pub(super) fn left(&mut self, to: Status, why: &str, at: Timestamp) {
        why.clone_into(&mut self.why);
        self.ended = Some(at);
        self.work = None;
        keep_last(&mut self.feedback, usize::from(to == Status::Failed));
        if to == Status::Done {
            self.finished();
        }
    }

    /// An attempt changed these files. One that repairs builds on the files of those before it.
    pub(super) fn note_files(&mut self, files: Vec<String>) {
        if self.work.is_none() {
            self.files.clear();
        }
        for file in files {
            if self.files.len() < FILES && !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }

    pub(super) fn remember_request(&mut self, print: &str) {
        self.change_requests += 1;
        self.requests.push_back(print.to_owned());
        keep_last(&mut self.requests, REQUEST_WINDOW);
    }

    pub(super) fn note_warnings(&mut self, warnings: &[Finding]) {
        for warning in warnings {
            if self.warnings.len() < NOTED && !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
    }

    /// Accepted work changed these, and so many more. What weighs most stays listed.
    pub(super) fn note_touched(&mut self, touched: &[Touched], left_out: u64) {
        let new = touched.iter().filter(|one| !self.touched.contains(one));
        let new: Vec<Touched> = new.cloned().collect();
        self.touched.extend(new);
        self.touched.sort_by(|a, b| (&a.exposure, &a.path).cmp(&(&b.exposure, &b.path)));
        let hidden = self.touched.len().saturating_sub(NOTED) as u64;
        self.touched.truncate(NOTED);
        self.touched_left_out += left_out + hidden;
    }

    /// A person spoke: what was counted against the task until now no longer counts.
    pub(super) fn fresh_counters(&mut self) {
        self.settled = Some(Box::new((self.usage, self.time)));
        self.rejected = 0;
        self.change_requests = 0;
        self.unusable_reviews = 0;
        self.agent_failed = None;
        self.requests.clear();
        self.traces.clear();
        self.escalated = Escalated::default();
        self.stuck = None;
        self.expand.clear();
    }

    /// The task starts over; the branch of the earlier attempts is named in the brief.
    pub(super) fn start_over(&mut self) {
        let earlier = self.branch.take().or(self.earlier.take());
        let (usage, time, began) = (self.usage, self.time, self.began);
        let (attempts, all_rejected) = (self.attempts, self.all_rejected);
        let (reviews, answers) = (self.reviews, std::mem::take(&mut self.answers));
        *self = Self {
            all_rejected,
            attempts,
            usage,
            time,
            began,
            reviews,
            answers,
            earlier,
            settled: Some(Box::new((usage, time))),
            ..Self::default()
        };
    }

    /// Money, tokens and time that count against the task's limits.
    pub(super) fn counted(&self) -> (MicroUsd, u64, Millis) {
        let (usage, time) = self.settled.as_deref().copied().unwrap_or_default();
        (
            MicroUsd(self.usage.cost.0.saturating_sub(usage.cost.0)),
            self.usage.tokens().saturating_sub(usage.tokens()),
            Millis(self.time.0.saturating_sub(time.0)),
        )
    }
}

fn keep_last<T>(list: &mut VecDeque<T>, most: usize) {
    while list.len() > most {
        list.pop_front();
    }
}
