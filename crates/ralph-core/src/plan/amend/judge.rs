//! Rules on what agents propose, and on what a person makes of the plan file. Pure judgement: the plan it is given is
//! not changed.

use super::{
    Amendment, Changes, Proposal, Ruled, Ruling, Source,
    apply::{fits, starts_fresh, try_apply},
    claims, weigh,
};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
    vocabulary::ReviewMode,
};

/// Most proposals of one iteration that are looked at.
pub const MOST_PER_ITERATION: usize = 3;

/// Why a change of the task under way waits.
const JUDGED_BY: &str = "it changes what this iteration is judged by";

/// What agents may do to the plan without a person; everything else waits for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permits {
    pub may_add: bool,
    pub may_modify: bool,
    pub may_remove: bool,
}

/// What the iteration that proposes was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Implement,
    Fix,
    Review,
    /// None: a person has edited the plan file where agents cannot.
    Person,
}

impl Mode {
    fn words(self) -> &'static str {
        match self {
            Self::Implement => "an implementation",
            Self::Fix => "a fix",
            Self::Review => "a review",
            Self::Person => "an edit of the file",
        }
    }
}

/// What a judgement rests on.
#[derive(Debug, Clone)]
pub struct Judging<'a> {
    /// The plan with the statuses of now.
    pub truth: &'a Plan,
    /// The task of the iteration that proposes.
    pub current: Option<&'a TaskId>,
    /// Nothing of that iteration was judged yet: a person may still change what its task asks for.
    pub is_unjudged: bool,
    pub mode: Mode,
    pub permits: Permits,
    /// What waits for a person already.
    pub waiting: Vec<&'a Amendment>,
    /// How tasks are reviewed, where neither a hard gate nor trust accepts the work of one without a check.
    pub ungated: Option<ReviewMode>,
}

/// Rules on all proposals of one iteration, in order; each is judged against the plan as those applied before
/// it leave it.
pub fn judge(judging: &Judging<'_>, proposals: Vec<Proposal>) -> Vec<Ruled> {
    if proposals.is_empty() {
        return Vec::new();
    }
    let mut plan = judging.truth.clone();
    let mut ruled: Vec<Ruled> = Vec::with_capacity(proposals.len());
    let mut looked_at = 0;
    for mut proposal in proposals {
        narrow(&plan, &mut proposal.amendment);
        let same = |earlier: &Amendment| earlier.same_change(&proposal.amendment);
        let ruling = if ruled.iter().any(|earlier| same(&earlier.proposal.amendment)) {
            refused("the same change was already proposed in this iteration")
        } else if judging.waiting.iter().any(|waiting| same(waiting)) {
            refused("the same change is already waiting for a person")
        } else if looked_at == MOST_PER_ITERATION && judging.mode != Mode::Person {
            refused(format!(
                "only the first {MOST_PER_ITERATION} amendments of an iteration are considered"
            ))
        } else {
            looked_at += 1;
            rule(judging, &mut plan, &proposal)
        };
        ruled.push(Ruled { proposal, ruling });
    }
    ruled
}

/// Leaves out of a modification what is so already, and what a new task says about nothing done yet.
fn narrow(plan: &Plan, amendment: &mut Amendment) {
    match amendment {
        Amendment::Add { task, .. } => {
            claims::drop_empty(&mut task.extra);
            task.review_count = task.review_count.filter(|count| *count > 0);
            task.review_feedback.take_if(|text| text.trim().is_empty());
        }
        Amendment::Modify { id, changes, .. } => {
            if let Some(task) = plan.task(id) {
                **changes = changes.against(task);
                drop_settled_claims(task, changes);
            }
        }
        Amendment::Plan { changes, .. } => **changes = changes.against(plan),
        Amendment::Remove { .. } => {}
    }
}

/// What says no more than the status does, in whatever spelling, is no claim.
fn drop_settled_claims(task: &Task, changes: &mut Changes) {
    let reviews = task.review_count.unwrap_or(0);
    changes.review_count.take_if(|count| count.unwrap_or(0) == reviews);
    let feedback = task.review_feedback.as_deref().unwrap_or_default();
    changes.review_feedback.take_if(|text| text.as_deref().unwrap_or_default() == feedback);
    let is_open = task.status != Status::Done;
    changes.other.retain(|name, value| {
        let says_the_same = claims::is_claim(name)
            && (value.as_str() == Some(task.status.word())
                || is_open && !task.extra.contains_key(name) && claims::is_nothing(value));
        !says_the_same
    });
}

/// Rules on one proposal and, if it is applied, makes it to the working copy.
fn rule(judging: &Judging<'_>, plan: &mut Plan, proposal: &Proposal) -> Ruling {
    if let Err(why) = guard(judging, plan, proposal) {
        return refused(why);
    }
    let why = match &proposal.amendment {
        amendment if judging.mode == Mode::Person => doubts_about_an_edit(judging, amendment),
        Amendment::Add { task, .. } => doubts_about_new(judging, task),
        Amendment::Modify { id, changes, .. } => doubts_about_changes(judging, plan, id, changes),
        Amendment::Remove { id, .. } => doubts_about_removal(judging, plan, id),
        Amendment::Plan { changes, .. } => {
            vec![format!("a person must choose {}", listed(&changes.names()))]
        }
    };
    if !why.is_empty() {
        return Ruling::Waits { why: why.join("; ") };
    }
    match try_apply(plan, &proposal.amendment) {
        Ok(()) => Ruling::Applied,
        Err(why) => refused(why),
    }
}

/// What nobody could accept, whatever the plan is: for those who cannot see it.
pub fn lawful(mode: Mode, mut proposal: Proposal) -> Result<(), String> {
    narrow(&Plan::default(), &mut proposal.amendment);
    well_formed(mode, &proposal)
}

fn well_formed(mode: Mode, proposal: &Proposal) -> Result<(), String> {
    let amendment = &proposal.amendment;
    if mode == Mode::Review
        && (proposal.from == Source::PlanFile || !matches!(amendment, Amendment::Add { .. }))
    {
        return Err("a review may only propose new tasks, in its handoff".into());
    }
    match amendment {
        Amendment::Add { task, .. } => {
            for (name, text) in [("id", task.id.as_str()), ("title", &task.title)] {
                given(name, text)?;
            }
            if mode != Mode::Person {
                given("description", &task.description)?;
            }
            starts_fresh(task)?;
        }
        Amendment::Modify { id, changes, .. } => {
            if let Some(name) = changes.claim() {
                let who = mode.words();
                return Err(format!("{who} cannot set a task's status (`{name}` of {id})"));
            }
        }
        Amendment::Remove { .. } | Amendment::Plan { .. } => {}
    }
    given("reason", amendment.reason())
}

/// What nobody could accept.
fn guard(judging: &Judging<'_>, plan: &Plan, proposal: &Proposal) -> Result<(), String> {
    let amendment = &proposal.amendment;
    well_formed(judging.mode, proposal)?;
    match amendment {
        // Taken out and put back in one go, a task would lose what it asks for.
        Amendment::Add { task, .. }
            if plan.task(&task.id).is_none() && judging.truth.task(&task.id).is_some() =>
        {
            return Err(format!("{} was removed in the same iteration", task.id));
        }
        Amendment::Add { task, .. } if !can_pass(judging, task) => {
            return Err("it has no check, and no gate or review could verify it".into());
        }
        Amendment::Modify { id, changes, .. } => {
            if plan.task(id).is_some()
                && let Some(name) = changes.other.keys().next()
            {
                return Err(format!("`{name}` is not a field that ralph knows"));
            }
        }
        Amendment::Remove { id, .. } if judging.current == Some(id) => {
            return Err(format!("{id} is being worked on"));
        }
        Amendment::Add { .. } | Amendment::Remove { .. } | Amendment::Plan { .. } => {}
    }
    fits(plan, amendment)
}

/// Whether something could verify the work on a new task. A person may give it a check later.
fn can_pass(judging: &Judging<'_>, task: &Task) -> bool {
    let is_verified = |review: ReviewMode| task.has_check() || task.is_reviewed(review);
    judging.mode == Mode::Person || judging.ungated.is_none_or(is_verified)
}

/// A person decides about everything but what is judged already.
fn doubts_about_an_edit(judging: &Judging<'_>, amendment: &Amendment) -> Vec<String> {
    match amendment {
        Amendment::Modify { id, changes, .. }
            if judging.current == Some(id)
                && !judging.is_unjudged
                && weigh::touches_the_work(changes) =>
        {
            vec![JUDGED_BY.into()]
        }
        _ => Vec::new(),
    }
}

fn doubts_about_new(judging: &Judging<'_>, task: &Task) -> Vec<String> {
    let mut why = Vec::new();
    if !judging.permits.may_add {
        why.push("agents may not add tasks here".into());
    }
    if let Some(name) = weigh::chosen_limit(task) {
        why.push(format!("a person must choose `{name}`"));
    }
    why
}

fn doubts_about_changes(
    judging: &Judging<'_>,
    plan: &Plan,
    id: &TaskId,
    changes: &Changes,
) -> Vec<String> {
    let mut why = Vec::new();
    if !judging.permits.may_modify {
        why.push("agents may not modify tasks here".into());
    }
    if judging.current == Some(id) && weigh::touches_the_work(changes) {
        why.push(JUDGED_BY.into());
    } else if plan.task(id).is_some_and(has_begun) && weigh::touches_the_work(changes) {
        why.push("work on it has started".into());
    }
    if let Some(task) = plan.task(id) {
        why.extend(weigh::weaknesses(plan, task, changes));
    }
    why
}

fn doubts_about_removal(judging: &Judging<'_>, plan: &Plan, id: &TaskId) -> Vec<String> {
    let mut why = Vec::new();
    if !judging.permits.may_remove {
        why.push("a person decides about removals".into());
    }
    if plan.task(id).is_some_and(has_begun) {
        why.push("work on it has started".into());
    }
    if let Some(other) = plan.tasks.iter().find(|task| task.depends_on.contains(id)) {
        why.push(format!("{} depends on it", other.id));
    }
    why
}

fn has_begun(task: &Task) -> bool {
    task.status != Status::Pending
}

fn given(name: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("it has no {name}")) } else { Ok(()) }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn refused(why: impl Into<String>) -> Ruling {
    Ruling::Refused { why: why.into() }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "new_task_tests.rs"]
mod new_task_tests;
