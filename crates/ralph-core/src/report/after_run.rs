//! Where a run that ended leaves the work, as far as its own record tells. What was done about it since is not known here.

use super::Report;
use crate::{
    event::Source,
    evidence::Label,
    ids::TaskId,
    next_command::{Again, FinishedWork, Need, Obstacle, Raised, Situation, Work},
    outcome::Outcome,
    plan::Task,
    run::{RunState, task_limit},
    time::Millis,
    usage::MicroUsd,
};

/// The situation at the end of a run.
pub fn after_run(state: &RunState, outcome: &Outcome) -> Situation {
    let work =
        if state.is_planning() { after_planning(state, outcome) } else { after(state, outcome) };
    // What was stashed is back in the files by then, and only the run that did it would stash it again.
    let has_changes = state.workspace.as_ref().is_some_and(|one| one.stash.is_some());
    let is_another = work == Work::Planned;
    let obstacles = (has_changes && is_another).then_some(Obstacle::Changes);
    Situation { obstacles: obstacles.into_iter().collect(), work }
}

fn after(state: &RunState, outcome: &Outcome) -> Work {
    match outcome {
        Outcome::Done | Outcome::Drafted if has_others(state) => Work::Planned,
        Outcome::Done | Outcome::Drafted => Work::Finished(finished(state)),
        Outcome::Limit { .. } => Work::Limited(raised(state)),
        // What ended before it had a workspace has nothing to continue.
        Outcome::Stopped | Outcome::Interrupted { .. } if state.workspace.is_none() => {
            Work::Prevented { help: String::new(), again: again(state) }
        }
        // Who is waited for comes first: a resume would get no further with that task.
        Outcome::Stopped | Outcome::Interrupted { .. } => {
            open_question(state).map_or(Work::Resumable, |task| Work::Person(Need::Answer(task)))
        }
        Outcome::NeedsPerson { .. } => need(state).map_or(Work::Planned, Work::Person),
        Outcome::AgentUnusable { help, .. }
        | Outcome::Workspace { help, .. }
        | Outcome::Preflight { help, .. }
        | Outcome::Refused { help, .. } => {
            Work::Prevented { help: help.clone(), again: again(state) }
        }
        Outcome::Bug { .. } => Work::Bug { run: state.run.0.clone() },
    }
}

fn again(state: &RunState) -> Again {
    match &state.start.source {
        _ if state.workspace.is_some() => Again::Resume,
        Source::Plan => Again::Run,
        _ => Again::Same,
    }
}

/// A planning run is not resumed but started again, with the answers that are known.
fn after_planning(state: &RunState, outcome: &Outcome) -> Work {
    let again = |help: &str| Work::Prevented { help: help.into(), again: Again::Plan };
    match outcome {
        Outcome::Done | Outcome::Drafted => Work::Drafted,
        Outcome::Limit { .. } => Work::PlanningLimited(raised(state)),
        Outcome::Stopped | Outcome::Interrupted { .. } | Outcome::Bug { .. } => again(""),
        Outcome::NeedsPerson { .. } => {
            Work::Person(Need::Drafts { folder: format!(".ralph/runs/{}", state.run) })
        }
        Outcome::AgentUnusable { help, .. }
        | Outcome::Workspace { help, .. }
        | Outcome::Preflight { help, .. }
        | Outcome::Refused { help, .. } => again(help),
    }
}

/// Whether the plan has open tasks that the run was not about.
fn has_others(state: &RunState) -> bool {
    let is_open = |(at, task): (usize, &Task)| {
        let status = state.tasks.get(at).map_or(task.status, |progress| progress.status);
        !status.satisfies() && !state.start.source.selects(&task.id)
    };
    state.start.plan.tasks.iter().enumerate().any(is_open)
}

fn finished(state: &RunState) -> FinishedWork {
    let workspace = state.workspace.as_ref();
    FinishedWork {
        branch: workspace.map(|one| one.branch.clone()).unwrap_or_default(),
        base: workspace.map(|one| one.came_from.clone()).unwrap_or_default(),
        has_commits: true,
        is_unproved: is_unproved(&Report::of(state)),
        has_plan: !state.is_prompt(),
    }
}

/// Whether something that the run did is weaker than full proof.
fn is_unproved(report: &Report) -> bool {
    let labels = report.tasks.iter().flat_map(|task| &task.labels);
    labels.into_iter().any(|label| *label != Label::DoneBefore)
}

/// What a person must do first. Of the whole plan: what an earlier run gave up waits for a person all the same.
fn need(state: &RunState) -> Option<Need> {
    let of_task = |(at, task): (usize, &Task)| {
        let progress = state.tasks.get(at)?;
        let detail = progress.detail.as_deref();
        let asks = detail.is_some_and(|detail| detail.question.is_some());
        let has_failed = detail.is_some_and(|detail| detail.agent_failed.is_some());
        Need::of(&task.id, progress.status, asks, has_failed)
    };
    let needs = state.start.plan.tasks.iter().enumerate().filter_map(of_task);
    let proposals = (!state.proposals.is_empty()).then_some(Need::Proposals);
    needs.chain(proposals).min_by_key(Need::rank)
}

/// The question of a run that waits for an answer while the run continues with other tasks.
pub fn open_question(state: &RunState) -> Option<TaskId> {
    match need(state)? {
        Need::Answer(task) => Some(task),
        _ => None,
    }
}

/// Every limit of the run that is used up, as one that is not: the run must get on with the printed command alone.
fn raised(state: &RunState) -> Raised {
    let limits = &state.start.settings.limits;
    let doubled =
        |limit: u64, used: u64| (limit > 0 && used >= limit).then(|| used.saturating_add(limit));
    let cost = MicroUsd::from_dollars(limits.max_cost_usd);
    let most = state.start.max_iterations;
    // Drafts of a plan are bounded by ralph alone.
    let is_at_end = state.counters.iterations >= most && !state.is_planning();
    let task = state.current.filter(|_| state.is_prompt());
    Raised {
        setting: task.and_then(|task| Some(task_limit(state, task)?.0)),
        iterations: is_at_end.then(|| most.saturating_mul(2)),
        cost: doubled(cost.0, state.usage.cost.0).map(MicroUsd),
        tokens: doubled(limits.max_tokens, state.usage.tokens()),
        duration: doubled(limits.max_duration.0.0, state.worked(state.last_at).0)
            // Whole seconds, which is how it is typed.
            .map(|most| Millis::secs(most.div_ceil(1_000))),
    }
}
