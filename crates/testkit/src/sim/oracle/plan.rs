//! The plan is ralph's: what agents may change of it, what people did, and what nobody may.

use ralph_core::{
    event::{Decision, Event},
    ids::TaskId,
    input::Wish,
    plan::{
        Criterion, Status, Task,
        amend::{Amendment, Changes, Proposal, Ruled, Ruling},
        person::TaskWish,
        problems,
    },
    settings::MayAmend,
};

use super::{Invariant, Oracle};

/// Most proposals of one iteration that count.
const MOST: usize = 3;

impl Oracle<'_> {
    pub(super) fn proposed(&mut self, proposals: &[Proposal]) {
        if let Some(underway) = &mut self.underway {
            underway.proposed = proposals.to_vec();
        }
    }

    /// What agents wanted, and what they got.
    pub(super) fn ruled(&mut self, ruled: &[Ruled], decision: &Decision) {
        let accepts = |event: &Event| matches!(event, Event::AttemptAccepted { .. });
        let counts = decision.events.iter().any(accepts)
            && self.underway.as_ref().is_some_and(|underway| underway.is_accepted);
        self.must(counts, Invariant::PlanIsRalphs, || {
            "amendments of work that was not accepted".into()
        });
        let wanted = self.underway.as_ref().map_or(0, |underway| underway.proposed.len());
        let count =
            |ruling: fn(&Ruling) -> bool| ruled.iter().filter(|one| ruling(&one.ruling)).count();
        let heard = count(|ruling| !matches!(ruling, Ruling::Refused { .. }));
        self.must(heard <= MOST && ruled.len() == wanted, Invariant::PlanIsRalphs, || {
            format!("{heard} of {wanted} proposals were heard")
        });
        for one in ruled {
            match &one.ruling {
                Ruling::Applied => {
                    let doubt = self.objection(&one.proposal.amendment);
                    self.must(doubt.is_none(), Invariant::PlanIsRalphs, || {
                        format!("{doubt:?}: {:?}", one.proposal.amendment)
                    });
                    self.amend(&one.proposal.amendment);
                }
                Ruling::Waits { .. } => {
                    self.numbered += 1;
                    self.proposals.insert(self.numbered, one.proposal.amendment.clone());
                }
                Ruling::Refused { .. } => {}
            }
        }
    }

    /// Why no agent may make this change by itself.
    fn objection(&self, amendment: &Amendment) -> Option<&'static str> {
        let may = |what: MayAmend| self.scenario.start.settings.plan.agents_may.contains(&what);
        if amendment.reason().trim().is_empty() {
            return Some("no reason");
        }
        match amendment {
            Amendment::Add { task, .. } => (!may(MayAmend::Add))
                .then_some("not permitted")
                .or_else(|| claims_something(task))
                .or_else(|| self.plan.position(&task.id).map(|_| "the id is taken")),
            Amendment::Modify { id, changes, .. } => {
                let Some(at) = self.plan.position(id) else {
                    return Some("no such task");
                };
                let task = self.plan.tasks.get(at)?;
                let is_current = self.underway.as_ref().is_some_and(|u| u.task == at);
                let is_open = self.before.get(at) == Some(&Status::Pending) && !is_current;
                (!may(MayAmend::Modify))
                    .then_some("not permitted")
                    .or_else(|| self.is_done(at).then_some("it is done"))
                    .or_else(|| weakens(task, changes))
                    .or_else(|| (!is_open && touches(changes)).then_some("work on it has begun"))
            }
            Amendment::Remove { id, .. } => {
                let at = self.plan.position(id)?;
                let is_needed = self.plan.tasks.iter().zip(&self.tasks).any(|(task, account)| {
                    task.depends_on.contains(id) && account.status != Status::Skipped
                });
                let is_open = self.before.get(at) == Some(&Status::Pending);
                (!may(MayAmend::Remove) || is_needed || !is_open).then_some("a person decides")
            }
            Amendment::Plan { .. } => Some("a person decides about the plan"),
        }
    }

    fn is_done(&self, at: usize) -> bool {
        self.before.get(at) == Some(&Status::Done)
    }

    /// Whether a person really asked for this in the decision.
    pub(super) fn wished(&self, decision: &Decision, fits: impl Fn(&TaskWish) -> bool) -> bool {
        decision.events.iter().any(|event| match event {
            Event::RequestTaken { request } => match &request.wish {
                Wish::Task { change } => self.known.contains(&request.id) && fits(change),
                _ => false,
            },
            _ => false,
        })
    }

    pub(super) fn proposal_decided(&mut self, number: u32, accepted: bool, decision: &Decision) {
        let asked = self.wished(decision, |wish| match wish {
            TaskWish::Accept { proposal } => accepted && *proposal == number,
            TaskWish::Decline { proposal, .. } => !accepted && *proposal == number,
            _ => false,
        });
        let amendment = self.proposals.remove(&number);
        let about = amendment.as_ref().and_then(Amendment::task);
        let settled =
            about.and_then(|id| self.plan.position(id)).is_some_and(|at| self.is_done(at));
        self.must(
            asked && amendment.is_some() && !(accepted && settled),
            Invariant::PlanIsRalphs,
            || format!("proposal {number}, asked {asked}: {amendment:?}"),
        );
        if let Some(amendment) = amendment.filter(|_| accepted) {
            self.amend(&amendment);
        }
    }

    pub(super) fn plan_changed(&mut self, wish: &TaskWish, decision: &Decision) {
        let asked = self.wished(decision, |said| said == wish);
        let is_fair = match wish {
            TaskWish::Edit { id, changes } => {
                let at = self.position(id);
                let settled = self.is_done(at) && changes.acceptance_criteria.is_some();
                changes.status.is_none() && !settled
            }
            TaskWish::Add { task } => claims_something(task).is_none(),
            _ => false,
        };
        self.must(asked && is_fair, Invariant::PlanIsRalphs, || format!("{wish:?}"));
        match wish {
            TaskWish::Add { task } => self.add_task((**task).clone()),
            TaskWish::Edit { id, changes } => self.change(id, changes),
            _ => {}
        }
    }

    fn amend(&mut self, amendment: &Amendment) {
        match amendment {
            Amendment::Add { task, after, .. } => {
                let mut task = (**task).clone();
                let before = after.as_ref().and_then(|id| self.plan.position(id));
                if let Some(before) = before.and_then(|at| self.plan.tasks.get(at))
                    && task.priority.is_none()
                    && task.order.is_none()
                {
                    (task.priority, task.order) = (before.priority, before.order);
                }
                self.add_task(task);
            }
            Amendment::Modify { id, changes, .. } => self.change(id, changes),
            Amendment::Remove { id, .. } => {
                let at = self.position(id);
                self.tasks[at].status = Status::Skipped;
                if self.current == Some(at) {
                    self.current = None;
                    self.again = None;
                    self.underway = None;
                }
            }
            Amendment::Plan { .. } => {}
        }
    }

    fn change(&mut self, id: &TaskId, changes: &Changes) {
        let at = self.position(id);
        let Some(task) = self.plan.tasks.get_mut(at) else {
            return;
        };
        if let Some(title) = &changes.title {
            task.title.clone_from(title);
        }
        if let Some(description) = &changes.description {
            task.description.clone_from(description);
        }
        if let Some(criteria) = &changes.acceptance_criteria {
            task.acceptance_criteria.clone_from(criteria);
        }
        if let Some(needed) = &changes.depends_on {
            task.depends_on.clone_from(needed);
        }
        if let Some(notes) = &changes.notes {
            task.notes.clone_from(notes);
        }
        task.priority = changes.priority.unwrap_or(task.priority);
        task.order = changes.order.unwrap_or(task.order);
        task.max_attempts = changes.max_attempts.unwrap_or(task.max_attempts);
    }

    /// No change brought a problem that was not there from the start.
    pub(super) fn check_soundness(&mut self) {
        let before = problems(&self.scenario.start.plan).len();
        let now = problems(&self.plan);
        self.must(now.len() <= before, Invariant::PlanIsRalphs, || format!("{now:?}"));
    }
}

/// What a new task says about itself that only ralph or a person says.
fn claims_something(task: &Task) -> Option<&'static str> {
    let fields = [
        (task.status != Status::Pending, "it does not start pending"),
        (task.review_count.is_some(), "it has reviews"),
        (task.review_feedback.is_some(), "it was reviewed"),
        (!task.extra.is_empty(), "it has fields that nobody knows"),
        (task.title.trim().is_empty(), "it has no title"),
        (task.id.as_str().trim().is_empty(), "it has no id"),
        (task.agent.is_some() || task.model.is_some(), "it chooses its agent"),
        (task.max_attempts.is_some() || task.max_turns.is_some(), "it chooses its limits"),
    ];
    fields.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| why)
}

/// What a change takes away.
fn weakens(task: &Task, changes: &Changes) -> Option<&'static str> {
    let keeps_criteria = |new: &Vec<Criterion>| {
        let count = |list: &[Criterion], one: &Criterion| list.iter().filter(|c| *c == one).count();
        let all = &task.acceptance_criteria;
        all.iter().all(|one| count(new, one) >= count(all, one))
    };
    let keeps_needs = |new: &Vec<TaskId>| task.depends_on.iter().all(|id| new.contains(id));
    let fields = [
        (changes.status.is_some(), "it says where the task stands"),
        (changes.review_count.is_some() || changes.review_feedback.is_some(), "it claims reviews"),
        (!changes.other.is_empty(), "it changes fields that nobody knows"),
        (
            changes.acceptance_criteria.as_ref().is_some_and(|new| !keeps_criteria(new)),
            "criteria go",
        ),
        (changes.depends_on.as_ref().is_some_and(|new| !keeps_needs(new)), "a dependency goes"),
        (changes.max_attempts.is_some() || changes.max_turns.is_some(), "limits"),
        (changes.agent.is_some() || changes.model.is_some(), "another agent"),
    ];
    fields.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| why)
}

/// More than notes and a place in the order.
fn touches(changes: &Changes) -> bool {
    changes.title.is_some()
        || changes.description.is_some()
        || changes.acceptance_criteria.is_some()
        || changes.depends_on.is_some()
}
