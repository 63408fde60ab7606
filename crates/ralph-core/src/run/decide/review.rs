//! A review's end: approved, changes requested, at the cap, or no verdict at all. A verdict is never guessed.

use super::{ending, escalation, policy};
use crate::{
    ending::{Ending, Reaction},
    event::{Event, Reviewed},
    evidence::{Evidence, Judged, Label},
    ids::TreeId,
    input::AgentReport,
    plan::{Status, Task},
    review::{self, Finding, FindingSeverity, Judgement, Review},
    run::{Detail, Iteration, RunState, judge, prove, who},
    settings::AtCap,
    time::Timestamp,
    vocabulary::Stage,
};

/// Reviews in a row without a verdict before the task is parked.
const MOST_UNUSABLE: u32 = 2;

/// The reviewer ended. What it left in its copy is gone; only its verdict is looked at.
pub(super) fn ended(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    report: &AgentReport,
) -> Vec<Event> {
    let iteration = Iteration { report: Some(Box::new(report.clone())), ..iteration.clone() };
    let mut events = vec![Event::AgentEnded(Box::new(report.clone()))];
    events.extend(policy::limited(state, at, &iteration, &report.ending));
    events.extend(match policy::reaction(state, at, &iteration) {
        Reaction::Judge if report.ending == Ending::Ok => {
            match review::read(report.handoff.as_ref(), &report.last_words) {
                Ok(review) => judged(state, &iteration, &review),
                Err(misfit) => unusable(state, &iteration, misfit.to_string()),
            }
        }
        Reaction::Judge => {
            unusable(state, &iteration, format!("the reviewer {}", report.ending.describe()))
        }
        _ => ending::unjudged(state, at, &iteration, None),
    });
    events
}

/// No verdict: asked for once more, then a person must look.
fn unusable(state: &RunState, iteration: &Iteration, why: String) -> Vec<Event> {
    let nth = state.detail(iteration.task).map_or(0, |detail| detail.unusable_reviews) + 1;
    vec![
        Event::ReviewUnusable { task: state.task_id(iteration.task), nth, why },
        if nth >= MOST_UNUSABLE {
            Event::Proceeded { to: Stage::Park }
        } else {
            Event::IterationClosed
        },
    ]
}

fn judged(state: &RunState, iteration: &Iteration, review: &Review) -> Vec<Event> {
    let (Some(task), Some(detail)) = (state.task(iteration.task), state.detail(iteration.task))
    else {
        return Vec::new();
    };
    let criteria = review::criteria_of(task);
    let asked: Vec<(usize, &str)> =
        criteria.iter().map(|(at, text)| (*at, text.as_str())).collect();
    let mut judgement = match review::judge(&asked, review, state.start.settings.review.quality) {
        Ok(judgement) => judgement,
        Err(open) => return unusable(state, iteration, open.to_string()),
    };
    let unproved = unproved(task, detail, &state.head_tree);
    judgement.approved &= unproved.is_empty();
    judgement.findings.extend(unproved);
    let reviewer = who::of(state, iteration);
    let print = if judgement.approved {
        String::new()
    } else {
        review::findings_print(&judgement.findings)
    };
    let mut events = vec![Event::Reviewed(Box::new(Reviewed {
        task: task.id.clone(),
        review: detail.reviews + 1,
        agent: reviewer.agent.clone(),
        model: reviewer.model,
        tree: state.head_tree.clone(),
        judgement: judgement.clone(),
        summary: review.summary.clone(),
        print: print.clone(),
    }))];
    let found = Found { iteration, task, detail, judgement: &judgement, agent: reviewer.agent };
    events.extend(if judgement.approved {
        let mut events = approved(state, &found, Vec::new());
        events.push(Event::IterationClosed);
        events
    } else {
        changes_requested(state, &found, print)
    });
    events
}

/// The first task that waits for a review which the settings no longer ask for, as a person said on resume: it is done
/// without one, and labelled.
pub(super) fn not_wanted(state: &RunState) -> Option<Vec<Event>> {
    let waits = |at: &usize| {
        let progress = state.tasks.get(*at);
        progress.is_some_and(|progress| progress.status == Status::NeedsReview)
            && !judge::is_reviewed(state, *at)
    };
    let at = state.selected().into_iter().find(waits)?;
    let (task, detail) = (state.task(at)?, state.detail(at)?);
    let tree = &state.head_tree;
    let known = |_, criterion: &_| prove::known(&detail.evidence, tree, criterion);
    let evidence = prove::evidence(task, tree, known, |_| Some(Judged::Unreviewed));
    // A check that has not run on this work leaves the judgement to the reviewer after all.
    if evidence.len() < task.acceptance_criteria.len() {
        return None;
    }
    let criteria = task.sentences();
    let unreviewed = (criteria > 0).then_some(Label::Unreviewed { criteria });
    let labels = detail.labels.iter().cloned().chain(unreviewed).collect();
    Some(prove::done(state, at, evidence, labels))
}

/// Checks that have not run on the work, because the plan was changed since: they must, whatever the reviewer says.
fn unproved(task: &Task, detail: &Detail, tree: &TreeId) -> Vec<Finding> {
    let missing = task.acceptance_criteria.iter().filter_map(|criterion| {
        let check = criterion.check()?;
        prove::known(&detail.evidence, tree, criterion).is_none().then(|| Finding {
            severity: FindingSeverity::Blocking,
            title: format!("not proved: {}", criterion.text()),
            detail: format!("its check has not run on this work: {check}"),
            place: String::new(),
        })
    });
    missing.collect()
}

/// What a review found, and about what.
struct Found<'a> {
    iteration: &'a Iteration,
    task: &'a Task,
    detail: &'a Detail,
    judgement: &'a Judgement,
    agent: String,
}

fn changes_requested(state: &RunState, found: &Found<'_>, print: String) -> Vec<Event> {
    let settings = &state.start.settings.review;
    let iteration = found.iteration;
    if found.detail.change_requests + 1 >= settings.cap {
        let is_proved = unproved(found.task, found.detail, &state.head_tree).is_empty();
        return match settings.at_cap {
            AtCap::Approve if is_proved => {
                let findings = u32::try_from(found.judgement.findings.len()).unwrap_or(u32::MAX);
                let label = Label::AutoApprovedAtCap { findings };
                let mut events = approved(state, found, vec![label]);
                events.push(Event::IterationClosed);
                events
            }
            AtCap::Park | AtCap::Approve => vec![Event::Proceeded { to: Stage::Park }],
        };
    }
    let why = found.judgement.findings.first().map(Finding::line).unwrap_or_default();
    let escalation = escalation::after_review(state, iteration.task, print);
    let mut events: Vec<Event> = escalation.said.into_iter().collect();
    if escalation.gives_up {
        events.push(Event::Proceeded { to: Stage::GiveUp });
    } else {
        events.push(prove::moved(state, iteration.task, Status::ChangesRequested, why));
        events.push(Event::IterationClosed);
    }
    events
}

/// Checks that ralph ran, and the reviewer's word with its evidence for every sentence.
fn approved(state: &RunState, found: &Found<'_>, mut labels: Vec<Label>) -> Vec<Event> {
    let by_reviewer = |at: usize| {
        let ruling = found.judgement.rulings.iter().find(|ruling| ruling.criterion == at)?;
        Some(Judged::Reviewer {
            agent: found.agent.clone(),
            iteration: found.iteration.number,
            met: ruling.met,
            evidence: ruling.evidence.clone(),
            comment: ruling.comment.clone(),
        })
    };
    let tree = &state.head_tree;
    let known = |_, criterion: &_| prove::known(&found.detail.evidence, tree, criterion);
    let mut evidence = prove::evidence(found.task, tree, known, by_reviewer);
    if found.task.sentences() == 0 {
        let implicit = review::criteria_of(found.task).into_iter().next();
        evidence.extend(implicit.and_then(|(at, criterion)| {
            Some(Evidence { criterion, by: by_reviewer(at)?, tree: tree.clone() })
        }));
    }
    labels.extend(found.detail.labels.iter().cloned());
    let is_tested = found.task.has_check() || judge::hard_gates(state) > 0;
    if !is_tested {
        labels.push(Label::NotTested);
    }
    prove::done(state, found.iteration.task, evidence, labels)
}
