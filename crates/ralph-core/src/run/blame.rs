//! Whether calls that keep failing say something about their task or about the agent.

use serde::{Deserialize, Serialize};

use super::{Iteration, RunState};
use crate::{event::Source, ids::TaskId, vocabulary::Kind};

/// How the agents' calls went since the run was started or resumed. A reviewer that fails is no excuse for whoever does
/// the work, and the other way round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Blame {
    pub work: CallRecord,
    pub reviews: CallRecord,
}

/// How the calls of one sort went.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// A call left something that was judged.
    pub has_worked: bool,
    /// The task that was parked because its calls kept failing, until another call is judged.
    pub failed_on: Option<TaskId>,
}

impl Blame {
    pub fn of(&self, kind: Kind) -> &CallRecord {
        match kind {
            Kind::Review => &self.reviews,
            _ => &self.work,
        }
    }

    pub fn of_mut(&mut self, kind: Kind) -> &mut CallRecord {
        match kind {
            Kind::Review => &mut self.reviews,
            _ => &mut self.work,
        }
    }
}

/// Whether the task is to blame for calls that keep failing: no other task failed since the last good call, and there
/// was such a call or there is other work to try the agent on.
pub(super) fn is_the_tasks(state: &RunState, iteration: &Iteration) -> bool {
    let has_plan = matches!(state.start.source, Source::Plan | Source::Tasks { .. });
    let record = state.blame.of(iteration.kind);
    let task = state.task_id(iteration.task);
    let is_alone = record.failed_on.as_ref().is_none_or(|other| *other == task);
    has_plan && is_alone && (record.has_worked || state.has_other_work(iteration.task))
}
