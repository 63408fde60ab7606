//! What a loop remembers, and how it changes by what happens. Pure: no engine, no clock. It never forgets a wish that
//! no report has named.

use std::{collections::BTreeSet, time::Duration};

use ralph_core::input;

use crate::wire::{
    Carry, LoopEnd, LoopInput, LoopSpec, Placed, Status, StintEnd, StintInput, StintReport, Wish,
};

/// A loop's own memory.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) spec: LoopSpec,
    pub(crate) carry: Carry,
    /// Queue of the host whose stint is under way.
    pub(crate) place: Option<String>,
    /// What a person would read about why nothing happens.
    pub(crate) waiting: Option<String>,
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
            given: BTreeSet::new(),
            sent: BTreeSet::new(),
        }
    }

    /// A wish arrived; the same one twice is one.
    pub(crate) fn heard(&mut self, wish: Wish) {
        if self.carry.wishes.iter().all(|known| known.id != wish.id) {
            self.carry.wishes.push(wish);
            self.carry.told = true;
        }
    }

    /// Begins a stint that is told everything there is to tell.
    pub(crate) fn next_stint(&mut self, key: &str, by_person: bool) -> StintInput {
        self.carry.stints += 1;
        self.carry.told = false;
        self.place = None;
        self.waiting = None;
        self.sent.clear();
        self.given = self.carry.wishes.iter().map(|wish| wish.id.clone()).collect();
        let last = self.carry.last.as_ref();
        StintInput {
            spec: self.spec.clone(),
            key: key.to_owned(),
            stint: self.carry.stints,
            wishes: self.carry.wishes.clone(),
            iterations: last.map_or(0, |last| last.iterations),
            spent_micro_usd: last.map_or(0, |last| last.cost_micro_usd),
            by_person,
        }
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
        let is_new = |wish: &&Wish| !self.given.contains(&wish.id) && !self.sent.contains(&wish.id);
        self.place.as_ref().and(self.carry.wishes.iter().find(is_new))
    }

    /// It was sent, whether or not it arrived: only a report strikes it out.
    pub(crate) fn sent(&mut self, id: &str) {
        self.sent.insert(id.to_owned());
    }

    /// A stint reported. What it does not name as delivered goes with the next one, and what it was not given ends the
    /// wait that may follow.
    pub(crate) fn took(&mut self, report: StintReport) {
        self.carry.wishes.retain(|wish| !report.delivered.contains(&wish.id));
        self.carry.told = self.carry.wishes.iter().any(|wish| !self.given.contains(&wish.id));
        self.carry.failures = 0;
        self.place = None;
        self.carry.last = Some(match self.carry.last.take() {
            // Nothing was begun, so only its end is news.
            Some(last) if report.truth.is_empty() => StintReport { end: report.end, ..last },
            _ => report,
        });
    }

    /// A stint gave no report. Answers how long to leave the loop alone, or nothing if it is time to give up. A host that
    /// is only too old for it is no reason to.
    pub(crate) fn failed(&mut self, by_person: bool, is_refused: bool) -> Option<Duration> {
        self.place = None;
        // The wait before it is over, however it is continued.
        self.carry.told |= by_person;
        let longest = Duration::from_millis(self.spec.times.heartbeat_ms.max(1));
        if is_refused {
            return Some(longest);
        }
        self.carry.failures += 1;
        let goes_on = self.carry.failures < self.spec.limits.failures_in_a_row;
        goes_on
            .then(|| (longest / 60).saturating_mul(1 << self.carry.failures.min(16)).min(longest))
    }

    /// A stint that nobody has taken up, of a loop that should stop.
    pub(crate) fn is_useless(&self) -> bool {
        let is_new = |wish: &Wish| !self.given.contains(&wish.id);
        self.place.is_none() && self.carry.wishes.iter().any(|wish| is_new(wish) && is_stop(wish))
    }

    /// A loop that should stop, and waits for a time: while a limit lasts, no stint would be taken up to do it.
    pub(crate) fn is_stopped_in_wait(&self) -> bool {
        let waits = matches!(self.last_end(), Some(StintEnd::Wait { .. }));
        waits && self.carry.wishes.iter().any(is_stop)
    }

    /// The report of a loop that stops without a stint: its run stays as it is, and can be resumed.
    pub(crate) fn stopped(&self) -> StintReport {
        let last = self.carry.last.as_ref();
        StintReport {
            end: StintEnd::Finished {
                outcome: "stopped on request, before its next stint".to_owned(),
                exit: 1,
            },
            done: last.map_or(0, |last| last.done),
            tasks: last.map_or(0, |last| last.tasks),
            iterations: last.map_or(0, |last| last.iterations),
            cost_micro_usd: last.map_or(0, |last| last.cost_micro_usd),
            truth: String::new(),
            host: String::new(),
            took_over: false,
            warm: false,
            delivered: Vec::new(),
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
            failures: self.carry.failures,
        }
    }
}

fn is_stop(wish: &Wish) -> bool {
    matches!(wish.wish, input::Wish::Stop | input::Wish::StopNow)
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
