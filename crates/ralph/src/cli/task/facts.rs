//! What is known about tasks, gathered from the plan and from runs; what `--json` prints.

use ralph_core::{
    evidence::{Evidence, Judged, Label},
    ids::{CommitId, RunId, TaskId},
    plan::{Plan, Status, Task, person::TaskWish},
    review::Finding,
    run::{Detail, RunState, labels_of},
};
use ralph_engine::journal;
use serde::Serialize;

use crate::session::{plan_status::PlanStatus, run_store::RunStore};
use crate::{
    diagnostics::CommandError,
    reporters::history::{History, Step},
};

/// One task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TaskLine {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: &'static str,
    pub(crate) attempts: u32,
    pub(crate) reviews: u32,
    pub(crate) why: String,
    pub(crate) question: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) labels: Vec<String>,
    /// The first task it depends on that is neither done nor skipped.
    pub(crate) waits_for: Option<String>,
    /// What people asked for about it and no run has taken yet.
    pub(crate) requests: Vec<&'static str>,
}

/// Everything about one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskFacts {
    pub(crate) v: u32,
    #[serde(flatten)]
    pub(crate) line: TaskLine,
    pub(crate) description: String,
    pub(crate) depends_on: Vec<String>,
    pub(crate) priority: Option<i64>,
    pub(crate) agent: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) notes: Option<String>,
    pub(crate) criteria: Vec<CriterionFacts>,
    /// The run that knows most about it.
    pub(crate) run: Option<String>,
    /// Where that run left it, if the plan was changed since.
    pub(crate) left_as: Option<&'static str>,
    pub(crate) rejected: u32,
    pub(crate) history: Vec<Step>,
    pub(crate) commits: Vec<String>,
    pub(crate) spent_ms: u64,
    pub(crate) cost_usd_micros: u64,
    pub(crate) tokens: u64,
    /// What the last review wants changed.
    pub(crate) findings: Vec<FindingFacts>,
    /// What reviews noticed that blocks nothing.
    pub(crate) warnings: Vec<FindingFacts>,
    pub(crate) answers: Vec<AnswerFacts>,
    /// It waits because its agent kept failing.
    #[serde(skip)]
    pub(crate) agent_failed: bool,
    /// Why it was called stuck, the last time.
    pub(crate) stuck: Option<String>,
    /// Branch of an earlier try.
    pub(crate) earlier_branch: Option<String>,
    /// Tests, CI, hooks, scripts and agent configuration that its accepted work changed.
    pub(crate) exposed: Vec<String>,
}

/// One criterion and what proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CriterionFacts {
    pub(crate) criterion: String,
    pub(crate) check: Option<String>,
    /// `check`, `reviewer`, `person` or `unreviewed`; `null` while nobody judged it.
    pub(crate) judge: Option<&'static str>,
    pub(crate) met: Option<bool>,
    /// What proves it, in words.
    pub(crate) proof: String,
    /// The git tree that was judged.
    pub(crate) tree: Option<String>,
}

/// Something a reviewer found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FindingFacts {
    pub(crate) severity: &'static str,
    pub(crate) title: String,
    pub(crate) detail: String,
    pub(crate) place: String,
    #[serde(skip)]
    pub(crate) line: String,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct AnswerFacts {
    pub(crate) question: String,
    pub(crate) answer: String,
}

/// What a run knows about a task.
struct Known {
    run: RunId,
    status: Status,
    detail: Detail,
}

/// All tasks of the plan.
pub(crate) fn lines(standing: &PlanStatus) -> Vec<TaskLine> {
    let known = |task: &Task| {
        let state = standing.state.as_ref()?;
        state.detail(state.position(&task.id)?)
    };
    let tasks = standing.plan.tasks.iter();
    tasks.map(|task| line(task, known(task), &standing.plan, &standing.waiting)).collect()
}

/// Everything about one task.
pub(crate) fn of(standing: &PlanStatus, task: &Task) -> Result<TaskFacts, CommandError> {
    let place = RunStore { layout: standing.layout.clone() };
    let known = known(standing, &place, &task.id);
    let detail = known.as_ref().map(|known| &known.detail);
    let mut history = History::of(&task.id);
    if let Some(known) = &known {
        place.decisions(&known.run, |decision| history.apply(&decision))?;
    }
    let text = |id: &TaskId| id.0.clone();
    let found = |pick: fn(&Detail) -> &Vec<Finding>| -> Vec<FindingFacts> {
        detail.map(|detail| pick(detail).iter().map(finding).collect()).unwrap_or_default()
    };
    let empty = Detail::default();
    let facts = detail.unwrap_or(&empty);
    Ok(TaskFacts {
        v: 1,
        line: line(task, detail, &standing.plan, &standing.waiting),
        description: task.description.clone(),
        depends_on: task.depends_on.iter().map(text).collect(),
        priority: task.priority,
        agent: task.agent.clone(),
        model: task.model.clone(),
        max_attempts: task.own_max_attempts(),
        notes: task.notes.clone(),
        criteria: criteria(task, &facts.evidence, known.as_ref().map(|known| &known.run)),
        run: known.as_ref().map(|known| known.run.0.clone()),
        left_as: known
            .as_ref()
            .map(|known| known.status)
            .filter(|was| *was != task.status)
            .map(Status::word),
        rejected: facts.rejected,
        history: history.steps,
        commits: facts.commits.iter().map(|commit: &CommitId| commit.0.clone()).collect(),
        spent_ms: facts.time.0,
        cost_usd_micros: facts.usage.cost.0,
        tokens: facts.usage.tokens(),
        findings: found(|detail| &detail.findings),
        warnings: found(|detail| &detail.warnings),
        answers: facts
            .answers
            .iter()
            .map(|one| AnswerFacts { question: one.question.clone(), answer: one.answer.clone() })
            .collect(),
        agent_failed: facts.agent_failed.is_some(),
        stuck: facts.stuck.as_ref().map(ralph_core::stuck::Stuck::describe),
        earlier_branch: facts.earlier.clone(),
        exposed: facts.touched.iter().map(|one| one.path.clone()).collect(),
    })
}

fn line(task: &Task, detail: Option<&Detail>, plan: &Plan, waiting: &[TaskWish]) -> TaskLine {
    let reviews = detail.map(|detail| detail.reviews).or(task.review_count).unwrap_or_default();
    let satisfied =
        |id: &TaskId| plan.tasks.iter().any(|other| &other.id == id && other.status.satisfies());
    let waits_for = task.depends_on.iter().find(|id| !satisfied(id));
    let requests = waiting.iter().filter(|wish| wish.task() == Some(&task.id));
    TaskLine {
        id: task.id.0.clone(),
        title: task.title.clone(),
        status: task.status.word(),
        attempts: detail.map_or(0, |detail| detail.attempts),
        reviews,
        why: detail.map(|detail| detail.why.clone()).unwrap_or_default(),
        question: task.question.clone(),
        branch: task.branch.clone(),
        labels: labels_of(task, task.status, detail).iter().map(Label::describe).collect(),
        waits_for: waits_for.filter(|_| task.status == Status::Pending).map(|id| id.0.clone()),
        requests: requests.map(TaskWish::word).collect(),
    }
}

/// The newest run that did something about a task.
fn known(standing: &PlanStatus, place: &RunStore, task: &TaskId) -> Option<Known> {
    let of_state = |state: &RunState| {
        let at = state.position(task)?;
        let progress = state.tasks.get(at)?;
        let detail = progress.detail.as_deref()?;
        // A run that only took over what the plan file said knows nothing of its own.
        let worked = !detail.began_at.as_str().is_empty() || !detail.why.is_empty();
        worked.then(|| Known {
            run: state.run.clone(),
            status: progress.status,
            detail: detail.clone(),
        })
    };
    standing.state.as_ref().and_then(of_state).or_else(|| {
        place.runs().iter().rev().find_map(|run| {
            let state = journal::recover(&place.layout.journal(run)).ok()?.state;
            of_state(&state)
        })
    })
}

/// Each criterion with its record; the review of a task that names none comes last.
fn criteria(task: &Task, evidence: &[Evidence], run: Option<&RunId>) -> Vec<CriterionFacts> {
    let own = task.acceptance_criteria.iter().map(|criterion| {
        let fits = |one: &&Evidence| one.criterion == criterion.text();
        let record = evidence.iter().find(fits);
        judged(criterion.text(), criterion.check(), record, run)
    });
    let named = |one: &&Evidence| {
        task.acceptance_criteria.iter().any(|criterion| criterion.text() == one.criterion)
    };
    let others = evidence.iter().filter(|one| !named(one));
    own.chain(others.map(|one| judged(&one.criterion, None, Some(one), run))).collect()
}

fn judged(
    criterion: &str,
    check: Option<&str>,
    record: Option<&Evidence>,
    run: Option<&RunId>,
) -> CriterionFacts {
    let by = record.map(|record| &record.by);
    let run = run.map(RunId::as_str).unwrap_or_default();
    let (judge, proof) = match by {
        None => (None, "not judged yet".to_owned()),
        Some(Judged::Check { exit_code, log, .. }) => {
            (Some("check"), format!("exit {exit_code}, log .ralph/runs/{run}/{log}"))
        }
        Some(Judged::Reviewer { agent, iteration, evidence, comment, .. }) => {
            let said = [evidence.as_str(), comment.as_str()];
            let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
            (Some("reviewer"), format!("{agent} in iteration {iteration}: {}", said.join("; ")))
        }
        Some(Judged::Person) => (Some("person"), "approved by a person".to_owned()),
        Some(Judged::Unreviewed) => (Some("unreviewed"), "nobody judged it".to_owned()),
    };
    let is_judged = |by: &&Judged| !matches!(by, Judged::Unreviewed);
    CriterionFacts {
        criterion: criterion.to_owned(),
        check: check.map(str::to_owned),
        judge,
        met: by.filter(is_judged).map(Judged::met),
        proof,
        tree: record.map(|record| record.tree.as_str().to_owned()),
    }
}

fn finding(finding: &Finding) -> FindingFacts {
    FindingFacts {
        severity: finding.severity.word(),
        title: finding.title.clone(),
        detail: finding.detail.clone(),
        place: finding.place.clone(),
        line: finding.line(),
    }
}
