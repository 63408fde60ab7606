//! An attempt on its way to a verdict: checkpoint, captured tree, gates, commit.

use super::ending;
use crate::{
    ending::Reaction,
    event::Event,
    evidence::{Evidence, Judged},
    gates::report::GateResults,
    ids::{CommitId, TreeId},
    input::{Captured, CheckpointTaken},
    plan::{Criterion, Status},
    run::{Iteration, RunState, Stage, Verdict, judge},
    time::Timestamp,
};

pub(super) fn checkpointed(state: &RunState, taken: &CheckpointTaken) -> Vec<Event> {
    let mut events = vec![Event::CheckpointTaken(taken.clone())];
    events.extend(taken.notes.iter().map(|text| Event::Warned { text: text.clone() }));
    if state.stopping_now() {
        events.push(Event::RunEnding { outcome: state.stopped_outcome() });
    } else {
        events.push(Event::Proceeded { to: Stage::Agent });
    }
    events
}

/// Where the tree goes now that it is written down: to the gates, or aside.
pub(super) fn captured(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    captured: &Captured,
) -> Vec<Event> {
    let mut events = vec![Event::TreeCaptured(captured.clone())];
    events.extend(captured.notes.iter().map(|text| Event::Warned { text: text.clone() }));
    if ending::reaction(state, iteration) != Reaction::Judge {
        events.extend(ending::keep(state, at, iteration, captured));
        return events;
    }
    if captured.violations.is_empty() && captured.tree.is_some() {
        events.push(Event::Proceeded { to: Stage::Gates });
    } else {
        events.push(Event::VerdictReached(judge::violated(captured)));
        events.push(Event::Proceeded { to: Stage::Quarantine });
    }
    events
}

/// What gates that never began leave: nothing.
pub(super) fn no_results() -> GateResults {
    GateResults::default()
}

/// The verdict. Gates that a stop cut short judge nothing: the call is set aside uncharged.
pub(super) fn gated(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    results: &GateResults,
) -> Vec<Event> {
    let (Some(report), Some(captured)) = (&iteration.report, &iteration.captured) else {
        return Vec::new();
    };
    let Some(tree) = &captured.tree else {
        return Vec::new();
    };
    if state.stopping_now() && judge::cut_short(state, iteration.task, results) {
        return ending::keep(state, at, iteration, captured);
    }
    let verdict = judge::judge(state, iteration.task, report, captured, results);
    let accepted = verdict.accepted;
    let mut events = vec![Event::GatesRan { tree: tree.clone(), results: results.clone() }];
    events.push(Event::VerdictReached(verdict.clone()));
    if !accepted {
        events.push(Event::Proceeded { to: Stage::Quarantine });
    } else if *tree == state.head_tree && captured.head == state.head {
        events.extend(accept(state, iteration, &verdict, results));
        events.push(Event::IterationClosed);
    } else {
        events.push(Event::Proceeded { to: Stage::Commit });
    }
    events
}

pub(super) fn committed(state: &RunState, iteration: &Iteration, commit: &CommitId) -> Vec<Event> {
    let (Some(verdict), Some(results)) = (&iteration.verdict, &iteration.results) else {
        return Vec::new();
    };
    let (Some(tree), Some(task)) = (&verdict.tree, state.start.plan.tasks.get(iteration.task))
    else {
        return Vec::new();
    };
    let mut events = vec![Event::Committed {
        task: task.id.clone(),
        iteration: iteration.number,
        commit: commit.clone(),
        tree: tree.clone(),
    }];
    events.extend(accept(state, iteration, verdict, results));
    events.push(if state.start.settings.scm.tasks.is_empty() {
        Event::IterationClosed
    } else {
        Event::Proceeded { to: Stage::Scm }
    });
    events
}

/// The attempt counts: evidence, and the task is done (a prompt only once completion is claimed).
fn accept(
    state: &RunState,
    iteration: &Iteration,
    verdict: &Verdict,
    results: &GateResults,
) -> Vec<Event> {
    let (Some(task), Some(tree)) = (state.start.plan.tasks.get(iteration.task), &verdict.tree)
    else {
        return Vec::new();
    };
    let attempt = state.detail(iteration.task).map_or(0, |detail| detail.rejected) + 1;
    let mut events = vec![Event::AttemptAccepted { task: task.id.clone(), attempt }];
    if judge::completes(state, iteration) {
        events.push(Event::EvidenceRecorded {
            task: task.id.clone(),
            evidence: evidence(&task.acceptance_criteria, tree, results),
            labels: verdict.labels.clone(),
        });
        events.push(Event::TaskMoved {
            task: task.id.clone(),
            from: Status::InProgress,
            to: Status::Done,
            why: String::new(),
        });
    }
    events
}

fn evidence(criteria: &[Criterion], tree: &TreeId, results: &GateResults) -> Vec<Evidence> {
    criteria
        .iter()
        .enumerate()
        .map(|(at, criterion)| Evidence {
            criterion: criterion.text().to_owned(),
            by: results.checks.iter().find(|check| check.criterion == at).map_or(
                Judged::Unreviewed,
                |check| Judged::Check {
                    command: check.command.clone(),
                    exit_code: check.end.exit_code(),
                    log: check.log.clone(),
                },
            ),
            tree: tree.clone(),
        })
        .collect()
}
