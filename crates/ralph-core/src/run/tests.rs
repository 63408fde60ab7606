//! The invariants of the machine, each on every short sequence of agent calls. The simulator in the test kit
//! does the same with faults, people and chance.

use super::{RunState, StartOptions, begin, decide, next};
use crate::{
    effect::{Effect, RunGates, Step},
    ending::Ending,
    event::{Decision, Event, FORMAT, Source},
    gates::report::{CheckReport, CommandEnd, GateReport, GateResults, TestSummary},
    ids::{CommitId, TreeId},
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Input, Looked, Resumption, What, Workspace,
    },
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    settings::{Gate, Settings},
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
};

/// What one agent call comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Good,
    Red,
    Idle,
    Crash,
    Limited,
}

const CALLS: [Call; 5] = [Call::Good, Call::Red, Call::Idle, Call::Crash, Call::Limited];

/// A run of the machine in a world where nothing surprising happens.
struct Trial {
    state: RunState,
    decisions: Vec<Decision>,
    /// Each effect with the number of decisions before it.
    effects: Vec<(usize, Effect)>,
    calls: Vec<Call>,
    called: usize,
    now: Timestamp,
}

impl Trial {
    fn new(settings: Settings, calls: &[Call]) -> Self {
        let criterion = |text: &str| Criterion::Checked { text: text.into(), check: "true".into() };
        let task = |id: &str| Task {
            id: id.into(),
            acceptance_criteria: vec![criterion("works"), Criterion::Sentence("is tidy".into())],
            ..Task::default()
        };
        let plan = Plan { tasks: vec![task("a"), task("b")], ..Plan::default() };
        Self::of(plan, settings, calls)
    }

    fn of(plan: Plan, settings: Settings, calls: &[Call]) -> Self {
        let start = begin(Source::Plan, plan, settings, StartOptions::default());
        let first = Decision {
            v: FORMAT,
            run: "r".into(),
            lane: 0,
            seq: 0,
            at: Timestamp(0),
            events: start.into_iter().map(|start| Event::RunStarted(Box::new(start))).collect(),
        };
        let Some(state) = RunState::fold([&first]) else {
            panic!("the run may not start");
        };
        let mut trial = Self {
            state,
            decisions: vec![first],
            effects: Vec::new(),
            calls: calls.to_vec(),
            called: 0,
            now: Timestamp(0),
        };
        trial.drive();
        trial
    }

    fn drive(&mut self) {
        for _ in 0..400 {
            self.now = self.now.plus(Millis(10));
            match next(&self.state) {
                Step::Finished => return,
                Step::Await { until } => {
                    self.now = until.unwrap_or(self.now);
                    self.feed(What::Woke);
                }
                Step::Interrupt(id, _) => self.feed(What::Done(id, Done::NotBegun)),
                Step::Perform(id, effect) => {
                    self.effects.push((self.decisions.len(), effect.clone()));
                    let done = self.answer(&effect);
                    self.feed(What::Done(id, done));
                }
            }
        }
    }

    fn feed(&mut self, what: What) {
        let input = Input { at: self.now, what };
        let events = decide(&self.state, &input);
        if !events.is_empty() {
            let decision = Decision {
                v: FORMAT,
                run: "r".into(),
                lane: 0,
                seq: self.state.seq,
                at: input.at,
                events,
            };
            self.state.apply(&decision);
            self.decisions.push(decision);
        }
    }

    fn call(&self) -> Call {
        let last = self.called.saturating_sub(1);
        self.calls.get(last).copied().unwrap_or(Call::Good)
    }

    fn answer(&mut self, effect: &Effect) -> Done {
        match effect {
            Effect::OpenWorkspace(_) => Done::WorkspaceOpened(Workspace {
                head: "c0".into(),
                tree: "t0".into(),
                ..Workspace::default()
            }),
            Effect::RunBaseline(gates) => Done::BaselineRan(results(gates, Call::Good)),
            Effect::Look(_) => Done::Looked(Looked::default()),
            Effect::Checkpoint(checkpoint) => Done::CheckpointTaken(CheckpointTaken {
                notes: Vec::new(),
                head: checkpoint.head.clone(),
                tree: checkpoint.start.clone().unwrap_or_else(|| "t0".into()),
                kept: None,
            }),
            Effect::RunAgent(_) => {
                self.called += 1;
                Done::AgentEnded(Box::new(report(self.call())))
            }
            Effect::CaptureTree(capture) => {
                let idle = self.call() == Call::Idle;
                let left = TreeId(format!("t{}", self.called));
                Done::TreeCaptured(Captured {
                    tree: Some(if idle { capture.start.clone() } else { left }),
                    head: capture.head.clone(),
                    changed: u64::from(!idle),
                    sample: Vec::new(),
                    violations: Vec::new(),
                    notes: Vec::new(),
                })
            }
            Effect::RunGates(gates) => Done::GatesRan(results(gates, self.call())),
            Effect::Commit(commit) => {
                Done::Committed { commit: CommitId(format!("c{}", commit.iteration)) }
            }
            Effect::RunScmTasks(_) => Done::ScmTasksRan(Vec::new()),
            Effect::Quarantine(keep) => Done::Quarantined { reference: keep.name.clone() },
            Effect::GiveUp(give_up) => Done::GaveUp {
                branch: give_up.branch.clone(),
                head: give_up.began_at.clone(),
                tree: "t0".into(),
            },
            Effect::CloseWorkspace(_) => Done::WorkspaceClosed { notes: Vec::new() },
        }
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.decisions.iter().flat_map(|decision| &decision.events)
    }
}

fn results(run: &RunGates, call: Call) -> GateResults {
    let code = i32::from(call == Call::Red);
    let end = CommandEnd::Exited { code };
    GateResults {
        gates: run
            .gates
            .iter()
            .map(|spec| GateReport {
                gate: spec.name.clone(),
                end,
                took: Millis(1),
                tests: TestSummary::default(),
                flaky: false,
                output: String::new(),
                log: String::new(),
            })
            .collect(),
        checks: run
            .checks
            .iter()
            .map(|check| CheckReport {
                criterion: check.criterion,
                command: check.command.clone(),
                end: CommandEnd::Exited { code: i32::from(call != Call::Good) },
                took: Millis(1),
                output: String::new(),
                log: String::new(),
            })
            .collect(),
        meddled: Vec::new(),
    }
}

fn report(call: Call) -> AgentReport {
    AgentReport {
        ending: match call {
            Call::Crash => Ending::Crashed { detail: String::new() },
            Call::Limited => Ending::UsageLimit { resets_at: None, detail: String::new() },
            Call::Good | Call::Red | Call::Idle => Ending::Ok,
        },
        claimed: true,
        handoff: None,
        last_words: String::new(),
        stderr_tail: String::new(),
        usage: Usage { cost: MicroUsd(300_000), ..Usage::default() },
        took: Millis(1_000),
        session: None,
        tools: 0,
        tool_errors: 0,
        leftovers: 0,
    }
}

fn tested() -> Settings {
    let mut settings = Settings {
        gate: vec![Gate { name: "tests".into(), command: "tests".into(), ..Gate::default() }],
        ..Settings::default()
    };
    settings.limits.max_attempts = 2;
    settings.limits.max_retries = 1;
    settings
}

/// Runs a check on every sequence of four calls.
fn always(settings: &Settings, check: impl Fn(&Trial)) {
    for number in 0..CALLS.len().pow(4) {
        let calls: Vec<Call> = (0..4)
            .filter_map(|at| CALLS.get(number / CALLS.len().pow(at) % CALLS.len()))
            .copied()
            .collect();
        check(&Trial::new(settings.clone(), &calls));
    }
}

#[test]
fn every_commit_directly_follows_an_accepted_verdict_on_the_same_tree() {
    always(&tested(), |trial| {
        for (decided, effect) in &trial.effects {
            if let Effect::Commit(commit) = effect {
                let last = trial.decisions.get(decided - 1);
                let verdict =
                    last.into_iter().flat_map(|last| &last.events).find_map(|event| match event {
                        Event::VerdictReached(verdict) => Some(verdict),
                        _ => None,
                    });
                assert!(
                    verdict.is_some_and(|v| v.accepted && v.tree.as_ref() == Some(&commit.tree)),
                    "{commit:?} after {verdict:?}"
                );
            }
        }
    });
}

#[test]
fn nothing_to_verify_with_means_not_accepted() {
    let checked = Task {
        id: "a".into(),
        acceptance_criteria: vec![Criterion::Checked {
            text: "works".into(),
            check: "true".into(),
        }],
        ..Task::default()
    };
    let plan = Plan { tasks: vec![checked], ..Plan::default() };
    let mut trial = Trial::of(plan, Settings::default(), &[Call::Good]);
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    // The same run, but the check that made it startable is gone from the pinned plan.
    if let Some(Event::RunStarted(start)) = trial.decisions[0].events.first_mut() {
        start.plan.tasks[0].acceptance_criteria.clear();
    }
    let replayed = RunState::fold([&trial.decisions[0]]);
    trial.decisions.truncate(1);
    if let Some(state) = replayed {
        trial.state = state;
    }
    trial.called = 0;
    trial.drive();
    assert!(matches!(trial.state.outcome(), Some(Outcome::NeedsPerson { .. })));
    assert!(!trial.events().any(|event| matches!(event, Event::Committed { .. })));
}

#[test]
fn done_only_with_complete_evidence() {
    always(&tested(), |trial| {
        for (at, progress) in trial.state.tasks.iter().enumerate() {
            let evidence = trial.state.detail(at).map_or(0, |detail| detail.evidence.len());
            assert_eq!(progress.status == Status::Done, evidence == 2, "{:?}", trial.calls);
        }
    });
}

#[test]
fn nothing_starts_beyond_a_limit() {
    let mut settings = tested();
    settings.limits.max_iterations = 3;
    settings.limits.max_cost_usd = 1.0;
    always(&settings, |trial| {
        let mut spent = 0;
        for event in trial.events() {
            match event {
                Event::IterationStarted(start) => {
                    assert!(start.iteration <= 3 && spent < 1_000_000);
                    assert!(start.attempt <= start.max_attempts);
                }
                Event::AgentEnded(report) => spent += report.usage.cost.0,
                _ => {}
            }
        }
    });
}

#[test]
fn a_task_is_committed_at_most_once_per_accepted_attempt() {
    always(&tested(), |trial| {
        let count = |is: fn(&Event) -> bool| trial.events().filter(|event| is(event)).count();
        let committed = count(|event| matches!(event, Event::Committed { .. }));
        let accepted = count(|event| matches!(event, Event::AttemptAccepted { .. }));
        assert!(committed <= accepted, "{:?}", trial.calls);
    });
}

#[test]
fn replaying_the_journal_gives_the_identical_state() {
    always(&tested(), |trial| {
        assert_eq!(RunState::fold(&trial.decisions).as_ref(), Some(&trial.state));
    });
    let trial = Trial::new(tested(), &[Call::Red, Call::Crash, Call::Limited]);
    let lines: Vec<String> = trial.decisions.iter().flat_map(serde_json::to_string).collect();
    let read: Vec<Decision> = lines.iter().flat_map(|line| serde_json::from_str(line)).collect();
    assert_eq!(read, trial.decisions);
    assert_eq!(RunState::fold(&read).as_ref(), Some(&trial.state));
}

#[test]
fn an_effect_repeated_after_a_crash_changes_nothing() {
    let trial = Trial::new(tested(), &[Call::Red, Call::Red, Call::Good]);
    for (decided, effect) in &trial.effects {
        let Some(mut state) = trial.decisions.get(..*decided).and_then(RunState::fold) else {
            continue;
        };
        let at = state.last_at.plus(Millis::secs(3600));
        for what in [
            What::Resumed(Resumption::default()),
            What::Done(
                crate::effect::EffectId(state.effects + 1),
                Done::WorkspaceOpened(Workspace::default()),
            ),
        ] {
            let events = decide(&state, &Input { at, what });
            let seq = state.seq;
            state.apply(&Decision { v: FORMAT, run: "r".into(), lane: 0, seq, at, events });
        }
        let again = next(&state);
        match (effect, again) {
            (Effect::Commit(before), Step::Perform(_, Effect::Commit(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::Quarantine(before), Step::Perform(_, Effect::Quarantine(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::GiveUp(before), Step::Perform(_, Effect::GiveUp(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::Commit(_) | Effect::Quarantine(_) | Effect::GiveUp(_), other) => {
                panic!("{effect:?} became {other:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn every_run_ends() {
    always(&tested(), |trial| {
        assert!(trial.state.outcome().is_some(), "{:?}", trial.calls);
    });
}

#[test]
fn a_second_signal_of_another_kind_kills_and_the_first_names_the_end() {
    let mut trial = Trial::new(tested(), &[]);
    let first = trial.decisions.first().cloned();
    if let Some(state) = RunState::fold(first.iter()) {
        trial.state = state;
    }
    for (signal, count) in [(15, 1), (2, 2)] {
        trial.feed(What::Signal { signal, count });
    }
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 15 }));
}
