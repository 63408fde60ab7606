//! Gathers a report from a run's state. Judges nothing anew.

use std::collections::BTreeMap;

use super::{
    Amendments, Answered, Asked, Blocked, Cost, Counts, Diffstat, Ended, Exposed, Failed, Parked,
    Report, ReviewCounts, Rules, Setback, TaskReport, Times, Waiting, Weaker, contents::VERSION,
};
use crate::{
    evidence::{Label, completes},
    ids::TaskId,
    plan::{self, Status, StatusCounts, Task, amend::Ruling},
    review::Finding,
    run::{Answer, Detail, RunState, TaskProgress, labels_of},
    time::Millis,
    timeline::Iterations,
    usage::MicroUsd,
};

impl Report {
    /// The report of a run as far as it has come.
    pub fn of(state: &RunState) -> Self {
        let selected = state.selected();
        let blocked = blocked(state, &selected);
        let tasks: Vec<TaskReport> = selected
            .iter()
            .filter_map(|&at| task_report(state, at, state.start.plan.tasks.get(at)?))
            .collect();
        let with = |wanted: Status| {
            let of = move |at: &usize| state.tasks.get(*at).map(|progress| progress.status);
            let found = selected.iter().filter(move |at| of(at) == Some(wanted));
            found.filter_map(|&at| Some((at, state.start.plan.tasks.get(at)?)))
        };
        let counts = counts(state, &selected, &tasks, &blocked);
        let workspace = state.workspace.as_ref();
        Self {
            version: VERSION,
            run: state.run.clone(),
            project: state.start.plan.project.clone(),
            branch: branch(state),
            came_from: workspace.map(|workspace| workspace.came_from.clone()).unwrap_or_default(),
            began: state.started_at,
            last: state.last_at,
            ended: state.outcome().map(|outcome| Ended {
                outcome: outcome.clone(),
                words: state.how_it_ended().unwrap_or_default(),
                exit_code: state.start.exit_code(outcome),
            }),
            isolation: state.start.isolation.clone(),
            earlier_isolations: state.earlier_isolations.clone(),
            exposed: exposed(state, &selected),
            weaker: weaker(&tasks),
            failed: with(Status::Failed).map(|(at, task)| Failed::of(state, at, task)).collect(),
            parked: with(Status::Parked).map(|(at, task)| Parked::of(state, at, task)).collect(),
            blocked,
            proposals: proposals(state),
            questions: selected.iter().filter_map(|&at| asked(state, at)).collect(),
            answered: selected.iter().flat_map(|&at| answered(state, at)).collect(),
            rules: None,
            warnings: state.warnings.clone(),
            soft_failures: state.soft_failures.clone(),
            steered: state.steering.words.clone(),
            not_begun: selected.len() - tasks.len(),
            tasks,
            flaky_gates: state.flaky.clone(),
            reviews: ReviewCounts::of(state, &selected),
            amendments: amendments(state),
            iterations: state.counters.iterations,
            iterations_by_kind: state.counters.kinds.clone(),
            by_agent: state.counters.by_agent.clone(),
            by_kind: state.counters.by_kind.clone(),
            rejected: state.counters.rejected,
            timeline: Iterations::default(),
            times: times(state),
            usage: state.usage,
            cost: cost(state, counts.verified),
            counts,
            diffstat: None,
            commits_at: None,
            traffic: state.traffic.contacts().cloned().collect(),
            notes: state.notes.clone(),
        }
    }

    /// The same with its iterations in time, which only the decisions tell.
    #[must_use]
    pub fn in_time(self, timeline: Iterations) -> Self {
        Self { timeline, ..self }
    }

    /// The same with rules that may outlive it.
    #[must_use]
    pub fn with_rules(self, rules: Option<Rules>) -> Self {
        Self { rules, ..self }
    }

    /// The same with what git says about its work.
    #[must_use]
    pub fn with_changes(self, diffstat: Option<Diffstat>, commits_at: Option<String>) -> Self {
        Self { diffstat, commits_at, ..self }
    }
}

fn blocked(state: &RunState, selected: &[usize]) -> Vec<Blocked> {
    let tasks = &state.start.plan.tasks;
    let status =
        |at: usize| state.tasks.get(at).map(|progress| progress.status).unwrap_or_default();
    let causes = plan::blocked(tasks, status);
    let of = |at: &usize| {
        let (task, on) = (tasks.get(*at)?, causes.get(at)?);
        Some(Blocked { task: task.id.clone(), title: task.title.clone(), on: (*on).clone() })
    };
    selected.iter().filter_map(of).collect()
}

fn branch(state: &RunState) -> String {
    let opened = state.workspace.as_ref().map(|workspace| workspace.branch.clone());
    opened.filter(|name| !name.is_empty()).unwrap_or_else(|| state.start.branch.clone())
}

fn counts(
    state: &RunState,
    selected: &[usize],
    tasks: &[TaskReport],
    blocked: &[Blocked],
) -> Counts {
    let statuses = selected.iter().filter_map(|&at| state.tasks.get(at));
    let by_status = StatusCounts::of(statuses.map(|progress| progress.status));
    let labelled = |label: Label| tasks.iter().filter(move |task| task.labels.contains(&label));
    Counts {
        total: by_status.total,
        done: by_status.done,
        verified: tasks.iter().filter(|task| task.verified).count(),
        imported: labelled(Label::ImportedAsDone).count(),
        before: labelled(Label::DoneBefore).count(),
        skipped: by_status.skipped,
        failed: by_status.failed,
        parked: by_status.parked,
        blocked: blocked.len(),
        open: by_status.open().saturating_sub(blocked.len()),
    }
}

/// What is weaker than full proof by this run.
fn labels(task: &Task, progress: &TaskProgress) -> Vec<Label> {
    let detail = progress.detail.as_deref();
    let labels = labels_of(task, progress.status, detail);
    let is_by_this_run =
        detail.is_some_and(|detail| !detail.evidence.is_empty() || detail.attempts > 0);
    if progress.status == Status::Done && labels.is_empty() && !is_by_this_run {
        return vec![Label::DoneBefore];
    }
    labels
}

/// `None` for a task that nobody has begun.
fn task_report(state: &RunState, at: usize, task: &Task) -> Option<TaskReport> {
    let progress = state.tasks.get(at)?;
    let none = Detail::default();
    let detail = progress.detail.as_deref().unwrap_or(&none);
    if progress.status == Status::Pending && progress.detail.is_none() {
        return None;
    }
    let proved = completes(task, &detail.evidence, &detail.labels) && detail.labels.is_empty();
    Some(TaskReport {
        id: task.id.clone(),
        title: task.title.clone(),
        status: progress.status,
        why: detail.why.clone(),
        verified: progress.status == Status::Done && proved && detail.attempts > 0,
        attempts: detail.attempts,
        rejected: detail.all_rejected,
        max_attempts: state.max_attempts(at),
        reviews: detail.reviews,
        change_requests: detail.change_requests,
        usage: detail.usage,
        agent_time: detail.time,
        began: detail.began,
        ended: detail.ended,
        commits: detail.commits.clone(),
        branch: detail.branch.clone(),
        labels: labels(task, progress),
        evidence: detail.evidence.clone(),
        warnings: detail.warnings.iter().map(Finding::line).collect(),
        setback: Setback::newest(state, at),
    })
}

/// What accepted work changed, and where that work is now.
fn exposed(state: &RunState, selected: &[usize]) -> Vec<Exposed> {
    let of = |&at: &usize| {
        let (detail, progress) = (state.detail(at)?, state.tasks.get(at)?);
        let kept = matches!(progress.status, Status::Failed | Status::Parked);
        let mut files = detail.touched.clone();
        files.sort_by(|a, b| (&a.exposure, &a.path).cmp(&(&b.exposure, &b.path)));
        let left_out = detail.touched_left_out;
        (!files.is_empty() || left_out > 0).then(|| Exposed {
            task: state.task_id(at),
            branch: detail.branch.clone().filter(|_| kept).unwrap_or_else(|| branch(state)),
            files,
            left_out,
        })
    };
    selected.iter().filter_map(of).collect()
}

/// The labels of everything that is done, each with its tasks; unreviewed criteria are counted together.
fn weaker(tasks: &[TaskReport]) -> Vec<Weaker> {
    let mut by_words: BTreeMap<String, Vec<TaskId>> = BTreeMap::new();
    let (mut unreviewed, mut without_review) = (0, Vec::new());
    for task in tasks.iter().filter(|task| task.status == Status::Done) {
        for label in &task.labels {
            if let Label::Unreviewed { criteria } = label {
                unreviewed += criteria;
                without_review.push(task.id.clone());
            } else {
                by_words.entry(label.describe()).or_default().push(task.id.clone());
            }
        }
    }
    if unreviewed > 0 {
        by_words.insert(Label::Unreviewed { criteria: unreviewed }.describe(), without_review);
    }
    by_words.into_iter().map(|(words, tasks)| Weaker { words, tasks }).collect()
}

fn asked(state: &RunState, at: usize) -> Option<Asked> {
    let task = state.start.plan.tasks.get(at)?;
    let question = state.detail(at)?.asked_in_passing.clone()?;
    Some(Asked { task: task.id.clone(), title: task.title.clone(), question })
}

fn answered(state: &RunState, at: usize) -> Vec<Answered> {
    let answers = state.detail(at).map_or(&[][..], |detail| &detail.answers);
    let of = |Answer { question, answer }: &Answer| {
        let (question, answer) = (question.clone(), answer.clone());
        Answered { task: state.task_id(at), question, answer }
    };
    answers.iter().map(of).collect()
}

fn proposals(state: &RunState) -> Vec<Waiting> {
    let waiting = state.proposals.iter().map(|(number, one)| Waiting {
        number: *number,
        change: one.proposal.amendment.headline(),
        reason: one.proposal.amendment.reason().to_owned(),
        why: match &one.ruling {
            Ruling::Waits { why } | Ruling::Refused { why } => why.clone(),
            Ruling::Applied => String::new(),
        },
    });
    waiting.collect()
}

fn amendments(state: &RunState) -> Amendments {
    Amendments {
        applied: state.counters.amended,
        waiting: u32::try_from(state.proposals.len()).unwrap_or(u32::MAX),
        refused: state.counters.amendments_refused,
    }
}

fn times(state: &RunState) -> Times {
    let counters = &state.counters;
    Times {
        total: state.worked(state.last_at),
        agent: Millis(counters.agent_time.0.saturating_sub(counters.review_time.0)),
        review: counters.review_time,
        gates: counters.gate_time,
        paused: state.steering.paused,
    }
}

fn cost(state: &RunState, verified: usize) -> Cost {
    let total = state.usage.known_cost();
    let share = |total: MicroUsd| total.0.checked_div(u64::try_from(verified).ok()?).map(MicroUsd);
    Cost { total_usd_micros: total, per_verified_task_usd_micros: total.and_then(share) }
}
