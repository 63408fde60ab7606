//! A run of the machine in a world where nothing surprising happens.

use crate::{
    agent_facts::Abilities,
    effect::{AgentCall, Effect, RunGates, Step},
    ending::Ending,
    event::{Decision, Event, FORMAT, Source},
    gates::{
        protect::{Change, Content, Rules, Touched, exposures},
        report::{CheckReport, CommandEnd, GateReport, GateResults, TestSummary},
    },
    handoff::Handoff,
    ids::{CommitId, TreeId},
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Input, Looked, Reapplied, Request, What,
        Wish, Workspace,
    },
    plan::{Criterion, Plan, Task, formats::plan_json, person::TaskWish},
    run::{RunState, StartOptions, begin, decide, next},
    settings::{Gate, Settings},
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
    vocabulary::{Kind, ReviewMode},
};

/// What one agent call comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Good,
    Red,
    Idle,
    Crash,
    Limited,
    /// Good work that also changes a test.
    Meddles,
}

pub(super) const CALLS: [Call; 5] = [Call::Good, Call::Red, Call::Idle, Call::Crash, Call::Limited];

/// A run of the machine in a world where nothing surprising happens.
pub(super) struct Trial {
    pub(super) state: RunState,
    pub(super) decisions: Vec<Decision>,
    /// Each effect with the number of decisions before it.
    pub(super) effects: Vec<(usize, Effect)>,
    pub(super) calls: Vec<Call>,
    pub(super) called: usize,
    /// What reviewers hand over, call by call; the last one again and again.
    pub(super) reviews: Vec<String>,
    reviewed: usize,
    /// What the next look finds.
    pub(super) wishes: Vec<Request>,
    /// What the next working agent hands over, and makes of the plan file.
    pub(super) handoff: Option<String>,
    pub(super) plan_edit: Option<String>,
    /// Whether parked work still fits.
    pub(super) fits: bool,
    /// How each call ends and what it comes to, where the calls alone do not tell: who is called, when.
    pub(super) night: Option<Box<dyn Provider>>,
    trees: Vec<(CommitId, TreeId)>,
    pub(super) now: Timestamp,
}

/// Whoever serves the agents' calls.
pub(super) trait Provider {
    /// What becomes of this call, and how long it takes.
    fn serve(&mut self, call: &AgentCall, now: Timestamp) -> (Call, Ending, Millis);
}

impl Trial {
    pub(super) fn new(settings: Settings, calls: &[Call]) -> Self {
        let mut trial = Self::idle(settings, calls);
        trial.drive();
        trial
    }

    /// Two tasks that nobody has begun with.
    pub(super) fn idle(settings: Settings, calls: &[Call]) -> Self {
        let criterion = |text: &str| Criterion::Checked { text: text.into(), check: "true".into() };
        let task = |id: &str| Task {
            id: id.into(),
            acceptance_criteria: vec![criterion("works"), Criterion::Sentence("is tidy".into())],
            ..Task::default()
        };
        let plan = Plan { tasks: vec![task("a"), task("b")], ..Plan::default() };
        Self::of(plan, settings, calls)
    }

    /// One agent that can do all that any can.
    pub(super) fn options() -> StartOptions {
        let able = Abilities { is_structured: true, can_compact: true };
        StartOptions { abilities: [("claude".to_owned(), able)].into(), ..StartOptions::default() }
    }

    pub(super) fn of(plan: Plan, settings: Settings, calls: &[Call]) -> Self {
        let start = begin(Source::Plan, plan, settings, Self::options());
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
        Self {
            state,
            decisions: vec![first],
            effects: Vec::new(),
            calls: calls.to_vec(),
            called: 0,
            reviews: Vec::new(),
            reviewed: 0,
            wishes: Vec::new(),
            handoff: None,
            plan_edit: None,
            fits: true,
            night: None,
            trees: vec![("c0".into(), "t0".into())],
            now: Timestamp(0),
        }
    }

    /// Puts a person's wish where the next look finds it, and takes the run up again if it has ended.
    pub(super) fn wish(&mut self, change: TaskWish) {
        let id = format!("{}.json", self.decisions.len());
        self.wishes.push(Request { id, wish: Wish::Task { change } });
        if self.state.outcome().is_some() {
            let how = crate::input::Resumption { requests_wait: true, ..Default::default() };
            self.feed(What::Resumed(how));
        }
        self.drive();
    }

    fn tree_of(&self, commit: &CommitId) -> TreeId {
        let known = self.trees.iter().rev().find(|(known, _)| known == commit);
        known.map_or_else(|| "t0".into(), |(_, tree)| tree.clone())
    }

    pub(super) fn drive(&mut self) {
        self.drive_until(|_| false);
        let shown = plan_json::render(&self.state.plan_view());
        assert_eq!(self.state.plan_text(), shown);
    }

    pub(super) fn drive_until(&mut self, reached: impl Fn(&RunState) -> bool) {
        for _ in 0..20_000 {
            if reached(&self.state) {
                return;
            }
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

    pub(super) fn feed(&mut self, what: What) {
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

    pub(super) fn call(&self) -> Call {
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
            Effect::Look(_) => {
                let requests = std::mem::take(&mut self.wishes);
                Done::Looked(Looked { requests, ..Looked::default() })
            }
            Effect::Checkpoint(checkpoint) => Done::CheckpointTaken(CheckpointTaken {
                notes: Vec::new(),
                head: checkpoint.head.clone(),
                tree: checkpoint.start.clone().unwrap_or_else(|| self.tree_of(&checkpoint.head)),
                kept: None,
            }),
            Effect::RunAgent(call) => self.agent(call),
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
                    plan_edit: self.plan_edit.take(),
                    touched: self.touched(&capture.protect),
                    touched_left_out: 0,
                })
            }
            Effect::RunGates(gates) => Done::GatesRan(results(gates, self.call())),
            Effect::Commit(commit) => {
                let id = CommitId(format!("c{}", commit.iteration));
                self.trees.push((id.clone(), commit.tree.clone()));
                Done::Committed { commit: id }
            }
            Effect::RunScmTasks(_) => Done::ScmTasksRan(Vec::new()),
            Effect::Quarantine(keep) => {
                Done::Quarantined { reference: keep.name.clone(), files: keep.hints.clone() }
            }
            Effect::GiveUp(give_up) => Done::GaveUp {
                branch: give_up.branch.clone(),
                head: give_up.began_at.clone(),
                tree: self.tree_of(&give_up.began_at),
                pushed: None,
            },
            Effect::Reapply(_) => {
                let tree = self.fits.then(|| TreeId(format!("merged{}", self.decisions.len())));
                Done::Reapplied(Reapplied { tree, notes: Vec::new() })
            }
            Effect::CloseWorkspace(_) => Done::WorkspaceClosed { notes: Vec::new() },
        }
    }

    fn agent(&mut self, call: &AgentCall) -> Done {
        let mut report = if call.kind == Kind::Review {
            assert!(call.copy_of.is_some(), "a reviewer works in a copy");
            let last = self.reviews.len().saturating_sub(1);
            let said = self.reviews.get(self.reviewed.min(last)).cloned().unwrap_or_default();
            self.reviewed += 1;
            AgentReport { handoff: Handoff::from_json(&said), ..report(Call::Good) }
        } else {
            self.called += 1;
            let handoff = self.handoff.as_deref().and_then(Handoff::from_json);
            AgentReport { claimed: handoff.is_none(), handoff, ..report(self.call()) }
        };
        if let Some(night) = &mut self.night {
            let (work, ending, took) = night.serve(call, self.now);
            if call.kind != Kind::Review {
                self.calls.push(work);
            }
            self.now = self.now.plus(took);
            report = AgentReport { ending, took, ..report };
        }
        Done::AgentEnded(Box::new(report))
    }

    fn touched(&self, protect: &[String]) -> Vec<Touched> {
        let paths =
            if self.call() == Call::Meddles { &["src/a.rs", "tests/a.rs"][..] } else { &[] };
        let content = Content::File { is_executable: false, begins: b"" };
        let changes = paths.iter().map(|path| Change { path, content });
        exposures(changes, &Rules { protect, hooks: None }).touched
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.decisions.iter().flat_map(|decision| &decision.events)
    }
}

fn results(run: &RunGates, call: Call) -> GateResults {
    let is_good = matches!(call, Call::Good | Call::Meddles);
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
                changed: Vec::new(),
            })
            .collect(),
        checks: run
            .checks
            .iter()
            .map(|check| CheckReport {
                criterion: check.criterion,
                command: check.command.clone(),
                end: CommandEnd::Exited { code: i32::from(!is_good) },
                took: Millis(1),
                output: String::new(),
                log: String::new(),
                changed: Vec::new(),
            })
            .collect(),
        meddled: Vec::new(),
        failed_setup: None,
        traffic: Vec::new(),
    }
}

pub(super) fn report(call: Call) -> AgentReport {
    AgentReport {
        ending: match call {
            Call::Crash => Ending::Crashed { detail: String::new() },
            Call::Limited => Ending::UsageLimit { resets_at: None, detail: String::new() },
            Call::Good | Call::Red | Call::Idle | Call::Meddles => Ending::Ok,
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
        denials: 0,
        leftovers: 0,
        traffic: Vec::new(),
    }
}

pub(super) fn tested() -> Settings {
    let mut settings = Settings {
        gate: vec![Gate { name: "tests".into(), command: "tests".into(), ..Gate::default() }],
        ..Settings::default()
    };
    settings.limits.max_attempts = 2;
    settings.limits.max_retries = 1;
    settings.review.mode = ReviewMode::Off;
    settings
}
