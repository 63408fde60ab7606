//! What people said and wanted, judged: every word reaches the calls it is for, and a paused run starts nothing.

use std::collections::BTreeMap;

use ralph_core::{
    effect::AgentCall,
    event::{Decision, Event, SetAside},
    ids::TaskId,
    input::{By, Request, Wish},
    plan::Status,
    time::{Millis, Timestamp},
    vocabulary::{Kind, Stage, Steer},
};

use super::{Invariant, Oracle, shadow::Underway};
use crate::sim::{tree::Tree, world::World};

/// So many words of one scope hold at the same time.
const MOST: usize = 10;

/// What people said and wanted.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Words by the name of their request, until they are journaled.
    waiting: BTreeMap<String, Steer>,
    /// Those that hold, oldest first.
    holding: Vec<Steer>,
    /// Those that no prompt may have any more.
    past: Vec<Steer>,
    /// Those that the call about to begin must have.
    due: Vec<Steer>,
    pub(super) is_to_pause: bool,
    paused_at: Option<Timestamp>,
    paused: Millis,
    /// The call under way ends for a word or a pause.
    pub(super) ends_call: bool,
}

impl Oracle<'_> {
    /// A request lies in the inbox.
    pub fn said(&mut self, request: &Request) {
        if let Wish::Steer { task, text, .. } = &request.wish {
            let word = Steer { task: task.clone(), text: text.clone() };
            self.steering.waiting.insert(request.id.clone(), word);
        }
    }

    /// The core heard of a pause or its end.
    pub(super) fn heard_of_pause(&mut self, request: &Request) {
        match request.wish {
            Wish::Pause { .. } if !self.stop.asked => self.steering.is_to_pause = true,
            Wish::Resume => self.steering.is_to_pause = false,
            _ => {}
        }
    }

    pub(super) fn steering_event(&mut self, event: &Event, decision: &Decision) {
        match event {
            Event::RequestTaken { request } => self.word_taken(request, decision),
            Event::Steered { word, ends_call } => self.steered(word, *ends_call),
            Event::PauseRequested { ends_call } => self.steering.ends_call |= *ends_call,
            Event::Paused => {
                let wanted = self.steering.is_to_pause;
                self.must(wanted, Invariant::PausesHold, || "nobody wants a pause".into());
                self.steering.paused_at = Some(decision.at);
            }
            Event::Unpaused => {
                let wanted = !self.steering.is_to_pause || self.stop.asked;
                self.must(wanted, Invariant::PausesHold, || "a pause ends by itself".into());
                self.pause_ended(decision.at);
            }
            Event::RunResumed { by, .. } => {
                let goes_on = *by == By::Machine;
                let waits = goes_on && self.wait_until.is_some();
                if self.steering.paused_at.is_none() && !waits {
                    self.idle = self.idle.plus(decision.at.since(self.last_at));
                }
                let is_to_pause = self.steering.is_to_pause && goes_on;
                self.pause_ended(decision.at);
                self.steering.is_to_pause = is_to_pause;
                self.steering.ends_call = false;
            }
            // A cut is for one call, whether a pause goes on or not.
            Event::IterationClosed | Event::MemoryCompacted(_) => self.steering.ends_call = false,
            Event::IterationStarted(_) => {
                self.steering.ends_call = false;
                let idle = !self.steering.is_to_pause && self.steering.paused_at.is_none();
                self.must(idle, Invariant::PausesHold, || "an iteration starts".into());
            }
            Event::Proceeded { to: Stage::Agent } => self.call_begins(),
            Event::TaskMoved { task, to: Status::Done | Status::Skipped, .. } => {
                let is_its = |word: &Steer| word.task.as_ref() == Some(task);
                let (gone, left) =
                    std::mem::take(&mut self.steering.holding).into_iter().partition(is_its);
                self.steering.holding = left;
                self.steering.past.extend::<Vec<Steer>>(gone);
            }
            _ => {}
        }
    }

    fn pause_ended(&mut self, at: Timestamp) {
        if let Some(since) = self.steering.paused_at.take() {
            self.steering.paused = self.steering.paused.plus(at.since(since));
        }
        self.steering.is_to_pause = false;
    }

    /// A word that is taken is told, unless nobody works on its task any more.
    fn word_taken(&mut self, request: &Request, decision: &Decision) {
        let Wish::Steer { task, text, .. } = &request.wish else {
            return;
        };
        let is_told = decision.events.iter().any(
            |event| matches!(event, Event::Steered { word, .. } if word.text == *text && word.task == *task),
        );
        let ended = task.as_ref().is_some_and(|task| {
            let at = self.position(task);
            self.before.get(at).is_some_and(|status| status.satisfies())
        });
        self.must(is_told != ended, Invariant::WordsAreHeard, || format!("{text} is lost"));
        if ended {
            self.steering.waiting.remove(&request.id);
        }
    }

    fn steered(&mut self, word: &Steer, ends_call: bool) {
        let found = self.steering.waiting.iter().find(|(_, said)| *said == word);
        let found = found.map(|(id, _)| id.clone());
        self.must(found.is_some(), Invariant::WordsAreHeard, || format!("nobody said {word:?}"));
        if let Some(id) = found {
            self.steering.waiting.remove(&id);
        }
        self.steering.ends_call |= ends_call;
        self.steering.holding.push(word.clone());
    }

    /// From here on the call's prompt is what it is.
    fn call_begins(&mut self) {
        let task = self.underway.as_ref().map(|underway| underway.task);
        let id = task.and_then(|at| self.plan.tasks.get(at)).map(|task| task.id.clone());
        for scope in [None, id.clone()] {
            let of_scope = |one: &Steer| one.task == scope;
            while self.steering.holding.iter().filter(|one| of_scope(one)).count() > MOST
                && let Some(oldest) = self.steering.holding.iter().position(of_scope)
            {
                let gone = self.steering.holding.remove(oldest);
                self.steering.past.push(gone);
            }
        }
        let is_for = |word: &&Steer| is_for(word, id.as_ref());
        self.steering.due = self.steering.holding.iter().filter(is_for).cloned().collect();
    }

    /// Each word of its scope once, none of another's.
    pub(super) fn check_words(&mut self, call: &AgentCall) {
        self.must(!self.steering.ends_call, Invariant::PausesHold, || "a cut call begins".into());
        let count = |word: &Steer| call.prompt.matches(&word.text).count();
        let due = &self.steering.due;
        let missing = due.iter().find(|word| count(word) != 1).cloned();
        let all = self.steering.holding.iter().chain(&self.steering.past);
        let strange = all.filter(|word| !due.contains(word)).find(|word| {
            count(word)
                > usize::from(is_for(word, Some(&call.task)) && !self.steering.past.contains(word))
        });
        let strange = strange.cloned();
        self.must(missing.is_none(), Invariant::WordsAreHeard, || {
            format!("{missing:?} is not told")
        });
        self.must(strange.is_none(), Invariant::WordsAreHeard, || format!("{strange:?} is told"));
    }

    /// A call that ends for a person's word goes on from what it had done.
    pub(super) fn check_cut(&mut self, aside: &SetAside, underway: &Underway, world: &World<'_>) {
        let left = underway.captured.as_ref().and_then(|captured| captured.tree.clone());
        let kept = !self.steering.ends_call
            || underway.kind == Kind::Review
            || left.is_none()
            || aside.work == left
            || left.as_ref().and_then(Tree::read) == Some(world.git.tree(world.git.head()));
        self.must(kept, Invariant::WordsAreHeard, || format!("{left:?} is forgotten: {aside:?}"));
        self.steering.ends_call = false;
    }

    /// A word that was said is journaled, or still lies where it was put.
    pub(super) fn check_none_lost(&mut self, world: &World<'_>) {
        let lies = |id: &String| world.inbox.iter().any(|request| request.id == *id);
        let lost = self.steering.waiting.keys().find(|id| !lies(id)).cloned();
        self.must(lost.is_none(), Invariant::WordsAreHeard, || format!("{lost:?} is lost"));
    }

    /// How long the run was worked on.
    pub(super) fn took(&self, at: Timestamp) -> Millis {
        let unused = self.steering.paused.0 + self.idle.0;
        Millis(at.since(self.started_at).0.saturating_sub(unused))
    }

    pub(super) fn is_paused(&self) -> bool {
        self.steering.paused_at.is_some()
    }
}

fn is_for(word: &Steer, task: Option<&TaskId>) -> bool {
    word.task.is_none() || word.task.as_ref() == task
}
