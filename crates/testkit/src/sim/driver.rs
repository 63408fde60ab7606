//! A small driver over `decide`, `apply` and `next`, with a fault possible at every boundary.
//!
//! Order of truth as in the real one: journal, then apply, then act. Must never mend what the core got wrong.

use ralph_core::{
    effect::{Effect, EffectId, How, Step},
    event::{Decision, Event, FORMAT},
    ids::RunId,
    input::{Done, Input, Reloaded, Resumption, What},
    run::{RunState, decide, next},
    time::{Millis, Timestamp},
};

use super::{
    journal::Journal,
    options::{Crashes, Options, Run},
    oracle::{Broken, Invariant, Oracle},
    relay::{Relay, counts},
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
            handovers: 0,
            decisions: 0,
            boundaries: 0,
            outcome: None,
            counts: String::new(),
            tasks: Vec::new(),
            result: String::new(),
            coverage: None,
            story: None,
        },
    }
}

/// The process died.
pub(super) struct Crash;

pub(super) enum Going {
    On,
    Over,
}

pub(super) struct Driver<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) world: World<'a>,
    journal: Journal,
    pub(super) state: RunState,
    pub(super) oracle: Oracle<'a>,
    saboteur: Saboteur,
    pub(super) options: Options,
    pub(super) rng: Rng,
    /// Decides what people say to agents; of its own, so that everything else stays what a seed makes of it.
    pub(super) words: Rng,
    pub(super) said: u32,
    /// Decides what the command line says when a run is taken up; of its own for the same reason.
    flags: Rng,
    boundaries: u64,
    effects: u64,
    crashes: u32,
    pub(super) relay: Relay,
    pub(super) resumes: u32,
    pub(super) signals: u32,
    pub(super) requests: u32,
    pub(super) wishes: u32,
    /// The next effect may have happened before a crash.
    pub(super) is_recovering: bool,
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
            words: Rng::new(mix(&[scenario.seed, 6])),
            flags: Rng::new(mix(&[scenario.seed, 12])),
            said: 0,
            scenario,
            world,
            journal,
            state,
            options,
            boundaries: 0,
            effects: 0,
            crashes: 0,
            relay: Relay::default(),
            resumes: 0,
            signals: 0,
            requests: 0,
            wishes: 0,
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
        if self.options.handovers && self.leaves() {
            self.hand_over()?;
            return Ok(Going::On);
        }
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
        if self.rng.chance(self.scenario.odds.wish) {
            self.wish()?;
            if next(&self.state) != Step::Perform(id, effect.clone()) {
                return Ok(());
            }
        }
        if self.speaks() {
            self.speak()?;
            if next(&self.state) != Step::Perform(id, effect.clone()) {
                return Ok(());
            }
        }
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
            self.ends_effect()
        } else if matches!(effect, Effect::RunAgent(_)) && self.speaks() {
            self.speak()?;
            self.ends_effect()
        } else {
            None
        };
        if matches!(effect, Effect::RunAgent(_)) {
            self.world.plan = self.state.plan_view();
        }
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

    /// How the effect in flight is to be ended, if it is.
    fn ends_effect(&self) -> Option<How> {
        match next(&self.state) {
            Step::Interrupt(_, how) => Some(how),
            _ => None,
        }
    }

    /// Journal, then apply. What the oracle sees is what survived.
    pub(super) fn feed(&mut self, what: What) -> Result<(), Crash> {
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
        let is_work =
            !decision.events.iter().any(|event| matches!(event, Event::MemoryCompacted(_)));
        self.world.calls += u64::from(is_work && decision.events.iter().any(ended));
        self.oracle.heard(&input, &self.state);
        self.oracle.decided(&decision, &self.world);
        self.clear_inbox(&decision);
        self.journal.append(decision);
        self.boundary()?;
        if let Some(decision) = self.journal.decisions.last() {
            self.state.apply(decision);
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, line: impl FnOnce() -> String) {
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
        self.reread("after a crash");
        self.world.now = self.world.now.plus(away(self.rng.below(60_000)));
        self.signals = 0;
        self.is_recovering = true;
        self.forget_pauses();
        let reloaded = self.reloaded();
        self.feed(What::Resumed(Resumption { reloaded, ..Resumption::default() }))
    }

    /// The state is what the journal says, and that must be what the last process knew.
    pub(super) fn reread(&mut self, when: &str) {
        let folded = self.replay();
        let missed = usize::try_from(self.state.seq).unwrap_or(usize::MAX);
        for decision in self.journal.decisions.iter().skip(missed) {
            self.state.apply(decision);
        }
        match folded {
            Some(folded) => {
                if folded != self.state {
                    self.oracle.broke(Invariant::ReplayIsIdentical, || when.into());
                }
                self.state = folded;
            }
            None => self
                .oracle
                .broke(Invariant::ReplayIsIdentical, || "the journal cannot be read".into()),
        }
    }

    /// Settings of which the command line says something else than before, if it says anything.
    pub(super) fn reloaded(&mut self) -> Option<Box<Reloaded>> {
        let turns = self.flags.pick(&[None, None, Some(7), Some(70)]).flatten()?;
        let start = &self.state.start;
        let mut settings = start.settings.clone();
        settings.agent.max_turns = turns;
        let (library, flags) = (start.library.clone(), start.flags.clone());
        Some(Box::new(Reloaded { settings, library, flags }))
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
        let Some(until) = until else {
            return self.paused();
        };
        let left = until.since(self.world.now);
        if left.0 > 1 && self.rng.chance(100) {
            self.world.now = self.world.now.plus(Millis(self.rng.below(left.0)));
        } else {
            self.world.now = self.world.now.max(until);
        }
        self.feed(What::Woke)
    }

    /// Inputs at illegal moments: looked at, never applied.
    fn probe(&mut self) {
        let Some(coverage) = &mut self.options.coverage else {
            return;
        };
        let is_rare = matches!(super::coverage::place(&self.state), "reapply" | "park" | "paused");
        for _ in 0..if is_rare { 12 } else { 1 } {
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
            handovers: self.relay.handovers,
            counts: counts(&self.state),
            decisions: self.state.seq,
            boundaries: self.boundaries,
            outcome: self.state.outcome().cloned(),
            tasks: self.state.tasks.iter().map(|task| task.status).collect(),
            coverage: self.options.coverage,
            story: self.options.story,
        }
    }
}

/// How long nobody worked on a run that was left: moments, or the rest of a night.
pub(super) fn away(moments: u64) -> Millis {
    Millis(if moments.is_multiple_of(3) { moments * 500 } else { moments })
}
