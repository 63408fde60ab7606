//! A night of two hundred iterations over three agents: used-up allowances, overloads, crashes, stalls, and a
//! login that expires. Time is the only thing that is not real here; the machine is.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    review::APPROVES,
    trial::{Call, Provider, Trial, tested},
};
use crate::{
    effect::AgentCall,
    ending::Ending,
    event::{Decision, Event, Uncharged},
    input::{Resumption, What},
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    run::{Phase, RunState},
    settings::{Length, Policy, Settings},
    time::{Millis, Timestamp},
    vocabulary::ReviewMode,
};

const HOUR: i64 = 3_600_000;
/// An allowance is for so many calls in a window of five hours.
const WINDOW: i64 = 5 * HOUR;
const ALLOWANCE: u32 = 25;
/// When codex forgets who it is.
const EXPIRES: Timestamp = Timestamp(4 * HOUR);

/// The three agents' servers, which keep their own books about who was called when.
struct Servers {
    dice: u64,
    used: BTreeMap<String, (i64, u32)>,
    /// When each agent may be called again, as it said itself.
    resets: BTreeMap<String, Timestamp>,
    login_is_mended: bool,
}

impl Servers {
    fn new(dice: u64) -> Self {
        Self { dice, used: BTreeMap::new(), resets: BTreeMap::new(), login_is_mended: false }
    }

    fn roll(&mut self) -> u64 {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % 1000
    }

    /// The reset time, once the window's allowance is used up.
    fn charge(&mut self, agent: &str, now: Timestamp) -> Option<Timestamp> {
        let window = now.0 / WINDOW;
        let used = self.used.entry(agent.to_owned()).or_insert((window, 0));
        if used.0 != window {
            *used = (window, 0);
        }
        used.1 += 1;
        (used.1 > ALLOWANCE).then(|| Timestamp((window + 1) * WINDOW))
    }
}

impl Provider for Servers {
    fn serve(&mut self, call: &AgentCall, now: Timestamp) -> (Call, Ending, Millis) {
        let agent = call.agent.clone();
        if let Some(reset) = self.resets.get(&agent) {
            assert!(now >= *reset, "{agent} is called at {now}, its limit ends at {reset}");
        }
        let took = Millis::secs(60 + self.roll() % 240);
        let detail = String::new();
        let failed = |ending| (Call::Crash, ending, Millis::secs(2));
        if agent == "codex" && now >= EXPIRES && !self.login_is_mended {
            return failed(Ending::AuthFailed { detail });
        }
        if let Some(reset) = self.charge(&agent, now).filter(|_| agent != "gemini") {
            self.resets.insert(agent, reset);
            return failed(Ending::UsageLimit { resets_at: Some(reset), detail });
        }
        match self.roll() {
            0..40 => failed(Ending::Overloaded { detail }),
            40..70 => failed(Ending::Crashed { detail }),
            70..80 => failed(Ending::Empty),
            80..90 => failed(Ending::Malformed { detail }),
            90..100 => failed(Ending::UsageLimit { resets_at: None, detail }),
            100..130 => (Call::Red, Ending::Stalled, Millis::secs(600)),
            130..145 => (Call::Red, Ending::TimedOut, Millis::secs(3600)),
            145..155 => (Call::Red, Ending::MaxTurns, took),
            155..165 => (Call::Red, Ending::ContextOverflow, took),
            165..215 => (Call::Red, Ending::Ok, took),
            _ => (Call::Good, Ending::Ok, took),
        }
    }
}

fn plan() -> Plan {
    let check = || Criterion::Checked { text: "works".into(), check: "true".into() };
    let task = |number: u32| Task {
        id: format!("t{number:03}").as_str().into(),
        title: format!("task {number}"),
        acceptance_criteria: vec![check(), Criterion::Sentence("is tidy".into())],
        ..Task::default()
    };
    Plan { tasks: (1..=100).map(task).collect(), ..Plan::default() }
}

fn settings() -> Settings {
    let mut settings = tested();
    settings.review.mode = ReviewMode::On;
    settings.agent.fallback = vec!["codex".into(), "gemini".into()];
    settings.limits.max_attempts = 5;
    settings.limits.max_iterations = 1_000;
    settings.limits.max_uncharged = 1_000;
    settings.limits.max_retries = 6;
    settings.limits.max_wait = Length(Millis::secs(6 * 3600));
    settings
}

fn night(settings: Settings, dice: u64) -> Trial {
    let mut trial = Trial::of(plan(), settings, &[]);
    trial.reviews = vec![APPROVES.into()];
    trial.night = Some(Box::new(Servers::new(dice)));
    trial
}

/// Lives through the night with the process killed again and again, also while it waits.
fn live(trial: &mut Trial) -> u32 {
    let mut waits_survived = 0;
    for crash in 1.. {
        let stop_at = crash * 61;
        trial.drive_until(|state| state.seq >= stop_at);
        if trial.state.outcome().is_some() {
            break;
        }
        let Some(replayed) = RunState::fold(&trial.decisions) else {
            panic!("the journal cannot be replayed");
        };
        assert_eq!(replayed, trial.state, "replayed state differs");
        let waited = trial.state.phase.clone();
        trial.state = replayed;
        trial.feed(What::Resumed(Resumption::default()));
        if let (Phase::Waiting { until }, Phase::Opening { then }) = (waited, &trial.state.phase) {
            assert_eq!(**then, Phase::Waiting { until });
            waits_survived += 1;
        }
    }
    waits_survived
}

/// What section 12 says about an ending, for an attempt: charged, or towards which cap it counts.
fn section_12(ending: &Ending, has_overflowed: bool) -> Option<Uncharged> {
    match ending {
        Ending::Crashed { .. } | Ending::Empty | Ending::Malformed { .. } => {
            Some(Uncharged::Failure)
        }
        Ending::UsageLimit { .. } | Ending::Overloaded { .. } | Ending::AuthFailed { .. } => {
            Some(Uncharged::Limit)
        }
        Ending::ContextOverflow if !has_overflowed => Some(Uncharged::Overflow),
        _ => None,
    }
}

/// Every call was charged, or not, exactly as section 12 says. Gives how many of each.
fn audit(decisions: &[Decision]) -> (u32, u32) {
    let (mut charged, mut uncharged) = (0, 0);
    let mut last: Option<Ending> = None;
    let mut overflowed = BTreeSet::new();
    let mut task = String::new();
    for event in decisions.iter().flat_map(|decision| &decision.events) {
        match event {
            Event::IterationStarted(start) => start.task.as_str().clone_into(&mut task),
            Event::AgentEnded(report) => last = Some(report.ending.clone()),
            Event::CallSetAside(aside) => {
                uncharged += 1;
                let seen = overflowed.contains(&task);
                let due = last.as_ref().and_then(|ending| section_12(ending, seen));
                assert_eq!(due, Some(aside.counts_as), "{task}: {last:?}");
                if aside.counts_as == Uncharged::Overflow {
                    overflowed.insert(task.clone());
                }
            }
            Event::AttemptRejected(_) => {
                charged += 1;
                let seen = overflowed.contains(&task);
                let due = last.as_ref().and_then(|ending| section_12(ending, seen));
                // An agent that said nothing and left work is judged by it.
                let is_judged = due.is_none() || last == Some(Ending::Empty);
                assert!(is_judged, "{task} is charged for {last:?}");
            }
            Event::AttemptAccepted { .. } => {
                overflowed.remove(&task);
            }
            _ => {}
        }
    }
    (charged, uncharged)
}

/// An agent whose login is refused is asked once more only after somebody took the run up again.
fn refused_once(decisions: &[Decision]) {
    let mut refused = 0;
    for event in decisions.iter().flat_map(|decision| &decision.events) {
        match event {
            Event::RunResumed { .. } => refused = 0,
            Event::AgentEnded(report) => {
                refused += u32::from(matches!(report.ending, Ending::AuthFailed { .. }));
            }
            _ => {}
        }
        assert!(refused <= 1, "a refused login is tried again");
    }
}

/// Every task is done, or the journal says why it is not.
fn all_is_explained(trial: &Trial) -> BTreeMap<Status, u32> {
    let mut statuses = BTreeMap::new();
    for (at, progress) in trial.state.tasks.iter().enumerate() {
        *statuses.entry(progress.status).or_default() += 1;
        let id = trial.state.task_id(at);
        let said = trial.events().any(|event| {
            matches!(event, Event::TaskMoved { task, to, why, .. }
                if *task == id && *to == progress.status && !why.is_empty())
        });
        assert!(progress.status == Status::Done || said, "{id} is {:?}", progress.status);
    }
    statuses
}

#[test]
fn a_night_over_three_agents_ends_with_everything_done_or_explained() {
    for dice in 1..=4 {
        let mut settings = settings();
        settings.endings.auth_failed = Some(Policy::Fallback);
        let mut trial = night(settings, dice + 10);
        let waits = live(&mut trial);
        let outcome = trial.state.outcome().cloned();
        let is_over = matches!(outcome, Some(Outcome::Done | Outcome::NeedsPerson { .. }));
        assert!(is_over, "night {dice}: {outcome:?}");
        let statuses = all_is_explained(&trial);
        let (charged, uncharged) = audit(&trial.decisions);
        refused_once(&trial.decisions);
        assert!(trial.state.counters.iterations >= 200, "{}", trial.state.counters.iterations);
        assert!(charged > 5 && uncharged > 20, "{charged} charged, {uncharged} not");
        let agents: Vec<_> = trial.state.counters.by_agent.keys().cloned().collect();
        assert_eq!(agents, ["claude", "codex", "gemini"]);
        assert!(statuses.get(&Status::Done).is_some_and(|done| *done >= 95), "{statuses:?}");
        let hours = trial.now.0 / HOUR;
        println!(
            "night {dice}: {} iterations in {hours} h, {charged} charged, {uncharged} not, \
             {waits} waits survived a kill, {statuses:?}",
            trial.state.counters.iterations
        );
    }
}

#[test]
fn a_login_that_expires_ends_the_run_truthfully_and_the_morning_takes_it_up() {
    let mut settings = settings();
    settings.agent.command = "codex".into();
    settings.agent.fallback = Vec::new();
    let mut trial = night(settings, 7);
    live(&mut trial);
    let outcome = trial.state.outcome().cloned();
    assert!(
        matches!(&outcome, Some(Outcome::AgentUnusable { why, .. }) if why.contains("logged in"))
    );
    assert_eq!(outcome.map(|outcome| (outcome.exit_code(), outcome.resumable())), Some((4, true)));
    let mut mended = Servers::new(8);
    mended.login_is_mended = true;
    trial.night = Some(Box::new(mended));
    trial.feed(What::Resumed(Resumption::default()));
    live(&mut trial);
    assert!(matches!(trial.state.outcome(), Some(Outcome::Done | Outcome::NeedsPerson { .. })));
    all_is_explained(&trial);
}
