//! What is known about tasks, gathered from the plan and from runs; what `--json` prints.

use std::collections::BTreeSet;

use ralph_core::{
    evidence::{Evidence, Judged},
    ids::{CommitId, RunId, TaskId},
    plan::{Status, Task, person::TaskWish},
    report::TaskLine,
    run::{Detail, RunState},
    stuck::Stuck,
    timeline::{Step, TaskTimeline},
};
use ralph_engine::runs;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    diagnostics::CommandError,
    session::{plan_status::PlanStatus, run_store::RunStore},
};

/// One task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct ListedTask {
    #[serde(flatten)]
    pub(crate) line: TaskLine,
    /// The first task it depends on that is neither done nor skipped.
    pub(crate) waits_for: Option<String>,
    /// What people asked for about it and no run has taken yet.
    pub(crate) requests: Vec<&'static str>,
    /// The run that worked on it died.
    #[serde(skip)]
    pub(crate) is_dead: bool,
}

/// Everything about one task.
pub(crate) struct TaskFacts {
    pub(crate) listed: ListedTask,
    pub(crate) task: Task,
    pub(crate) criteria: Vec<CriterionFacts>,
    /// The run that knows most about it.
    pub(crate) run: Option<RunId>,
    /// Where that run left it, if the plan was changed since.
    pub(crate) left_as: Option<Status>,
    /// What that run knows.
    pub(crate) detail: Detail,
    pub(crate) history: Vec<Step>,
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

/// All tasks of the plan.
pub(crate) fn listed(standing: &PlanStatus) -> Vec<ListedTask> {
    let known = |task: &Task| {
        let state = standing.state.as_ref()?;
        state.detail(state.position(&task.id)?)
    };
    let tasks = standing.plan.tasks.iter();
    tasks.map(|task| list(task, known(task), standing)).collect()
}

fn list(task: &Task, detail: Option<&Detail>, standing: &PlanStatus) -> ListedTask {
    let PlanStatus { plan, waiting, .. } = standing;
    let satisfied =
        |id: &TaskId| plan.tasks.iter().any(|other| &other.id == id && other.status.satisfies());
    let waits_for = task.depends_on.iter().find(|id| !satisfied(id));
    let requests = waiting.iter().filter(|wish| wish.task() == Some(&task.id));
    ListedTask {
        line: TaskLine::of(task, detail),
        waits_for: waits_for.filter(|_| task.status == Status::Pending).map(|id| id.0.clone()),
        requests: requests.map(TaskWish::word).collect(),
        is_dead: standing.is_dead(),
    }
}

impl TaskFacts {
    /// Everything about one task.
    pub(crate) fn of(standing: &PlanStatus, task: &Task) -> Result<Self, CommandError> {
        let place = RunStore { layout: standing.layout.clone() };
        let known = known(standing, &place, &task.id);
        let history = match &known {
            Some((run, ..)) => place.timeline(run)?.tasks.remove(&task.id).unwrap_or_default(),
            None => TaskTimeline::default(),
        };
        let detail = known.as_ref().map(|(_, _, detail)| detail);
        let listed = list(task, detail, standing);
        let (run, left_as, detail) = match known {
            Some((run, status, detail)) => (Some(run), Some(status), detail),
            None => (None, None, Detail::default()),
        };
        Ok(Self {
            listed,
            task: task.clone(),
            criteria: criteria(task, &detail.evidence, run.as_ref()),
            left_as: left_as.filter(|was| *was != task.status),
            run,
            detail,
            history: history.steps,
        })
    }

    /// What `--json` prints.
    pub(crate) fn json(&self) -> Value {
        let Self { listed, task, detail, .. } = self;
        let mut all = json!({"v": 1});
        let rest = json!({
            "description": task.description,
            "depends_on": task.depends_on,
            "priority": task.priority,
            "agent": task.agent,
            "model": task.model,
            "max_attempts": task.own_max_attempts(),
            "notes": task.notes,
            "criteria": self.criteria,
            "run": self.run,
            "left_as": self.left_as,
            "rejected": detail.all_rejected,
            "history": self.history,
            "commits": detail.commits.iter().map(CommitId::as_str).collect::<Vec<_>>(),
            "spent_ms": detail.time.0,
            "cost_usd_micros": detail.usage.known_cost(),
            "tokens": detail.usage.tokens(),
            "findings": detail.findings,
            "warnings": detail.warnings,
            "answers": detail.answers,
            "stuck": detail.stuck.as_ref().map(Stuck::describe),
            "earlier_branch": detail.earlier,
            "exposed": self.exposed(),
            "exposed_left_out": detail.touched_left_out,
        });
        if let Value::Object(all) = &mut all {
            for part in [json!(listed), rest] {
                all.extend(part.as_object().cloned().unwrap_or_default());
            }
        }
        all
    }

    /// Tests, CI, hooks, scripts and agent configuration that its accepted work changed.
    pub(crate) fn exposed(&self) -> Vec<&str> {
        let paths: BTreeSet<&str> =
            self.detail.touched.iter().map(|one| one.path.as_str()).collect();
        paths.into_iter().collect()
    }
}

/// The newest run that did something about a task, where it left the task, and what it knows of it.
fn known(
    standing: &PlanStatus,
    place: &RunStore,
    task: &TaskId,
) -> Option<(RunId, Status, Detail)> {
    let of_state = |state: &RunState| {
        let at = state.position(task)?;
        let progress = state.tasks.get(at)?;
        let detail = progress.detail.as_deref()?;
        // A run that only took over what the plan file said knows nothing of its own.
        let worked = !detail.began_at.as_str().is_empty() || !detail.why.is_empty();
        worked.then(|| (state.run.clone(), progress.status, detail.clone()))
    };
    standing.state.as_ref().and_then(of_state).or_else(|| {
        let newest_first = runs::all(&place.layout).into_iter().rev();
        runs::states(&place.layout, newest_first).find_map(|state| of_state(&state))
    })
}

/// Each criterion with its record; the review of a task that names none comes last.
pub(crate) fn criteria(
    task: &Task,
    evidence: &[Evidence],
    run: Option<&RunId>,
) -> Vec<CriterionFacts> {
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
