//! What comes from outside at any time: signals, requests, wishes, and somebody who takes a run up again.

use ralph_core::{
    effect::EffectId,
    event::{Decision, Event},
    gates::report::GateResults,
    input::{Done, Request, Resumption, What, Wish},
};

use super::{
    driver::{Crash, Driver, Going, away},
    people,
};

/// After so many wishes people are content.
const MOST_WISHES: u32 = 12;

impl Driver<'_> {
    /// A signal, a request (some come twice), or something late and meaningless.
    pub(super) fn person(&mut self) -> Result<(), Crash> {
        let what = match self.rng.below(8) {
            0 | 1 => {
                self.signals += 1;
                What::Signal { signal: self.rng.of(&[2, 15]), count: self.signals }
            }
            2 | 3 => What::Asked(self.request()),
            4 => {
                let request = self.request();
                self.world.inbox.push(request);
                return Ok(());
            }
            5 => What::Asked(Request { id: "0".into(), wish: Wish::Stop }),
            6 => What::Woke,
            _ => What::Done(
                EffectId(self.state.effects.saturating_sub(1)),
                Done::GatesRan(GateResults::default()),
            ),
        };
        self.feed(what)
    }

    /// A wish about a task, left in the inbox or told at once.
    pub(super) fn wish(&mut self) -> Result<(), Crash> {
        if self.wishes >= MOST_WISHES {
            return Ok(());
        }
        self.wishes += 1;
        let request = people::wish(&self.state, self.wishes, &mut self.rng);
        self.tell(|| format!("wish {request:?}"));
        if self.rng.chance(600) {
            self.world.inbox.push(request);
            return Ok(());
        }
        self.feed(What::Asked(request))
    }

    /// Files of requests that were taken go away, most of them at once.
    pub(super) fn clear_inbox(&mut self, decision: &Decision) {
        for event in &decision.events {
            if let Event::RequestTaken { request } = event
                && self.rng.chance(700)
            {
                self.world.inbox.retain(|lying| lying.id != request.id);
            }
        }
    }

    fn request(&mut self) -> Request {
        self.requests += 1;
        Request {
            id: self.requests.to_string(),
            wish: if self.rng.chance(500) { Wish::Stop } else { Wish::StopNow },
        }
    }

    /// Somebody takes the run up again, or leaves it at that.
    pub(super) fn finished(&mut self) -> Result<Going, Crash> {
        if self.goes_on_elsewhere()? {
            return Ok(Going::On);
        }
        if self.resumes >= 3 || !self.rng.chance(self.scenario.odds.resume) {
            return Ok(Going::Over);
        }
        self.resumes += 1;
        self.signals = 0;
        self.forget_pauses();
        self.is_recovering = true;
        self.world.now = self.world.now.plus(away(self.rng.below(600_000)));
        while self.wishes < MOST_WISHES && self.rng.chance(self.scenario.odds.wish * 4) {
            self.wishes += 1;
            let request = people::wish(&self.state, self.wishes, &mut self.rng);
            self.tell(|| format!("wish {request:?}"));
            self.world.inbox.push(request);
        }
        let waits = |request: &Request| {
            matches!(request.wish, Wish::Task { .. }) && !self.state.taken.contains(&request.id)
        };
        let requests_wait = self.world.inbox.iter().any(waits);
        let before = self.state.seq;
        // A total below what was used is refused before the machine hears of it.
        let total = self.rng.pick(&[None, Some(4), Some(12)]).flatten();
        let max_iterations = total.filter(|total| *total >= self.state.counters.iterations);
        let reloaded = self.reloaded();
        let how = Resumption {
            max_iterations,
            is_limit_given: max_iterations.is_some(),
            requests_wait,
            reloaded,
            ..Resumption::default()
        };
        self.feed(What::Resumed(how))?;
        Ok(if self.state.seq == before { Going::Over } else { Going::On })
    }
}
