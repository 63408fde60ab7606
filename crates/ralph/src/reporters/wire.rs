//! The published JSON events, version 1. Its own small types: what ralph stores may change, this may not.
//!
//! Documented in `docs/json-events.md`. New fields and types may be added; nothing is renamed or removed.

use ralph_core::time::Timestamp;
use serde::Serialize;

/// Version of the wire format.
pub(crate) const VERSION: u32 = 1;

/// One line of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Envelope<'a> {
    pub(crate) v: u32,
    #[serde(flatten)]
    pub(crate) what: Wire<'a>,
    pub(crate) run: &'a str,
    pub(crate) at: Timestamp,
}

/// What happened. `type` is the dotted name.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub(crate) enum Wire<'a> {
    #[serde(rename = "run.started")]
    RunStarted {
        version: &'a str,
        tasks: usize,
        open: usize,
        agent: &'a str,
        model: &'a str,
        isolated: bool,
        isolation: &'a str,
        guarantee: &'a str,
        branch: &'a str,
        max_iterations: u32,
        gates: Vec<&'a str>,
        review: &'static str,
        reviewer: Option<&'a str>,
    },
    #[serde(rename = "run.resumed")]
    RunResumed { iterations: u32, max_iterations: u32, isolation: &'a str, guarantee: &'a str },
    #[serde(rename = "isolation.changed")]
    IsolationChanged { isolated: bool, isolation: &'a str, guarantee: &'a str },
    #[serde(rename = "workspace.opened")]
    WorkspaceOpened { root: &'a str, branch: &'a str, came_from: &'a str, head: &'a str },
    #[serde(rename = "baseline.recorded")]
    BaselineRecorded { tree: &'a str, red: Vec<&'a str> },
    #[serde(rename = "iteration.started")]
    IterationStarted {
        iteration: u32,
        retry: u32,
        kind: &'a str,
        task: &'a str,
        title: &'a str,
        attempt: u32,
        max_attempts: u32,
        agent: &'a str,
        model: &'a str,
    },
    #[serde(rename = "agent.text")]
    AgentText { iteration: u32, text: &'a str },
    #[serde(rename = "agent.tool.started")]
    ToolStarted { iteration: u32, id: &'a str, name: &'a str, input: &'a str },
    #[serde(rename = "agent.tool.ended")]
    ToolEnded { iteration: u32, id: &'a str, is_error: bool, lines: u64, chars: u64 },
    #[serde(rename = "agent.todo")]
    AgentTodo { iteration: u32, items: Vec<Todo<'a>> },
    #[serde(rename = "agent.tool.denied")]
    ToolDenied { iteration: u32, tool: &'a str, why: &'a str },
    #[serde(rename = "agent.retried")]
    AgentRetried { iteration: u32, attempt: u32, of: u32, delay_ms: Option<u64>, error: &'a str },
    #[serde(rename = "agent.rate_limit")]
    AgentRateLimit {
        iteration: u32,
        status: &'a str,
        resets_at: Option<Timestamp>,
        utilization: Option<f64>,
    },
    #[serde(rename = "agent.ended")]
    AgentEnded {
        iteration: u32,
        ending: String,
        detail: String,
        claimed: bool,
        took_ms: u64,
        cost_usd: f64,
        cost_is_estimate: bool,
        tokens: Tokens,
        tools: u32,
        tool_errors: u32,
    },
    #[serde(rename = "gate.started")]
    GateStarted { iteration: u32, gate: &'a str },
    #[serde(rename = "gate.runs_again")]
    GateRunsAgain { iteration: u32, gate: &'a str, exit_code: i32 },
    #[serde(rename = "gate.finished")]
    GateFinished {
        gate: &'a str,
        passed: bool,
        flaky: bool,
        exit_code: i32,
        took_ms: u64,
        tests: Option<u64>,
        failing: Option<&'a [String]>,
        tree: &'a str,
        log: &'a str,
    },
    #[serde(rename = "check.finished")]
    CheckFinished {
        criterion: usize,
        command: &'a str,
        passed: bool,
        exit_code: i32,
        took_ms: u64,
        tree: &'a str,
        log: &'a str,
    },
    #[serde(rename = "verdict.reached")]
    VerdictReached {
        accepted: bool,
        tree: Option<&'a str>,
        reasons: Vec<String>,
        labels: Vec<String>,
    },
    #[serde(rename = "attempt.rejected")]
    AttemptRejected { task: &'a str, attempt: u32, max_attempts: u32, kept: Option<&'a str> },
    #[serde(rename = "task.committed")]
    TaskCommitted { task: &'a str, iteration: u32, commit: &'a str, tree: &'a str },
    #[serde(rename = "task.started")]
    TaskStarted { task: &'a str },
    #[serde(rename = "task.done")]
    TaskDone {
        task: &'a str,
        tries: usize,
        spent_ms: u64,
        cost_usd: f64,
        cost_is_estimate: bool,
        commit: Option<&'a str>,
        proved: usize,
        criteria: usize,
        labels: Vec<String>,
    },
    #[serde(rename = "task.failed")]
    TaskFailed { task: &'a str, why: &'a str, tries: usize, branch: Option<&'a str> },
    #[serde(rename = "task.parked")]
    TaskParked { task: &'a str, why: &'a str },
    #[serde(rename = "task.skipped")]
    TaskSkipped { task: &'a str, why: &'a str },
    #[serde(rename = "task.reopened")]
    TaskReopened { task: &'a str, why: &'a str },
    #[serde(rename = "task.in_review")]
    TaskInReview { task: &'a str, why: &'a str },
    #[serde(rename = "task.changes_requested")]
    TaskChangesRequested { task: &'a str, why: &'a str },
    #[serde(rename = "task.reset")]
    TaskReset { task: &'a str },
    #[serde(rename = "task.stuck")]
    TaskStuck { task: &'a str, why: String, measures: String },
    #[serde(rename = "evidence.recorded")]
    EvidenceRecorded { task: &'a str, evidence: Vec<EvidenceWire<'a>>, labels: Vec<String> },
    #[serde(rename = "review.finished")]
    ReviewFinished {
        task: &'a str,
        review: u32,
        agent: &'a str,
        model: &'a str,
        tree: &'a str,
        approved: bool,
        criteria: Vec<CriterionWire<'a>>,
        findings: Vec<FindingWire<'a>>,
        warnings: Vec<FindingWire<'a>>,
        summary: &'a str,
    },
    #[serde(rename = "review.unusable")]
    ReviewUnusable { task: &'a str, nth: u32, why: &'a str },
    #[serde(rename = "plan.drafted")]
    PlanDrafted { tasks: usize, questions: usize, assumptions: usize, summary: &'a str },
    #[serde(rename = "draft.unusable")]
    DraftUnusable { nth: u32, why: &'a [String] },
    #[serde(rename = "amendments.proposed")]
    AmendmentsProposed { proposals: Vec<String>, unreadable: &'a [String] },
    #[serde(rename = "amendment.ruled")]
    AmendmentRuled {
        task: &'a str,
        what: String,
        about: Option<&'a str>,
        from: &'static str,
        reason: &'a str,
        ruling: &'static str,
        why: &'a str,
        number: Option<u32>,
    },
    #[serde(rename = "proposal.decided")]
    ProposalDecided { number: u32, accepted: bool, what: String, why: &'a str },
    #[serde(rename = "plan.changed")]
    PlanChanged { wish: &'static str, task: Option<&'a str>, what: String },
    #[serde(rename = "question.asked")]
    QuestionAsked { task: &'a str, question: &'a str, waits: bool },
    #[serde(rename = "answer.given")]
    AnswerGiven { task: &'a str, answer: &'a str },
    #[serde(rename = "approval.given")]
    ApprovalGiven { task: &'a str },
    #[serde(rename = "work.reapplied")]
    WorkReapplied { task: &'a str, fits: bool, notes: &'a [String] },
    #[serde(rename = "work.kept")]
    WorkKept { task: &'a str, branch: &'a str, head: &'a str },
    #[serde(rename = "call.set_aside")]
    CallSetAside { why: String, kept: Option<&'a str> },
    #[serde(rename = "wait.began")]
    WaitBegan { until: Timestamp, why: &'a str },
    #[serde(rename = "wait.ended")]
    WaitEnded,
    #[serde(rename = "agent.rested")]
    AgentRested { agent: &'a str, until: Option<Timestamp>, why: &'a str },
    #[serde(rename = "scm.ran")]
    ScmRan { task: &'a str, exit_code: i32, output: &'a str },
    #[serde(rename = "stop.requested")]
    StopRequested { how: &'static str },
    #[serde(rename = "steered")]
    Steered { task: Option<&'a str>, text: &'a str, ends_call: bool },
    #[serde(rename = "pause.requested")]
    PauseRequested { ends_call: bool },
    #[serde(rename = "run.paused")]
    RunPaused,
    #[serde(rename = "run.unpaused")]
    RunUnpaused,
    #[serde(rename = "compaction.began")]
    CompactionBegan { after: u32, why: String, agent: &'a str, model: &'a str },
    #[serde(rename = "memory.compacted")]
    MemoryCompacted(Compacted<'a>),
    #[serde(rename = "warning")]
    Warning { text: &'a str },
    #[serde(rename = "slow")]
    Slow { what: &'a str, after_ms: u64 },
    #[serde(rename = "dropped")]
    Dropped { count: u64 },
    #[serde(rename = "run.finished")]
    RunFinished(Finished<'a>),
}

/// What a compaction came to.
#[derive(Debug, Serialize)]
pub(crate) struct Compacted<'a> {
    pub(crate) after: u32,
    pub(crate) why: String,
    pub(crate) by: &'a str,
    pub(crate) handoffs: u32,
    pub(crate) tokens: u32,
    pub(crate) left_out: u32,
}

/// One entry of an agent's own list.
#[derive(Debug, Serialize)]
pub(crate) struct Todo<'a> {
    pub(crate) text: &'a str,
    pub(crate) status: &'a str,
}

/// What a reviewer says of one criterion.
#[derive(Debug, Serialize)]
pub(crate) struct CriterionWire<'a> {
    pub(crate) criterion: usize,
    pub(crate) met: bool,
    pub(crate) evidence: &'a str,
    pub(crate) comment: &'a str,
}

/// Something a reviewer found.
#[derive(Debug, Serialize)]
pub(crate) struct FindingWire<'a> {
    pub(crate) severity: &'a str,
    pub(crate) title: &'a str,
    pub(crate) detail: &'a str,
    pub(crate) place: &'a str,
}

/// What proves one criterion.
#[derive(Debug, Serialize)]
pub(crate) struct EvidenceWire<'a> {
    pub(crate) criterion: &'a str,
    pub(crate) judge: &'static str,
    pub(crate) met: bool,
    pub(crate) proof: &'a str,
    pub(crate) tree: &'a str,
}

/// Tokens of one or many calls.
#[derive(Debug, Serialize)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

/// The last event of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Finished<'a> {
    pub(crate) outcome: String,
    pub(crate) detail: String,
    pub(crate) exit_code: u8,
    pub(crate) done: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
    pub(crate) left: usize,
    pub(crate) iterations: u32,
    pub(crate) rejected: u32,
    pub(crate) cost_usd: f64,
    pub(crate) cost_is_estimate: bool,
    pub(crate) tokens: Tokens,
    pub(crate) took_ms: u64,
    pub(crate) notes: &'a [String],
    pub(crate) next: Option<String>,
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_type_is_documented() {
        let source = include_str!("wire.rs");
        let page = include_str!("../../../../docs/json-events.md");
        let names: Vec<&str> = source
            .lines()
            .filter_map(|line| line.trim().strip_prefix("#[serde(rename = \"")?.split('"').next())
            .collect();
        assert!(names.len() > 30);
        for name in names {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
