//! What to do now: the one effect that the state asks for.

use super::{Iteration, Phase, RunState, call, messages, traces};
use crate::{
    effect::{
        CaptureTree, CheckSpec, Checkpoint, CloseWorkspace, Commit, Effect, EffectId, GiveUp, How,
        Look, OpenWorkspace, Quarantine, Reapply, RunGates, RunScmTasks, Step,
    },
    event::{Source, StopHow},
    ids::{CommitId, TreeId},
    vocabulary::Stage,
};

/// The next step of a run. Pure: the same state always asks for the same thing.
pub fn next(state: &RunState) -> Step {
    let id = EffectId(state.effects);
    if let Some(how) = interruption(state) {
        return Step::Interrupt(id, how);
    }
    let effect = match &state.phase {
        Phase::Finished { .. } => return Step::Finished,
        Phase::Waiting { until } => return Step::Await { until: Some(*until) },
        Phase::Paused { .. } => return Step::Await { until: None },
        Phase::Opening { .. } => open(state),
        Phase::Baselining => Effect::RunBaseline(baseline(state)),
        Phase::Boundary => look(state),
        Phase::Closing { .. } => close(state),
        Phase::Compacting(start) => Effect::RunAgent(Box::new(call::of_compaction(state, start))),
        Phase::Iterating(iteration) => stage(state, iteration),
    };
    Step::Perform(id, effect)
}

/// How the effect in flight is to be ended now, if it is. Only effects that may last are. Renders nothing: it is asked
/// twice a second while one lasts.
pub fn interruption(state: &RunState) -> Option<How> {
    let calls_agent = match &state.phase {
        Phase::Baselining => false,
        Phase::Compacting(_) => true,
        Phase::Iterating(iteration) => match iteration.stage {
            Stage::Agent => true,
            Stage::Gates | Stage::Scm => false,
            _ => return None,
        },
        _ => return None,
    };
    match state.stop {
        Some(StopHow::Now) => Some(How::Ask),
        Some(StopHow::Signal { how, .. }) => Some(how),
        Some(StopHow::AfterIteration) | None => {
            (calls_agent && state.steering.ends_call).then_some(How::Ask)
        }
    }
}

fn open(state: &RunState) -> Effect {
    Effect::OpenWorkspace(OpenWorkspace {
        branch: state.start.branch.clone(),
        dirty: state.start.dirty,
        linked_worktree: state.start.linked_worktree,
        resume_at: state.workspace.as_ref().map(|_| resumes_at(state)),
        only_looks: state.is_planning(),
    })
}

/// Where the run branch must be for the iteration that continues, if one does.
fn resumes_at(state: &RunState) -> CommitId {
    match &state.phase {
        Phase::Opening { then } => match &**then {
            Phase::Iterating(iteration) => branch_head(state, iteration),
            _ => state.head.clone(),
        },
        _ => state.head.clone(),
    }
}

fn look(state: &RunState) -> Effect {
    let prompt_file = match &state.start.source {
        Source::Prompt { file, .. } => file.clone(),
        Source::Plan | Source::Tasks { .. } | Source::Planning { .. } => None,
    };
    Effect::Look(Look { prompt_file })
}

fn close(state: &RunState) -> Effect {
    Effect::CloseWorkspace(CloseWorkspace {
        head: state.head.clone(),
        stash: state.workspace.as_ref().and_then(|workspace| workspace.stash.clone()),
        keep_as: format!("unaccepted/{}-{}", state.counters.iterations, state.effects),
    })
}

fn stage(state: &RunState, iteration: &Iteration) -> Effect {
    let detail = state.detail(iteration.task);
    // Nothing is judged or committed but what was captured: where it is missing, it is captured first.
    match iteration.stage {
        Stage::Reapply => Effect::Reapply(Reapply {
            branch: detail.and_then(|detail| detail.reapply.clone()).unwrap_or_default(),
            onto: state.head.clone(),
        }),
        Stage::Checkpoint => Effect::Checkpoint(Checkpoint {
            iteration: iteration.number,
            head: state.head.clone(),
            start: detail.and_then(|detail| detail.work.clone()),
            keep_as: format!("found/{}-{}", iteration.number, state.effects),
        }),
        Stage::Agent => Effect::RunAgent(Box::new(call::of_iteration(state, iteration))),
        Stage::Capture => capture(state, iteration),
        Stage::Gates => match iteration.tree() {
            Some(tree) => Effect::RunGates(gates(state, iteration, tree)),
            None => capture(state, iteration),
        },
        Stage::Commit => match iteration.accepted_tree() {
            Some(tree) => Effect::Commit(commit(state, iteration, tree)),
            None => capture(state, iteration),
        },
        Stage::Scm => Effect::RunScmTasks(RunScmTasks {
            tasks: state.start.settings.scm.tasks.clone(),
            hard_timeout: state.start.settings.timeouts.gate.hard.0,
        }),
        Stage::Quarantine => Effect::Quarantine(quarantine(state, iteration)),
        Stage::GiveUp => {
            let stamp = messages::stamp(iteration.stage_since);
            let branch = format!("wip/ralph-fail-{}-{stamp}", state.task_id(iteration.task));
            Effect::GiveUp(give_up(state, iteration, branch))
        }
        Stage::Park => {
            let branch = format!("ralph/parked/{}", state.task_id(iteration.task));
            Effect::GiveUp(give_up(state, iteration, branch))
        }
    }
}

fn capture(state: &RunState, iteration: &Iteration) -> Effect {
    let checkpoint = iteration.checkpoint.as_ref();
    Effect::CaptureTree(CaptureTree {
        iteration: iteration.number,
        head: state.head.clone(),
        start: checkpoint.map_or(&state.head_tree, |taken| &taken.tree).clone(),
        protect: state.start.settings.gates.protect.clone(),
    })
}

fn baseline(state: &RunState) -> RunGates {
    RunGates {
        iteration: 0,
        tree: state.head_tree.clone(),
        gates: state.start.gates.clone(),
        checks: Vec::new(),
        flaky_retries: 0,
        before: Vec::new(),
        truncate: state.start.settings.gates.output_truncate_chars,
    }
}

fn gates(state: &RunState, iteration: &Iteration, tree: &TreeId) -> RunGates {
    let hard_timeout = state.start.settings.timeouts.gate.hard.0;
    let criteria = state.task(iteration.task).map(|task| &task.acceptance_criteria);
    let checks = criteria
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(criterion, text)| {
            let command = text.check()?.to_owned();
            Some(CheckSpec { criterion, command, hard_timeout })
        })
        .collect();
    RunGates {
        iteration: iteration.number,
        tree: tree.clone(),
        gates: state.start.gates.clone(),
        checks,
        flaky_retries: state.start.settings.gates.flaky_retries,
        before: state.baseline.clone().unwrap_or_default(),
        truncate: state.start.settings.gates.output_truncate_chars,
    }
}

fn commit(state: &RunState, iteration: &Iteration, tree: &TreeId) -> Commit {
    Commit {
        iteration: iteration.number,
        task: state.task_id(iteration.task),
        tree: tree.clone(),
        parent: branch_head(state, iteration),
        message: messages::commit(state, iteration),
    }
}

fn quarantine(state: &RunState, iteration: &Iteration) -> Quarantine {
    let task = state.task_id(iteration.task);
    let attempt = state.detail(iteration.task).map_or(0, |detail| detail.attempts) + 1;
    let name = match &iteration.verdict {
        Some(_) => format!("{task}/{attempt}"),
        None => format!("{task}/{attempt}-unjudged-{}", iteration.retry),
    };
    Quarantine {
        tree: iteration.tree().unwrap_or(&state.head_tree).clone(),
        parent: branch_head(state, iteration),
        message: messages::quarantine(state, iteration),
        hints: iteration.results.as_ref().map(traces::hints).unwrap_or_default(),
        name,
    }
}

fn give_up(state: &RunState, iteration: &Iteration, branch: String) -> GiveUp {
    let detail = state.detail(iteration.task);
    let left = match &iteration.captured {
        Some(captured) => captured.tree.clone(),
        None => detail.and_then(|detail| detail.work.clone()),
    };
    let head = branch_head(state, iteration);
    // Earlier rounds of a prompt were accepted for good.
    let began_at = match (&state.start.source, detail) {
        (Source::Plan | Source::Tasks { .. }, Some(detail)) if !detail.began_at.is_empty() => {
            detail.began_at.clone()
        }
        _ => state.head.clone(),
    };
    GiveUp {
        task: state.task_id(iteration.task),
        branch,
        tree: left.filter(|tree| *tree != state.head_tree),
        head,
        began_at,
        message: messages::diagnosis(state, iteration),
        push: pushes(state, iteration).then_some(state.start.settings.timeouts.gate.hard.0),
    }
}

/// Whether the branch of this task goes where accepted work goes. A parked task is still this machine's.
fn pushes(state: &RunState, iteration: &Iteration) -> bool {
    let scm = &state.start.settings.scm;
    let is_wanted = scm.command == "git" && scm.tasks.iter().any(|task| task == "push");
    is_wanted && iteration.stage == Stage::GiveUp
}

/// Where the run branch is: moved on if the agent's own commits were kept.
fn branch_head(state: &RunState, iteration: &Iteration) -> CommitId {
    iteration.captured.as_ref().map_or_else(|| state.head.clone(), |captured| captured.head.clone())
}
