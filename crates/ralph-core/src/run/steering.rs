//! What people said to the agents of a run and whether it is to pause. Bounded, whatever people say.

use serde::{Deserialize, Serialize};

use crate::{
    event::StopHow,
    ids::TaskId,
    time::{Millis, Timestamp},
    vocabulary::{Kind, Steer},
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
    /// How a person wants the run to stop. A signal to a process is nobody's wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopHow>,
}

impl Steering {
    /// The words that an iteration's prompt has, oldest first. Those said after its call began are not among
    /// them: what an agent heard does not change under it.
    pub fn heard<'a>(&'a self, task: &'a TaskId) -> impl Iterator<Item = &'a Word> {
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

    pub(super) fn add(&mut self, said: &Steer, at: Timestamp) {
        self.words.push(Word { said: said.clone(), at, seen: None, hold: Hold::Holds });
        if self.words.len() > RECORDED {
            let spent = self.words.iter().position(|word| word.hold != Hold::Holds);
            self.words.remove(spent.unwrap_or(0));
        }
    }

    /// A call of a task begins: it hears the newest words, the oldest give way to them. Only now, since what
    /// another call heard must not change under it.
    pub(super) fn hear(&mut self, task: &TaskId, iteration: u32) {
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

/// Whether a call of this kind hears what people said.
pub(super) fn hears(kind: Kind) -> bool {
    matches!(kind, Kind::Implement | Kind::Fix | Kind::Review | Kind::Prompt)
}
