//! An attempt on its way to a verdict: checkpoint, captured tree, gates, commit.

use super::{ending, policy, proposals};
use crate::{
    ending::{Ending, Reaction},
    event::Event,
    evidence::{Judged, Label},
    gates::report::GateResults,
    ids::CommitId,
    input::{AgentReport, Captured, CheckpointTaken, Reapplied},
    plan::Status,
    run::{Iteration, RunState, judge, prove},
    time::Timestamp,
    verdict::Verdict,
    vocabulary::{Kind, Stage},
};

/// Parked work is back as a tree, or no longer applies: then an approval waits for its person again.
pub(super) fn reapplied(state: &RunState, iteration: &Iteration, result: &Reapplied) -> Vec<Event> {
    let task = state.task_id(iteration.task);
    let mut events = vec![Event::WorkReapplied { task, result: result.clone() }];
    events.extend(result.notes.iter().map(|text| Event::Warned { text: text.clone() }));
    if result.tree.is_none() && iteration.kind == Kind::Apply {
        let why = "its work no longer applies to the run branch".to_owned();
        events.push(prove::moved(state, iteration.task, Status::Parked, why));
        events.push(Event::IterationClosed);
    } else {
        events.push(Event::Proceeded { to: Stage::Checkpoint });
    }
    events
}

pub(super) fn checkpointed(
    state: &RunState,
    iteration: &Iteration,
    taken: &CheckpointTaken,
) -> Vec<Event> {
    let mut events = vec![Event::CheckpointTaken(taken.clone())];
    events.extend(taken.notes.iter().map(|text| Event::Warned { text: text.clone() }));
    events.push(if state.stopping_now() {
        Event::RunEnding { outcome: state.stopped_outcome() }
    } else if iteration.kind == Kind::Apply {
        Event::Proceeded { to: Stage::Capture }
    } else {
        Event::Proceeded { to: Stage::Agent }
    });
    events
}

/// Where the tree goes now that it is written down: to the gates, aside, or to wait for an answer.
pub(super) fn captured(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    captured: &Captured,
) -> Vec<Event> {
    let proposed = proposals::heard(state, iteration, captured);
    let edited = proposals::edited(state, captured);
    let captured = Captured { plan_edit: None, ..captured.clone() };
    let mut events = vec![Event::TreeCaptured(captured.clone())];
    events.extend(captured.notes.iter().map(|text| Event::Warned { text: text.clone() }));
    events.extend(edited);
    if policy::reaction_to(state, at, iteration, Some(&captured)) != Reaction::Judge {
        events.extend(ending::keep(state, at, iteration, &captured));
        return events;
    }
    events.extend(proposed);
    let question = iteration.report.as_deref().and_then(|report| question(report, &captured));
    let in_passing = iteration.report.as_deref().is_some_and(says_finished);
    let waits = question.is_some() && !in_passing;
    let is_broken = captured.tree.is_none() || !judge::breaches(state, &captured).is_empty();
    if let Some(question) = question.filter(|_| !(waits && is_broken)) {
        let task = state.task_id(iteration.task);
        events.push(Event::QuestionAsked { task, question, in_passing });
    }
    if is_broken {
        events.push(Event::VerdictReached(judge::violated(state, &captured)));
        events.push(Event::Proceeded { to: Stage::Quarantine });
    } else {
        events.push(Event::Proceeded { to: if waits { Stage::Park } else { Stage::Gates } });
    }
    events
}

/// Work that its agent calls finished is judged, whatever it asks.
fn says_finished(report: &AgentReport) -> bool {
    report.claimed || report.says_finished() == Some(true)
}

/// What the agent asks, if it does.
fn question(report: &AgentReport, captured: &Captured) -> Option<String> {
    let handoff = report.handoff.as_ref();
    if let Some(question) = handoff.and_then(|handoff| handoff.question.clone()) {
        return Some(question);
    }
    match &report.ending {
        Ending::AskedQuestion { question } => Some(question.clone()),
        Ending::Ok if captured.changed == 0 && handoff.is_none() => {
            crate::claim::closing_question(&report.last_words)
        }
        _ => None,
    }
}

/// The verdict. Gates that a stop cut short judge nothing: the call is set aside uncharged.
pub(super) fn gated(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    results: &GateResults,
) -> Vec<Event> {
    let Some(captured) = &iteration.captured else { return Vec::new() };
    let Some(tree) = &captured.tree else { return Vec::new() };
    if state.stopping_now() && judge::cut_short(state, iteration.task, results) {
        return ending::keep(state, at, iteration, captured);
    }
    let verdict = judge::judge(state, iteration, captured, results);
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
    let Some(tree) = iteration.accepted_tree() else { return Vec::new() };
    let mut events = vec![Event::Committed {
        task: state.task_id(iteration.task),
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

/// The attempt counts. Then a reviewer looks at it, or it is done (a prompt only once completion is claimed).
fn accept(
    state: &RunState,
    iteration: &Iteration,
    verdict: &Verdict,
    results: &GateResults,
) -> Vec<Event> {
    let (Some(task), Some(tree)) = (state.task(iteration.task), &verdict.tree) else {
        return Vec::new();
    };
    let attempt = state.next_attempt(iteration.task);
    let mut events = vec![Event::AttemptAccepted { task: task.id.clone(), attempt }];
    let mut labels = verdict.labels.clone();
    let evidence = |sentence: Option<Judged>| {
        prove::evidence(task, tree, |at, _| prove::ran(results, at), |_| sentence.clone())
    };
    if iteration.kind == Kind::Apply {
        labels.push(Label::ApprovedByPerson);
        events.extend(prove::done(state, iteration.task, evidence(Some(Judged::Person)), labels));
    } else if judge::is_reviewed(state, iteration.task) {
        let task = task.id.clone();
        events.push(Event::EvidenceRecorded { task, evidence: evidence(None), labels });
        events.push(prove::moved(state, iteration.task, Status::NeedsReview, String::new()));
    } else if judge::completes(state, iteration) {
        let judged = Some(Judged::Unreviewed);
        events.extend(prove::done(state, iteration.task, evidence(judged), labels));
    }
    events.extend(proposals::rule(state, iteration));
    events
}
