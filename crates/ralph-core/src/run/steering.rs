//! What people said to the agents of a run and whether it is to pause. Bounded, whatever people say.

use serde::{Deserialize, Serialize};

use super::{Phase, RunState};
use crate::{
    ids::TaskId,
    time::{Millis, Timestamp},
    vocabulary::{Kind, Stage, Steer},
};

/// Words of one scope that hold at the same time; older ones give way.
const MOST_WORDS: usize = 10;
/// Words remembered for the report.
const RECORDED: usize = 100;

/// One word and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    #[serde(flatten)]
    pub said: Steer,
    pub at: Timestamp,
    /// The first iteration whose prompt has it.
    pub seen: Option<u32>,
    pub hold: Hold,
}

/// Whether a word still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    Holds,
    /// Newer ones took its place.
    GaveWay,
    /// Its task is done or skipped.
    TaskEnded,
}

/// What people said and want.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Steering {
    /// Oldest first.
    pub words: Vec<Word>,
    /// The run pauses before anything new starts.
    pub pause: bool,
    /// The call under way ends, uncharged, and begins again. Never outlives that call: whatever comes next was not
    /// meant.
    pub ends_call: bool,
    /// How long the run was paused so far.
    pub paused: Millis,
}

impl Steering {
    /// The words that an iteration's prompt has, oldest first. Those said after its call began are not among
    /// them: what an agent was told does not change under it.
    pub fn told<'a>(&'a self, task: &'a TaskId) -> impl Iterator<Item = &'a Word> {
        self.about(task).filter(|word| word.hold == Hold::Holds && word.seen.is_some())
    }

    /// How many words of a task's scope gave way to newer ones.
    pub fn left_out(&self, task: &TaskId) -> usize {
        self.about(task).filter(|word| word.hold == Hold::GaveWay).count()
    }

    fn about<'a>(&'a self, task: &'a TaskId) -> impl Iterator<Item = &'a Word> {
        self.words.iter().filter(move |word| word.said.task.as_ref().is_none_or(|of| of == task))
    }

    /// The task is done or skipped: what was said about it alone holds no longer.
    pub(super) fn task_ended(&mut self, task: &TaskId) {
        for word in &mut self.words {
            if word.said.task.as_ref() == Some(task) && word.hold == Hold::Holds {
                word.hold = Hold::TaskEnded;
            }
        }
    }

    pub(super) fn paused_since(&mut self, since: Timestamp, now: Timestamp) {
        self.paused = self.paused.plus(now.since(since));
    }

    fn add(&mut self, said: &Steer, at: Timestamp) {
        self.words.push(Word { said: said.clone(), at, seen: None, hold: Hold::Holds });
        if self.words.len() > RECORDED {
            let spent = self.words.iter().position(|word| word.hold != Hold::Holds);
            self.words.remove(spent.unwrap_or(0));
        }
    }
}

impl Steering {
    /// A call of a task begins: it hears the newest words, the oldest give way to them. Only now, since what
    /// another call was told must not change under it.
    fn tell(&mut self, task: &TaskId, iteration: u32) {
        for scope in [None, Some(task)] {
            let of_scope =
                |word: &&mut Word| word.said.task.as_ref() == scope && word.hold == Hold::Holds;
            for (nth, word) in self.words.iter_mut().rev().filter(of_scope).enumerate() {
                if nth < MOST_WORDS {
                    word.seen.get_or_insert(iteration);
                } else {
                    word.hold = Hold::GaveWay;
                }
            }
        }
    }
}

impl RunState {
    pub(super) fn steered(&mut self, said: &Steer, ends_call: bool) {
        self.steering.add(said, self.last_at);
        self.steering.ends_call |= ends_call;
    }

    pub(super) fn pause_requested(&mut self, ends_call: bool) {
        self.steering.pause = true;
        self.steering.ends_call |= ends_call;
    }

    pub(super) fn unpaused(&mut self) {
        self.steering.pause = false;
        if let Phase::Paused { since } = self.phase {
            self.steering.paused_since(since, self.last_at);
            self.phase = Phase::Boundary;
        }
    }

    /// A call begins: its prompt has what holds for it now.
    pub(super) fn words_are_told(&mut self) {
        let Phase::Iterating(iteration) = &self.phase else {
            return;
        };
        if !hears(iteration.kind) {
            return;
        }
        let (number, task) = (iteration.number, self.task_id(iteration.task));
        self.steering.tell(&task, number);
    }

    /// Whether an agent works at this moment, on a task or on memory.
    pub(super) fn is_calling(&self) -> bool {
        match &self.phase {
            Phase::Iterating(iteration) => iteration.stage == Stage::Agent,
            phase => matches!(phase, Phase::Compacting(_)),
        }
    }

    /// Whether an agent works at this moment that a word about this task, or about all, is for.
    pub(super) fn is_heard_by_call(&self, task: Option<&TaskId>) -> bool {
        match &self.phase {
            Phase::Iterating(iteration) => {
                self.is_calling()
                    && hears(iteration.kind)
                    && task.is_none_or(|task| self.position(task) == Some(iteration.task))
            }
            _ => false,
        }
    }
}

/// Whether a call of this kind is told what people said.
pub(super) fn hears(kind: Kind) -> bool {
    matches!(kind, Kind::Implement | Kind::Fix | Kind::Review | Kind::Prompt)
}
