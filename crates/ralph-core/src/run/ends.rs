//! Whether a run is at its end, and how it ends where it could not finish.

use super::{Phase, RunState};
use crate::{
    event::StopHow,
    outcome::Outcome,
    plan::{Status, Task, amend::Ruled},
};

impl RunState {
    /// Whether every task in question is done or skipped.
    pub fn complete(&self) -> bool {
        self.index
            .selected(&self.start)
            .all(|task| self.tasks.get(task).is_some_and(|progress| progress.status.satisfies()))
    }

    /// How a run ends whose tasks are all done or skipped: a proposal that is still of use needs a person.
    pub fn complete_outcome(&self) -> Outcome {
        let waiting = self.proposals.values().filter(|one| self.is_of_use(one)).count();
        match waiting {
            0 => Outcome::Done,
            1 => {
                Outcome::NeedsPerson { why: "1 proposal for the plan waits for a decision".into() }
            }
            more => Outcome::NeedsPerson {
                why: format!("{more} proposals for the plan wait for a decision"),
            },
        }
    }

    /// A proposal about a task that is finished has nothing left to change.
    fn is_of_use(&self, one: &Ruled) -> bool {
        let about = one.proposal.amendment.task().and_then(|task| self.position(task));
        let status = about.and_then(|at| self.tasks.get(at)).map(|progress| progress.status);
        !status.is_some_and(Status::satisfies)
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Finished { outcome } => Some(outcome),
            _ => None,
        }
    }

    /// How it ended, as a sentence.
    pub fn how_it_ended(&self) -> Option<String> {
        let at = |task: &Task| self.start.plan.position(&task.id);
        let now = |task: &Task| Some(self.tasks.get(at(task)?)?.status);
        Some(self.start.describe(self.outcome()?, |task| now(task).unwrap_or(task.status)))
    }

    /// How a run that was asked to stop ends.
    pub fn stopped_outcome(&self) -> Outcome {
        match self.stop {
            _ if self.complete() => self.complete_outcome(),
            Some(StopHow::Signal { signal, .. }) => Outcome::Interrupted { signal },
            Some(StopHow::AfterIteration | StopHow::Now) | None => Outcome::Stopped,
        }
    }

    /// How a run ends that has open tasks but none it could work on.
    pub fn stuck_outcome(&self) -> Outcome {
        let count = |status| {
            let tasks = self.index.selected(&self.start);
            tasks.filter(|&at| self.tasks.get(at).is_some_and(|p| p.status == status)).count()
        };
        let parts = [
            (count(Status::Failed), "failed"),
            (count(Status::Parked), "parked"),
            (count(Status::NeedsReview) + count(Status::ChangesRequested), "waiting for review"),
            (self.blocked().len(), "blocked"),
        ];
        let words: Vec<_> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        Outcome::NeedsPerson { why: words.join(", ") }
    }

    /// Whether something asks for an end before the iteration is over.
    pub fn stopping_now(&self) -> bool {
        matches!(self.stop, Some(StopHow::Now | StopHow::Signal { .. }))
    }
}
