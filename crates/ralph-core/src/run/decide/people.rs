//! What people ask for about tasks. Taken between iterations, one at a time; legal moves bind people as well.

use crate::{
    event::{Event, Source},
    evidence::{Judged, Label, completes},
    ids::TaskId,
    plan::{
        Status, amend,
        person::{self, TaskWish},
    },
    run::{RunState, prove, start::PROMPT},
};

impl RunState {
    /// Whether this run does what a wish is about. What is said about a task that it leaves alone must wait for
    /// a run that works on it. A prompt has nothing to do with the plan, nor the plan with its one task.
    pub fn takes(&self, wish: &TaskWish) -> bool {
        let is_of_prompt = wish.task().is_some_and(|id| id.as_str() == PROMPT);
        let is_of_plan = matches!(wish, TaskWish::Add { .. } | TaskWish::Edit { .. });
        match (&self.start.source, wish) {
            (Source::Planning { .. }, _) => false,
            (Source::Prompt { .. }, _) => is_of_prompt && !is_of_plan,
            (Source::Tasks { ids }, TaskWish::Approve { id } | TaskWish::Answer { id, .. }) => {
                ids.contains(id)
            }
            (Source::Plan | Source::Tasks { .. }, _) => {
                !is_of_prompt || is_of_plan || self.position(&PROMPT.into()).is_some()
            }
        }
    }
}

/// What a wish leads to. One that is not possible changes nothing and is said.
pub(super) fn asked(state: &RunState, wish: &TaskWish) -> Vec<Event> {
    match wish {
        TaskWish::Accept { proposal } => decided(state, *proposal, true, ""),
        TaskWish::Decline { proposal, why } => decided(state, *proposal, false, why),
        TaskWish::Add { .. } | TaskWish::Edit { .. } if state.is_prompt() => {
            refused("this run works on a prompt and has no plan")
        }
        wish => match person::rule(&state.plan_view(), wish) {
            Ok(()) => granted(state, wish),
            Err(error) => refused(error),
        },
    }
}

fn decided(state: &RunState, number: u32, accepted: bool, why: &str) -> Vec<Event> {
    let Some(one) = state.proposals.get(&number) else {
        return refused(format!("no proposal {number} waits for a decision"));
    };
    match amend::fits(&state.plan_view(), &one.proposal.amendment) {
        Err(reason) if accepted => refused(format!("proposal {number} no longer fits: {reason}")),
        _ => vec![Event::ProposalDecided { number, accepted, why: why.to_owned() }],
    }
}

fn refused(why: impl std::fmt::Display) -> Vec<Event> {
    vec![Event::Warned { text: format!("not done: {why}") }]
}

fn granted(state: &RunState, wish: &TaskWish) -> Vec<Event> {
    if matches!(wish, TaskWish::Add { .. } | TaskWish::Edit { .. }) {
        return vec![Event::PlanChanged { wish: wish.clone() }];
    }
    let Some(at) = wish.task().and_then(|id| state.position(id)) else { return Vec::new() };
    let begins_anew = || prove::moved(state, at, Status::Pending, String::new());
    match wish {
        TaskWish::Skip { why, .. } => vec![prove::moved(state, at, Status::Skipped, why.clone())],
        TaskWish::Retry { id } => vec![Event::TaskReset { task: id.clone() }, begins_anew()],
        TaskWish::Answer { id, text } => {
            let given = Event::AnswerGiven { task: id.clone(), answer: text.clone() };
            vec![given, begins_anew()]
        }
        TaskWish::Approve { id } => approved(state, at, id),
        TaskWish::Add { .. }
        | TaskWish::Edit { .. }
        | TaskWish::Accept { .. }
        | TaskWish::Decline { .. } => Vec::new(),
    }
}

/// Work on the run branch is done by a person's approval and ralph's checks; parked work is brought back first.
fn approved(state: &RunState, at: usize, id: &TaskId) -> Vec<Event> {
    let (Some(task), Some(progress)) = (state.task(at), state.tasks.get(at)) else {
        return Vec::new();
    };
    if progress.status == Status::Parked {
        return vec![
            Event::ApprovalGiven { task: id.clone() },
            prove::moved(state, at, Status::Pending, String::new()),
        ];
    }
    let known = progress.detail.as_deref();
    let checks = known.map(|detail| detail.evidence.as_slice()).unwrap_or_default();
    let evidence = prove::evidence(
        task,
        &state.head_tree,
        |_, criterion| prove::known(checks, &state.head_tree, criterion),
        |_| Some(Judged::Person),
    );
    let mut labels = known.map(|detail| detail.labels.clone()).unwrap_or_default();
    labels.push(Label::ApprovedByPerson);
    if completes(task, &evidence, &labels) {
        prove::done(state, at, evidence, labels)
    } else {
        refused(format!("the checks of {id} have not run on this work; run ralph task retry {id}"))
    }
}
