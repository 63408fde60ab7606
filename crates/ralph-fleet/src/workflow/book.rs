//! What a loop remembers, and how it changes by what happens. Pure: no engine, no clock. It never forgets a wish that
//! no report has named.

use std::{collections::BTreeSet, time::Duration};

use ralph_core::input;

use crate::wire::{
    Ask, Carry, LoopEnd, LoopInput, LoopSpec, MOST_ASKS, PAUSED, Placed, Status, StintEnd,
    StintInput, StintReport, Wish,
};

/// Why a stint gave no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    /// Its host leaves it to another.
    Refused,
    /// Its host was not heard of again.
    Lost,
    /// It said why.
    Failed,
}

/// So many times more hosts may be lost in a row than stints may fail: hosts die of much that is not the loop's.
const LOST_HOSTS: u32 = 3;

/// A loop's own memory.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) spec: LoopSpec,
    pub(crate) carry: Carry,
    /// Queue of the host whose stint is under way.
    pub(crate) place: Option<String>,
    /// What a person would read about why nothing happens.
    pub(crate) waiting: Option<String>,
    /// Why the last stint gave no report.
    trouble: Option<String>,
    /// Ids of the wishes that went along with the stint under way.
    given: BTreeSet<String>,
    /// Ids of those that were sent after it.
    sent: BTreeSet<String>,
}

impl Book {
    pub(crate) fn new(input: LoopInput) -> Self {
        Self {
            spec: input.spec,
            carry: input.carry,
            place: None,
            waiting: None,
            trouble: None,
            given: BTreeSet::new(),
            sent: BTreeSet::new(),
        }
    }

    /// A wish arrived; the same one twice is one.
    pub(crate) fn heard(&mut self, wish: Wish) {
        if self.carry.wishes.iter().all(|known| known.id != wish.id) {
            self.carry.told |= !self.is_paused() || is_resume(&wish) || is_stop(&wish);
            self.carry.wishes.push(wish);
        }
    }

    /// A pause lasts until somebody ends it, whatever else is said.
    fn is_paused(&self) -> bool {
        matches!(self.last_end(), Some(StintEnd::NeedsPerson { why }) if why == PAUSED)
    }

    /// Begins a stint that is told everything there is to tell.
    pub(crate) fn next_stint(&mut self, key: &str) -> StintInput {
        self.carry.stints += 1;
        self.carry.told = false;
        self.place = None;
        self.waiting = None;
        self.sent.clear();
        self.given = self.carry.wishes.iter().map(|wish| wish.id.clone()).collect();
        let (iterations, spent_micro_usd) = self.so_far();
        StintInput {
            spec: self.spec.clone(),
            key: key.to_owned(),
            stint: self.carry.stints,
            wishes: self.carry.wishes.clone(),
            iterations,
            spent_micro_usd,
            by_person: self.carry.by_person,
        }
    }

    /// Iterations and cost of the run by now, those before it came to this loop with them.
    fn so_far(&self) -> (u32, u64) {
        let before = (self.carry.iterations_before, self.carry.cost_before_micro_usd);
        self.carry.last.as_ref().map_or(before, |last| (last.iterations, last.cost_micro_usd))
    }

    /// A stint said where it is. One that is over may say so late.
    pub(crate) fn placed(&mut self, placed: Placed) -> bool {
        let is_now = placed.stint == self.carry.stints;
        if is_now {
            self.place = Some(placed.queue);
        }
        is_now
    }

    /// The oldest wish that the stint under way has not been sent.
    pub(crate) fn unsent(&self) -> Option<&Wish> {
        self.place.as_ref().and(self.carry.wishes.iter().find(|wish| self.is_unsent(wish)))
    }

    fn is_unsent(&self, wish: &Wish) -> bool {
        !self.given.contains(&wish.id) && !self.sent.contains(&wish.id)
    }

    /// It was sent, whether or not it arrived: only a report strikes it out.
    pub(crate) fn sent(&mut self, id: &str) {
        self.sent.insert(id.to_owned());
    }

    /// A stint reported. What it does not name as delivered goes with the next one, and what it was not given ends the
    /// wait that may follow.
    pub(crate) fn took(&mut self, report: StintReport) {
        self.carry.wishes.retain(|wish| !report.delivered.contains(&wish.id));
        (self.carry.failures, self.carry.lost) = (0, 0);
        self.carry.by_person &= report.idle;
        // Whoever held the branch before is fenced by now.
        self.carry.lost_sight &= report.idle;
        (self.place, self.trouble) = (None, None);
        if !report.truth.is_empty() {
            self.carry.kept.insert(report.host.clone(), report.kept.clone());
            self.carry.kept.retain(|_, places| !places.is_empty());
        }
        let (iterations, cost_micro_usd) = self.so_far();
        let last = self.carry.last.take();
        // Nothing was begun: what waited for a person does so still.
        let has_own_asks = !report.idle || matches!(report.end, StintEnd::NeedsPerson { .. });
        let old_asks = last.iter().filter(|_| !has_own_asks).flat_map(|last| &last.asks);
        let asks = report.asks.iter().chain(old_asks).cloned().collect();
        let old_weaker = last.iter().filter(|_| report.idle).flat_map(|last| &last.weaker);
        let weaker = report.weaker.iter().chain(old_weaker).cloned().collect();
        self.carry.last = Some(match last {
            _ if !report.truth.is_empty() => StintReport { asks, weaker, ..report },
            // Only its end is news.
            Some(last) => StintReport { end: report.end, asks, ..last },
            None => StintReport { iterations, cost_micro_usd, ..report },
        });
        let ends_wait = |wish: &Wish| match wish.wish {
            // It waits for the next call, and there is none for a task that is not there.
            input::Wish::Steer { .. } => false,
            _ => !self.is_paused() || is_resume(wish) || is_stop(wish),
        };
        let late = |wish: &Wish| !self.given.contains(&wish.id) && ends_wait(wish);
        self.carry.told = self.carry.wishes.iter().any(late);
    }

    /// A stint's host is out of touch. It may be cut off from the server alone, and ends its agent once it hears that the
    /// loop is over.
    pub(crate) fn lost_sight(&mut self) {
        self.carry.lost_sight = true;
    }

    /// A stint gave no report. Answers how long to leave the loop alone, or nothing if it is time to give up. Hosts that
    /// die are a reason only if many do, one that leaves it to another host is none.
    pub(crate) fn failed(&mut self, miss: Miss, why: String) -> Option<Duration> {
        (self.place, self.trouble) = (None, Some(why));
        // The wait before it is over, however it is continued.
        self.carry.told |= self.carry.by_person;
        let longest = Duration::from_millis(self.spec.times.heartbeat_ms.max(1));
        match miss {
            Miss::Refused => return Some(longest),
            Miss::Lost => self.carry.lost += 1,
            Miss::Failed => self.carry.failures += 1,
        }
        let (limit, in_a_row) = (self.spec.limits.failures_in_a_row, self.in_a_row());
        let goes_on = self.carry.failures < limit && in_a_row < limit.saturating_mul(LOST_HOSTS);
        goes_on.then(|| (longest / 60).saturating_mul(1 << in_a_row.min(16)).min(longest))
    }

    /// Stints in a row that gave no report.
    pub(crate) fn in_a_row(&self) -> u32 {
        self.carry.failures + self.carry.lost
    }

    /// A stint that nobody has taken up, of a loop that should stop.
    pub(crate) fn is_useless(&self) -> bool {
        let is_new = |wish: &Wish| !self.given.contains(&wish.id);
        self.place.is_none() && self.carry.wishes.iter().any(|wish| is_new(wish) && is_stop(wish))
    }

    /// A loop that should stop, between two stints: another one would only be begun to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.carry.wishes.iter().any(is_stop)
    }

    /// The report of a loop that stops without a stint: its run stays as it is, and can be resumed.
    pub(crate) fn stopped(&self) -> StintReport {
        let outcome = if self.carry.lost_sight {
            "stopped on request; a host that was lost since its last report may still be working"
        } else {
            "stopped on request, before its next stint"
        };
        StintReport::idle(StintEnd::Finished { outcome: outcome.to_owned(), exit: 1 }, "")
    }

    /// Why a decision is of no use, if it is not: nothing waits, another task does, this one was decided already, or waits
    /// for another decision.
    /// While a stint carries one decision out, the others can still be made.
    pub(crate) fn refuses(&self, wish: &Wish) -> Option<String> {
        let needs_person = matches!(self.last_end(), Some(StintEnd::NeedsPerson { .. }));
        let asks = self.carry.last.as_ref().map_or(&[][..], |last| &last.asks);
        let waits: Vec<&Ask> = Ask::open(asks, &self.carry.wishes).collect();
        let asked = waits.iter().find(|ask| wish.task() == Some(&ask.task));
        if let (Some(ask), Some(change)) = (asked, wish.change()) {
            let help = || format!("{} was given up: retry or skip it", ask.task);
            return (!ask.takes(change)).then(help);
        }
        let is_known = |task: &str| asks.iter().any(|ask| ask.task == task);
        let is_on_its_way = |task: &str| {
            self.carry.wishes.iter().any(|one| one.task() == Some(task) && self.is_unsent(one))
        };
        match wish.task() {
            // What has come up in the stint under way only its run knows: a task may ask again.
            Some(task) if self.place.is_some() && !is_on_its_way(task) => return None,
            Some(task) if is_known(task) => return Some(format!("{task} was decided already")),
            _ => {}
        }
        // Beyond a full list there may be others.
        let may_be_other = asks.is_empty() || asks.len() >= MOST_ASKS;
        let is_of_use = match wish.task() {
            Some(_) if !may_be_other => false,
            _ => needs_person && self.waiting.is_some(),
        };
        let open: Vec<&str> = waits.iter().map(|ask| &*ask.task).collect();
        match open[..] {
            _ if is_of_use => None,
            [] => Some("no task of this loop is waiting for a person".to_owned()),
            _ => Some(format!("waiting for a person: {}", open.join(", "))),
        }
    }

    /// What the last report says there is to wait for.
    pub(crate) fn last_end(&self) -> Option<&StintEnd> {
        self.carry.last.as_ref().map(|last| &last.end)
    }

    pub(crate) fn end(&self, outcome: String, exit: u8) -> LoopEnd {
        let last = self.carry.last.as_ref();
        LoopEnd {
            outcome,
            exit,
            stints: self.carry.stints,
            iterations: last.map_or(0, |last| last.iterations),
            done: last.map_or(0, |last| last.done),
            tasks: last.map_or(0, |last| last.tasks),
            weaker: last.map(|last| last.weaker.clone()).unwrap_or_default(),
            kept: self.carry.kept.clone(),
        }
    }

    pub(crate) fn status(&self) -> Status {
        Status {
            spec: self.spec.clone(),
            stints: self.carry.stints,
            place: self.place.clone(),
            waiting: self.waiting.clone(),
            pending: self.carry.wishes.clone(),
            last: self.carry.last.clone(),
            failures: self.in_a_row(),
            trouble: self.trouble.clone(),
            kept: self.carry.kept.clone(),
        }
    }
}

fn is_resume(wish: &Wish) -> bool {
    matches!(wish.wish, input::Wish::Resume)
}

/// Whether a wish holds its loop.
pub(crate) fn is_pause(wish: &Wish) -> bool {
    matches!(wish.wish, input::Wish::Pause { .. })
}

/// Whether a wish ends its loop.
pub(crate) fn is_stop(wish: &Wish) -> bool {
    matches!(wish.wish, input::Wish::Stop | input::Wish::StopNow)
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
