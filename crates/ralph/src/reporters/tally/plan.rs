//! The plan as the run so far left it: tasks that came, changed or were taken out, and who waits for whom.

use std::collections::BTreeMap;

use ralph_core::{
    event::Event,
    ids::TaskId,
    outcome::Outcome,
    plan::{
        Plan, Status, Task,
        amend::{self, Amendment, Ruled, Ruling},
        formats::source::is_imported_as_done,
        person,
    },
};

use super::{Row, Tally};

impl Tally {
    /// The plan with all that was added and changed; statuses are those of the start.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.changed.as_deref().or_else(|| self.start().map(|start| &start.plan))
    }

    /// Folds an event that may change the plan.
    pub(super) fn plan_event(&mut self, event: &Event) {
        match event {
            Event::AmendmentsRuled { ruled, .. } => self.ruled(ruled),
            Event::ProposalDecided { number, accepted, .. } => {
                self.decided += 1;
                let one = self.proposals.get(number).filter(|_| *accepted).cloned();
                if let Some(one) = one {
                    self.amend(&one.proposal.amendment);
                }
            }
            Event::PlanChanged { wish } => {
                if let Some(amendment) = person::as_amendment(wish) {
                    self.amend(&amendment);
                }
            }
            _ => {}
        }
    }

    /// Whether changes that agents want wait for a person.
    pub(crate) fn has_proposals(&self) -> bool {
        self.proposals.len() > self.decided
    }

    fn ruled(&mut self, ruled: &[Ruled]) {
        for one in ruled {
            match &one.ruling {
                Ruling::Applied => self.amend(&one.proposal.amendment),
                Ruling::Waits { .. } => {
                    let last = self.proposals.last_key_value().map_or(0, |(number, _)| *number);
                    self.proposals.insert(last + 1, one.clone());
                }
                Ruling::Refused { .. } => {}
            }
        }
    }

    /// Follows what the run makes of a change: a task that is taken out stays as skipped.
    fn amend(&mut self, amendment: &Amendment) {
        if let Amendment::Remove { id, reason } = amendment {
            let task = self.plan().and_then(|plan| plan.tasks.get(plan.position(id)?));
            if let Some(from) = task.map(|task| self.status_of(task)) {
                self.moved(id, (from, Status::Skipped), reason);
            }
            return;
        }
        let Some(mut plan) = self.plan().cloned() else { return };
        let known = plan.tasks.len();
        let _ = amend::apply(&mut plan, amendment);
        if let Some(new) = plan.tasks.get(known)
            && self.is_about(&new.id)
        {
            self.counts.total += 1;
        }
        self.changed = Some(Box::new(plan));
    }

    /// What was proved of a task that begins again proves nothing any more.
    pub(super) fn reset(&mut self, task: &TaskId) {
        let row = self.row(task);
        *row = Row {
            title: std::mem::take(&mut row.title),
            status: row.status,
            tries: std::mem::take(&mut row.tries),
            spent: row.spent,
            worked: row.worked,
            usage: row.usage,
            reviews: row.reviews,
            ..Row::default()
        };
    }

    /// Whether a task is one of those this run is about.
    pub(super) fn is_about(&self, task: &TaskId) -> bool {
        self.start().is_some_and(|start| start.source.selects(task))
    }

    /// How many tasks of the plan the run is not about, and are not finished.
    pub(crate) fn others_open(&self) -> usize {
        let tasks = self.plan().map_or(&[][..], |plan| &plan.tasks).iter();
        let open = tasks.filter(|task| !self.status_of(task).satisfies());
        open.filter(|task| !self.is_about(&task.id)).count()
    }

    /// How the run ended, as a sentence.
    pub(crate) fn describe(&self, outcome: &Outcome) -> String {
        self.start().map_or_else(
            || outcome.describe(),
            |start| start.describe(outcome, |task| self.status_of(task)),
        )
    }

    /// A task's title, wherever it is known from.
    pub(crate) fn title(&self, task: &TaskId) -> String {
        let known = self.rows.get(task).map(|row| row.title.clone());
        known.filter(|title| !title.is_empty()).unwrap_or_else(|| {
            self.plan()
                .and_then(|plan| plan.tasks.get(plan.position(task)?))
                .map(|task| task.title.clone())
                .unwrap_or_default()
        })
    }

    /// Tasks of the run that were done when the plan was imported, and that nothing proved since.
    pub(crate) fn imported(&self) -> Vec<&TaskId> {
        let is_unproved = |task: &&Task| {
            let proved = self.rows.get(&task.id).is_some_and(|row| !row.evidence.is_empty());
            is_imported_as_done(task) && self.status_of(task) == Status::Done && !proved
        };
        let tasks = self.plan().map_or(&[][..], |plan| &plan.tasks).iter();
        tasks.filter(is_unproved).map(|task| &task.id).filter(|id| self.is_about(id)).collect()
    }

    /// Open tasks of the run that wait for one that failed or is parked, with the one they wait for.
    pub(crate) fn blocked(&self) -> Vec<(&Task, &TaskId)> {
        let Some(plan) = self.plan() else {
            return Vec::new();
        };
        let mut stuck: BTreeMap<&TaskId, Option<&TaskId>> = BTreeMap::new();
        for task in &plan.tasks {
            if matches!(self.status_of(task), Status::Failed | Status::Parked) {
                stuck.insert(&task.id, None);
            }
        }
        if stuck.is_empty() {
            return Vec::new();
        }
        loop {
            let before = stuck.len();
            for task in &plan.tasks {
                if stuck.contains_key(&task.id) || self.status_of(task).satisfies() {
                    continue;
                }
                if let Some(on) = task.depends_on.iter().find(|on| stuck.contains_key(on)) {
                    stuck.insert(&task.id, Some(on));
                }
            }
            if stuck.len() == before {
                break;
            }
        }
        plan.tasks
            .iter()
            .filter_map(|task| Some((task, stuck.get(&task.id).copied().flatten()?)))
            .collect()
    }
}
