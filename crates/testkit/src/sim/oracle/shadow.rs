//! The oracle's own, simple account of a run, kept beside the core's.

use std::collections::BTreeSet;

use ralph_core::{
    effect::How,
    ending::Ending,
    event::Source,
    evidence::Evidence,
    ids::TaskId,
    input::{AgentReport, Captured, Done, FailureClass, Input, Request, What, Wish},
    plan::Status,
    run::{Phase, RunState},
    settings::Limits,
    time::Timestamp,
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
    /// Agent calls that began, by iteration and retry.
    pub(super) calls: BTreeSet<(u32, u32)>,
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
            calls: BTreeSet::new(),
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
