//! The oracle's own, simple account of a run, kept beside the core's.

use std::collections::BTreeSet;

use ralph_core::{
    effect::How,
    ending::Ending,
    event::{Decision, Event, IterationStart, Source},
    evidence::Evidence,
    ids::TaskId,
    input::{AgentReport, Captured, Done, FailureClass, Input, Request, What, Wish},
    plan::{Status, check_move},
    run::{Phase, RunState},
    settings::Limits,
    time::{Millis, Timestamp},
};

use super::{Broken, Invariant, truth::Tolerated};
use crate::sim::{
    git::{Author, Git},
    scenario::Scenario,
    tree::Tree,
    world::World,
};

/// What is known about one task.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    pub(super) status: Status,
    pub(super) rejected: u32,
    pub(super) began_at: Option<usize>,
    pub(super) cost: u64,
    pub(super) tokens: u64,
    pub(super) time: u64,
    pub(super) overflowed: bool,
    pub(super) evidence: Vec<Evidence>,
}

/// The iteration under way.
#[derive(Debug, Clone)]
pub(super) struct Underway {
    pub(super) number: u32,
    pub(super) task: usize,
    pub(super) report: Option<AgentReport>,
    pub(super) captured: Option<Captured>,
    pub(super) verdict: Option<bool>,
    pub(super) is_accepted: bool,
}

/// How the run was told to stop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stop {
    pub(super) asked: bool,
    pub(super) now: bool,
    pub(super) signal: Option<i32>,
    pub(super) kill: bool,
}

/// Judges a run as it goes.
#[derive(Debug)]
pub struct Oracle<'a> {
    pub(super) scenario: &'a Scenario,
    pub broken: Vec<Broken>,
    pub(super) tasks: Vec<Account>,
    pub(super) underway: Option<Underway>,
    pub(super) tolerated: Tolerated,
    pub(super) started_at: Timestamp,
    pub(super) max_iterations: u32,
    pub(super) iterations: u32,
    /// The iteration that must run again.
    pub(super) again: Option<u32>,
    pub(super) closed_at: Option<Timestamp>,
    pub(super) wait_until: Option<Timestamp>,
    pub(super) cost: u64,
    pub(super) tokens: u64,
    pub(super) failures_in_a_row: u32,
    pub(super) uncharged: u32,
    pub(super) failed_in_a_row: u32,
    pub(super) stop: Stop,
    /// Requests that came.
    known: BTreeSet<String>,
    /// Requests that the core says it took.
    pub(super) taken: BTreeSet<String>,
    /// Commits the journal knows, with their iterations.
    pub(super) commits: Vec<(u32, usize)>,
    pub(super) last_ending: Option<Ending>,
    /// ralph could not do its own job since the run was taken up.
    pub(super) failure: Option<FailureClass>,
}

impl<'a> Oracle<'a> {
    pub fn new(scenario: &'a Scenario, now: Timestamp) -> Self {
        let at_start = |status| match status {
            Status::InProgress => Status::Pending,
            other => other,
        };
        let tasks = scenario
            .start
            .plan
            .tasks
            .iter()
            .map(|task| Account { status: at_start(task.status), ..Account::default() });
        Self {
            tasks: tasks.collect(),
            tolerated: Tolerated::at_start(scenario),
            max_iterations: scenario.start.max_iterations,
            scenario,
            broken: Vec::new(),
            underway: None,
            started_at: now,
            iterations: 0,
            again: None,
            closed_at: None,
            wait_until: None,
            cost: 0,
            tokens: 0,
            failures_in_a_row: 0,
            uncharged: 0,
            failed_in_a_row: 0,
            stop: Stop::default(),
            known: BTreeSet::new(),
            taken: BTreeSet::new(),
            commits: Vec::new(),
            last_ending: None,
            failure: None,
        }
    }

    pub fn broke(&mut self, invariant: Invariant, detail: impl FnOnce() -> String) {
        if self.broken.len() < 20 {
            self.broken.push(Broken::new(invariant, detail()));
        }
    }

    pub(super) fn must(
        &mut self,
        holds: bool,
        invariant: Invariant,
        detail: impl FnOnce() -> String,
    ) {
        if !holds {
            self.broke(invariant, detail);
        }
    }

    pub(super) fn limits(&self) -> &'a Limits {
        &self.scenario.start.settings.limits
    }

    /// What the core was told, whatever it made of it.
    pub fn heard(&mut self, input: &Input, state: &RunState) {
        let is_over = matches!(state.phase, Phase::Finished { .. });
        match &input.what {
            What::Signal { signal, count } if !is_over => {
                self.stop.asked = true;
                self.stop.now = true;
                self.stop.signal.get_or_insert(*signal);
                self.stop.kill |= *count > 1;
            }
            What::Asked(request) => self.asked(request, is_over),
            What::Done(_, Done::Looked(looked)) => {
                for request in &looked.requests {
                    self.asked(request, is_over);
                }
            }
            What::Done(_, Done::Failed(failure)) => self.failure = Some(failure.class),
            _ => {}
        }
    }

    /// Only the first time counts, whether or not the core remembers it.
    fn asked(&mut self, request: &Request, is_over: bool) {
        if self.known.insert(request.id.clone()) && !is_over {
            self.stop.asked = true;
            self.stop.now |= request.wish == Wish::StopNow;
        }
    }

    /// What the journal holds now.
    pub fn decided(&mut self, decision: &Decision, world: &World<'_>) {
        for event in &decision.events {
            self.event(event, decision, world);
        }
    }

    fn event(&mut self, event: &Event, decision: &Decision, world: &World<'_>) {
        let at = decision.at;
        match event {
            Event::RunResumed { max_iterations, .. } => self.resumed(*max_iterations),
            Event::IterationStarted(start) => {
                let gives_up = decision.events.iter().any(gives_up);
                self.check_start(start, at, gives_up);
                self.started(start, world);
            }
            Event::AgentEnded(report) => self.agent_ended(report, world),
            Event::TreeCaptured(captured) => self.captured(captured, world),
            Event::VerdictReached(verdict) => self.verdict(verdict),
            Event::Committed { iteration, commit, tree, task } => {
                self.committed((task, *iteration), commit, tree, world)
            }
            Event::AttemptAccepted { task, .. } => self.accepted(task, world),
            Event::EvidenceRecorded { task, evidence, .. } => {
                let task = self.position(task);
                self.tasks[task].evidence.clone_from(evidence);
            }
            Event::TaskMoved { task, from, to, .. } => self.moved(task, *from, *to, world),
            Event::AttemptRejected(rejection) => self.rejected(rejection, world),
            Event::CallSetAside(aside) => self.set_aside(aside, world),
            Event::IterationClosed => {
                self.closed_at = Some(at);
                self.again = None;
                self.underway = None;
            }
            Event::WaitBegan { until, .. } => self.wait_began(*until, at),
            Event::WaitEnded => {
                let until = self.wait_until.take();
                let held = until.is_none_or(|until| at >= until) || self.stop.asked;
                self.must(held, Invariant::WaitsHold, || format!("{at} before {until:?}"));
            }
            Event::WorkKept { branch, .. } => {
                let kept = world.git.refs.contains_key(branch);
                self.must(kept, Invariant::RejectedIsKept, || format!("no {branch}"));
            }
            Event::RequestTaken { request } => {
                let is_new = self.taken.insert(request.id.clone());
                self.must(is_new, Invariant::StopIsObeyed, || {
                    format!("request {} taken twice", request.id)
                });
            }
            Event::RunEnding { outcome } => self.ending(outcome, at),
            Event::RunFinished { outcome, .. } => self.finished(outcome, at),
            _ => {}
        }
    }

    fn resumed(&mut self, max_iterations: Option<u32>) {
        if let Some(limit) = max_iterations {
            self.max_iterations = limit;
        }
        self.stop = Stop::default();
        self.failures_in_a_row = 0;
        self.uncharged = 0;
        self.failed_in_a_row = 0;
        self.failure = None;
    }

    fn started(&mut self, start: &IterationStart, world: &World<'_>) {
        let task = self.position(&start.task);
        self.iterations = start.iteration;
        self.again = None;
        self.tasks[task].began_at.get_or_insert(world.git.head());
        self.underway = Some(Underway {
            number: start.iteration,
            task,
            report: None,
            captured: None,
            verdict: None,
            is_accepted: false,
        });
    }

    fn agent_ended(&mut self, report: &AgentReport, world: &World<'_>) {
        let truth = world.reported.as_ref();
        self.must(
            truth.is_some_and(|truth| truth.usage == report.usage && truth.took == report.took),
            Invariant::SpendingIsCounted,
            || format!("{:?}", report.usage),
        );
        self.must(
            truth.is_some_and(|truth| truth.ending == report.ending),
            Invariant::VerdictsAreTrue,
            || "another ending was recorded".into(),
        );
        let Some(truth) = truth else {
            return;
        };
        self.cost += truth.usage.cost.0;
        self.tokens += truth.usage.tokens();
        self.last_ending = Some(truth.ending.clone());
        if let Some(underway) = &mut self.underway {
            underway.report = Some(truth.clone());
            let account = &mut self.tasks[underway.task];
            account.cost += truth.usage.cost.0;
            account.tokens += truth.usage.tokens();
            account.time += truth.took.0;
        }
    }

    fn captured(&mut self, captured: &Captured, world: &World<'_>) {
        let is_true = world.captured.as_ref() == Some(captured);
        self.must(is_true, Invariant::VerdictsAreTrue, || "another tree was recorded".into());
        if let Some(underway) = &mut self.underway {
            underway.captured = world.captured.clone();
        }
    }

    fn moved(&mut self, id: &TaskId, from: Status, to: Status, world: &World<'_>) {
        let task = self.position(id);
        let status = self.tasks[task].status;
        self.must(status == from && check_move(from, to).is_ok(), Invariant::NoTaskIsLost, || {
            format!("{id} is {status:?}, moved from {from:?} to {to:?}")
        });
        self.tasks[task].status = to;
        match to {
            Status::Done => self.check_done(task, world),
            Status::Failed => {
                self.check_failed(task, world);
                self.failed_in_a_row += 1;
            }
            _ => {}
        }
    }

    fn wait_began(&mut self, until: Timestamp, at: Timestamp) {
        self.must(!self.stop.asked, Invariant::StopIsObeyed, || "waits though told to stop".into());
        let max_wait = self.limits().max_wait.0.plus(Millis::secs(15));
        match self.again.and(self.last_ending.clone()) {
            Some(Ending::UsageLimit { resets_at, .. }) => {
                let reset = resets_at.unwrap_or(at).max(at);
                self.must(until >= reset, Invariant::WaitsHold, || {
                    format!("until {until}, reset at {reset}")
                });
                self.must(until.since(at) <= max_wait, Invariant::WaitsHold, || {
                    format!("{} is longer than allowed", until.since(at))
                });
                self.must(until > at, Invariant::WaitsHold, || "no pause".into());
            }
            Some(_) => self.must(
                (1_000..=10_000).contains(&until.since(at).0),
                Invariant::WaitsHold,
                || format!("a short pause of {}", until.since(at)),
            ),
            None => {}
        }
        self.wait_until = Some(until);
    }

    pub(super) fn position(&self, id: &TaskId) -> usize {
        self.scenario.start.plan.position(id).unwrap_or(0)
    }

    /// The tasks this run is about.
    pub(super) fn is_selected(&self, task: usize) -> bool {
        match &self.scenario.start.source {
            Source::Tasks { ids } => ids.iter().any(|id| self.position(id) == task),
            Source::Plan | Source::Prompt { .. } => true,
        }
    }

    /// What must not depend on crashes: statuses, and the accepted trees in order.
    pub fn result(&self, world: &World<'_>) -> String {
        let statuses: Vec<Status> = self.tasks.iter().map(|task| task.status).collect();
        let commits: Vec<(u32, Tree)> = world
            .git
            .history()
            .filter_map(|at| match &world.git.commits.get(at)?.author {
                Author::Ralph { iteration, .. } => Some((*iteration, world.git.tree(at))),
                _ => None,
            })
            .collect();
        format!("{statuses:?} {commits:?} at {:?}", world.git.tree(world.git.head()))
    }

    /// How an effect in flight must be ended.
    pub(super) fn how(&self) -> Option<How> {
        match (self.stop.now, self.stop.kill) {
            (true, true) => Some(How::Kill),
            (true, false) => Some(How::Ask),
            (false, _) => None,
        }
    }

    /// The commit of a name; commits that do not exist are the user's first.
    pub(super) fn commit(world: &World<'_>, id: &ralph_core::ids::CommitId) -> usize {
        Git::find(&world.git, id).unwrap_or(0)
    }
}

fn gives_up(event: &Event) -> bool {
    use ralph_core::run::Stage;
    matches!(event, Event::Proceeded { to: Stage::GiveUp })
}
