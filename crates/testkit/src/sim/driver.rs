//! A small driver over `decide`, `apply` and `next`, with a fault possible at every boundary.
//!
//! Order of truth as in the real one: journal, then apply, then act. Must never mend what the core got wrong.

use ralph_core::{
    effect::{Effect, EffectId, Step},
    event::{Decision, Event, FORMAT},
    ids::RunId,
    input::{Done, Input, Request, Resumption, What, Wish},
    run::{RunState, decide, next},
    time::{Millis, Timestamp},
};

use super::{
    journal::Journal,
    options::{Crashes, Options, Run},
    oracle::{Broken, Invariant, Oracle},
    rng::{Rng, mix},
    saboteur::Saboteur,
    scenario::Scenario,
    world::World,
};

/// No run takes more steps.
const MOST_STEPS: u32 = 3_000;
/// After so many crashes the machine behaves.
const MOST_CRASHES: u32 = 8;

/// Every so many runs the journal is really written and read as text.
const TEXTUAL: u64 = 16;

/// Simulates one run.
pub fn run(scenario: &Scenario, options: Options) -> Run {
    match Driver::begin(scenario, options) {
        Some(driver) => driver.drive(),
        None => Run {
            broken: vec![Broken::new(
                Invariant::ReplayIsIdentical,
                "the first decision is no start",
            )],
            effects: 0,
            crashes: 0,
            decisions: 0,
            boundaries: 0,
            outcome: None,
            result: String::new(),
            coverage: None,
            story: None,
        },
    }
}

/// The process died.
struct Crash;

enum Going {
    On,
    Over,
}

struct Driver<'a> {
    scenario: &'a Scenario,
    world: World<'a>,
    journal: Journal,
    state: RunState,
    oracle: Oracle<'a>,
    saboteur: Saboteur,
    options: Options,
    rng: Rng,
    boundaries: u64,
    effects: u64,
    crashes: u32,
    resumes: u32,
    signals: u32,
    requests: u32,
    /// The next effect may have happened before a crash.
    is_recovering: bool,
}

impl<'a> Driver<'a> {
    fn begin(scenario: &'a Scenario, options: Options) -> Option<Self> {
        let world = World::new(scenario);
        let first = Decision {
            v: FORMAT,
            run: RunId::from("sim"),
            lane: 0,
            seq: 0,
            at: world.now,
            events: vec![Event::RunStarted(Box::new(scenario.start.clone()))],
        };
        let state = RunState::fold([&first])?;
        let mut journal = if scenario.seed.is_multiple_of(TEXTUAL) {
            Journal::textual()
        } else {
            Journal::default()
        };
        journal.append(first);
        Some(Self {
            oracle: Oracle::new(scenario, world.now),
            saboteur: Saboteur::new(options.bug),
            rng: Rng::new(mix(&[scenario.seed, 3])),
            scenario,
            world,
            journal,
            state,
            options,
            boundaries: 0,
            effects: 0,
            crashes: 0,
            resumes: 0,
            signals: 0,
            requests: 0,
            is_recovering: false,
        })
    }

    fn drive(mut self) -> Run {
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > MOST_STEPS {
                self.oracle.broke(Invariant::EveryRunEnds, || format!("{MOST_STEPS} steps"));
                break;
            }
            if self.saboteur.is_seen(&self.oracle) {
                break;
            }
            match self.step() {
                Ok(Going::On) => {}
                Ok(Going::Over) => break,
                Err(Crash) => while self.recover().is_err() {},
            }
        }
        self.finish()
    }

    fn step(&mut self) -> Result<Going, Crash> {
        self.probe();
        let step = self.saboteur.step(&self.state, next(&self.state));
        self.oracle.before(&step, &self.state, &self.world);
        match step {
            Step::Finished => return self.finished(),
            Step::Await { until } => self.wait(until)?,
            Step::Interrupt(id, _) => self.feed(What::Done(id, Done::NotBegun))?,
            Step::Perform(id, effect) => self.perform(id, &effect)?,
        }
        Ok(Going::On)
    }

    fn perform(&mut self, id: EffectId, effect: &Effect) -> Result<(), Crash> {
        self.boundary()?;
        if self.is_recovering {
            self.is_recovering = matches!(effect, Effect::OpenWorkspace(_));
            if self.saboteur.reconciles()
                && let Some(done) = self.world.reconcile(effect)
            {
                return self.feed(What::Done(id, done));
            }
        }
        let how = if self.rng.chance(self.scenario.odds.person) {
            self.world.now = self.world.now.plus(Millis(self.rng.below(900)));
            if self.person().is_err() {
                if self.rng.chance(500) {
                    self.world.perform(effect, None);
                }
                return Err(Crash);
            }
            match next(&self.state) {
                Step::Interrupt(_, how) => Some(how),
                _ => None,
            }
        } else {
            None
        };
        let effect = self.saboteur.effect(effect, &self.world);
        let done = match self.saboteur.instead_of(&effect) {
            Some(done) => done,
            None => self.world.perform(&effect, how),
        };
        self.effects += 1;
        self.tell(|| format!("did {effect:?}"));
        self.boundary()?;
        self.feed(What::Done(id, done))
    }

    /// Journal, then apply. What the oracle sees is what survived.
    fn feed(&mut self, what: What) -> Result<(), Crash> {
        let input = Input { at: self.world.now, what };
        let honest = decide(&self.state, &input);
        if let Some(coverage) = &mut self.options.coverage {
            coverage.saw(&self.state, &input, !honest.is_empty());
        }
        let events = self.saboteur.events(&self.state, &input, honest);
        if events.is_empty() {
            self.oracle.heard(&input, &self.state);
            return Ok(());
        }
        let decision = Decision {
            v: FORMAT,
            run: self.state.run.clone(),
            lane: 0,
            seq: self.state.seq,
            at: input.at,
            events,
        };
        if self.boundary().is_err() {
            self.journal.tear(&decision, self.rng.draw());
            return Err(Crash);
        }
        self.tell(|| format!("{} {:?}", decision.at, decision.events));
        let ended = |event: &Event| matches!(event, Event::AgentEnded(_));
        self.world.calls += decision.events.iter().filter(|event| ended(event)).count() as u64;
        self.oracle.heard(&input, &self.state);
        self.oracle.decided(&decision, &self.world);
        self.journal.append(decision);
        self.boundary()?;
        if let Some(decision) = self.journal.decisions.last() {
            self.state.apply(decision);
        }
        Ok(())
    }

    fn tell(&mut self, line: impl FnOnce() -> String) {
        if let Some(story) = &mut self.options.story {
            story.push(line());
        }
    }

    fn boundary(&mut self) -> Result<(), Crash> {
        let number = self.boundaries;
        self.boundaries += 1;
        let dies = match self.options.crashes {
            Crashes::Never => false,
            Crashes::At(at) => at == number,
            Crashes::Random => {
                self.crashes < MOST_CRASHES && self.rng.chance(self.scenario.odds.crash)
            }
        };
        if dies { Err(Crash) } else { Ok(()) }
    }

    /// A new process: the state is what the journal says, and the world is asked what became of the effect.
    fn recover(&mut self) -> Result<(), Crash> {
        self.crashes += 1;
        self.tell(|| "crash".into());
        let folded = self.replay();
        let missed = usize::try_from(self.state.seq).unwrap_or(usize::MAX);
        for decision in self.journal.decisions.iter().skip(missed) {
            self.state.apply(decision);
        }
        match folded {
            Some(folded) => {
                if folded != self.state {
                    self.oracle.broke(Invariant::ReplayIsIdentical, || "after a crash".into());
                }
                self.state = folded;
            }
            None => self
                .oracle
                .broke(Invariant::ReplayIsIdentical, || "the journal cannot be read".into()),
        }
        self.world.now = self.world.now.plus(Millis(self.rng.below(60_000)));
        self.signals = 0;
        self.is_recovering = true;
        self.feed(What::Resumed(Resumption::default()))
    }

    /// The state as the journal tells it.
    fn replay(&mut self) -> Option<RunState> {
        let found = self.journal.reread()?;
        RunState::fold(self.saboteur.replayed(found).iter())
    }

    fn wait(&mut self, until: Option<Timestamp>) -> Result<(), Crash> {
        self.boundary()?;
        if self.rng.chance(self.scenario.odds.person) {
            return self.person();
        }
        let until = until.unwrap_or(self.world.now);
        let left = until.since(self.world.now);
        if left.0 > 1 && self.rng.chance(100) {
            self.world.now = self.world.now.plus(Millis(self.rng.below(left.0)));
        } else {
            self.world.now = self.world.now.max(until);
        }
        self.feed(What::Woke)
    }

    /// A signal, a request (some come twice), or something late and meaningless.
    fn person(&mut self) -> Result<(), Crash> {
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
                Done::GatesRan(ralph_core::gates::report::GateResults::default()),
            ),
        };
        self.feed(what)
    }

    fn request(&mut self) -> Request {
        self.requests += 1;
        Request {
            id: self.requests.to_string(),
            wish: if self.rng.chance(500) { Wish::Stop } else { Wish::StopNow },
        }
    }

    fn finished(&mut self) -> Result<Going, Crash> {
        if self.resumes >= 3 || !self.rng.chance(self.scenario.odds.resume) {
            return Ok(Going::Over);
        }
        self.resumes += 1;
        self.signals = 0;
        self.is_recovering = true;
        self.world.now = self.world.now.plus(Millis(self.rng.below(600_000)));
        let before = self.state.seq;
        let max_iterations = self.rng.pick(&[None, Some(4), Some(12)]).flatten();
        self.feed(What::Resumed(Resumption { max_iterations, ..Resumption::default() }))?;
        Ok(if self.state.seq == before { Going::Over } else { Going::On })
    }

    /// Inputs at illegal moments: looked at, never applied.
    fn probe(&mut self) {
        if let Some(coverage) = &mut self.options.coverage {
            let input = super::coverage::any_input(&self.state, self.world.now, &mut self.rng);
            let events = decide(&self.state, &input);
            coverage.saw(&self.state, &input, !events.is_empty());
        }
    }

    fn finish(mut self) -> Run {
        let folded = self.replay();
        if folded.as_ref() != Some(&self.state) {
            self.oracle.broke(Invariant::ReplayIsIdentical, || "at the end".into());
        }
        if self.scenario.seed.is_multiple_of(TEXTUAL) {
            self.oracle.snapshot(&self.state);
        }
        self.oracle.at_the_end(&self.state, &self.world);
        Run {
            result: self.oracle.result(&self.world),
            broken: self.oracle.broken,
            effects: self.effects,
            crashes: self.crashes,
            decisions: self.state.seq,
            boundaries: self.boundaries,
            outcome: self.state.outcome().cloned(),
            coverage: self.options.coverage,
            story: self.options.story,
        }
    }
}
