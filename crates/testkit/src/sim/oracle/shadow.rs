//! The oracle's own, simple account of a run, kept beside the core's.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::{
    effect::How,
    ending::Ending,
    event::Source,
    evidence::{Evidence, Label},
    ids::TaskId,
    input::{AgentReport, By, Captured, Done, FailureClass, Input, Request, What, Wish},
    outcome::Outcome,
    plan::{
        Criterion, Plan, Status, Task,
        amend::{Amendment, Proposal},
        person::TaskWish,
    },
    run::{Phase, RunState},
    settings::Limits,
    time::{Millis, Timestamp},
    vocabulary::{Kind, Stage},
};

use super::{
    Broken, Invariant,
    agents::{Agents, Due},
    blame::Records,
    drafts::Drafts,
    reviews::Heard,
    steering::Said,
    truth::{Tolerated, is_prompt, is_reviewed},
};
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
    /// How many attempts it had when one was last rejected; somebody may give it more later.
    pub(super) had: Option<u32>,
    /// Attempts that were judged, ever.
    pub(super) attempts: u32,
    pub(super) began_at: Option<usize>,
    pub(super) cost: u64,
    pub(super) tokens: u64,
    pub(super) time: u64,
    pub(super) overflowed: bool,
    pub(super) evidence: Vec<Evidence>,
    pub(super) labels: Vec<Label>,
    /// Commits of accepted work, until the task starts over.
    pub(super) commits: Vec<usize>,
    /// The tree that gates accepted last; what an earlier run left under review was never judged here.
    pub(super) accepted: Option<Tree>,
    pub(super) was_in_review: bool,
    /// Commands of its criteria that passed on that tree.
    pub(super) checked: Vec<String>,
    pub(super) reviews: u32,
    pub(super) change_requests: u32,
    pub(super) unusable: u32,
    /// The review of what is committed now.
    pub(super) heard: Option<Heard>,
    /// Fingerprints of change requests, and of rejected attempts since one was accepted.
    pub(super) requests: Vec<String>,
    pub(super) failures: Vec<String>,
    /// Of the last one's gates.
    pub(super) shared: String,
    /// Rejected attempts in a row that changed nothing.
    pub(super) idle: u32,
    pub(super) shifts: u32,
    pub(super) rungs: u32,
    /// A person approved it.
    pub(super) is_approved: bool,
    /// Branch that keeps its work.
    pub(super) branch: Option<String>,
    /// Branch whose work must be brought back before anything else.
    pub(super) reapply: Option<String>,
    /// What was brought back, until somebody has worked on it.
    pub(super) brought_back: Option<Tree>,
    /// How often its work was put on a branch.
    pub(super) kept: usize,
}

impl Account {
    /// What an earlier run left of a task.
    fn at_start(scenario: &Scenario, task: &Task) -> Self {
        let status = match task.status {
            // What this run did not judge, or does not review, begins anew.
            Status::InProgress | Status::NeedsReview => Status::Pending,
            Status::ChangesRequested if !is_reviewed(scenario, task) => Status::Pending,
            other => other,
        };
        let is_open = !matches!(status, Status::Done | Status::Skipped);
        Self {
            status,
            was_in_review: status == Status::ChangesRequested,
            reviews: task.review_count.filter(|_| is_open).unwrap_or(0),
            branch: task.branch.clone().filter(|_| is_open),
            ..Self::default()
        }
    }

    /// Whether every check that the task has now ran on what was accepted.
    pub(super) fn is_checked(&self, task: &Task, tree: Tree) -> bool {
        let mut checks = task.acceptance_criteria.iter().filter_map(Criterion::check);
        checks.all(|check| {
            self.accepted == Some(tree) && self.checked.iter().any(|known| known == check)
        })
    }

    /// A person spoke: what was counted until now no longer counts.
    pub(super) fn fresh(&mut self) {
        (self.cost, self.tokens, self.time) = (0, 0, 0);
        self.rejected = 0;
        self.had = None;
        self.change_requests = 0;
        self.unusable = 0;
        self.requests.clear();
        self.failures.clear();
        self.idle = 0;
        self.shifts = 0;
        self.rungs = 0;
    }

    /// The task starts over.
    pub(super) fn start_over(&mut self) {
        self.fresh();
        self.overflowed = false;
        self.commits.clear();
        self.accepted = None;
        self.was_in_review = false;
        self.heard = None;
        self.is_approved = false;
        self.branch = None;
        self.reapply = None;
        self.brought_back = None;
    }
}

/// The iteration under way.
#[derive(Debug, Clone)]
pub(super) struct Underway {
    pub(super) number: u32,
    pub(super) kind: Kind,
    pub(super) task: usize,
    /// How far it has come.
    pub(super) stage: Stage,
    /// Who works, as limits name it.
    pub(super) agent: String,
    /// What the run branch held when it began.
    pub(super) base: Tree,
    pub(super) report: Option<AgentReport>,
    pub(super) captured: Option<Captured>,
    pub(super) verdict: Option<bool>,
    pub(super) is_accepted: bool,
    /// A question stands where work should be.
    pub(super) asked: bool,
    /// What its ending must lead to.
    pub(super) due: Due,
    /// Nothing more is tried on this task.
    pub(super) is_hopeless: bool,
    pub(super) proposed: Vec<Proposal>,
}

/// How the run was told to stop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stop {
    pub(super) asked: bool,
    pub(super) now: bool,
    pub(super) signal: Option<i32>,
    pub(super) kill: bool,
    /// What people asked for, signals aside, and whether it was at once.
    pub(super) by_people: Option<bool>,
}

/// Judges a run as it goes.
#[derive(Debug)]
pub struct Oracle<'a> {
    pub(super) scenario: &'a Scenario,
    pub broken: Vec<Broken>,
    /// The plan as it must be by now; where each task stands is in its account.
    pub(super) plan: Plan,
    pub(super) tasks: Vec<Account>,
    /// Where each task stood before the decision that is looked at.
    pub(super) before: Vec<Status>,
    /// Where the run is, whatever an agent or a crash did to its branch meanwhile.
    pub(super) head: Option<usize>,
    /// The task under way: nobody else's work comes between where it began and where it ends.
    pub(super) current: Option<usize>,
    /// The one before the decision that is looked at.
    pub(super) underway_before: Option<usize>,
    /// Proposals that wait for a person.
    pub(super) proposals: BTreeMap<u32, Amendment>,
    pub(super) numbered: u32,
    /// How the last failed task failed, until work is accepted.
    pub(super) last_failure: Option<String>,
    /// The last rejection was the first of its task, and just like that.
    pub(super) is_systemic: bool,
    pub(super) underway: Option<Underway>,
    pub(super) tolerated: Tolerated,
    pub(super) started_at: Timestamp,
    pub(super) last_at: Timestamp,
    /// How long nobody worked on it.
    pub(super) idle: Millis,
    pub(super) max_iterations: u32,
    pub(super) is_limit_given: bool,
    /// Most turns of a call, as the settings or the command line last said.
    pub(super) turns: u32,
    /// What it says now; it holds once the run goes on.
    pub(super) said_turns: Option<u32>,
    /// Who takes the run up, as the core was told.
    pub(super) said_by: By,
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
    pub(super) steering: Said,
    pub(super) drafts: Drafts,
    /// Requests that came.
    pub(super) known: BTreeSet<String>,
    /// Requests that the core says it took.
    pub(super) taken: BTreeSet<String>,
    /// Constraints that the iteration under way told.
    pub(super) found: Vec<String>,
    /// Constraints that memory must know.
    pub(super) constraints: Vec<String>,
    /// Agent calls that began, by iteration and retry.
    pub(super) calls: BTreeSet<(u32, u32)>,
    /// Commits the journal knows, with their iterations.
    pub(super) commits: Vec<(u32, usize)>,
    pub(super) last_ending: Option<Ending>,
    pub(super) agents: Agents,
    pub(super) records: Records,
    /// How it ended, until it is taken up again.
    pub(super) outcome: Option<Outcome>,
    /// ralph could not do its own job since the run was taken up.
    pub(super) failure: Option<FailureClass>,
}

impl<'a> Oracle<'a> {
    pub fn new(scenario: &'a Scenario, now: Timestamp) -> Self {
        let at_start = |task: &Task| Account::at_start(scenario, task);
        let tasks: Vec<Account> = scenario.start.plan.tasks.iter().map(at_start).collect();
        Self {
            before: tasks.iter().map(|task| task.status).collect(),
            tasks,
            plan: Plan::clone(&scenario.start.plan),
            head: None,
            current: None,
            underway_before: None,
            proposals: BTreeMap::new(),
            numbered: 0,
            last_failure: None,
            is_systemic: false,
            tolerated: Tolerated::default(),
            max_iterations: scenario.start.max_iterations,
            is_limit_given: scenario.start.is_limit_given,
            turns: scenario.start.settings.agent.max_turns,
            said_turns: None,
            said_by: By::Person,
            scenario,
            broken: Vec::new(),
            underway: None,
            started_at: now,
            last_at: now,
            idle: Millis::default(),
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
            steering: Said::default(),
            drafts: Drafts::default(),
            known: BTreeSet::new(),
            taken: BTreeSet::new(),
            found: Vec::new(),
            constraints: Vec::new(),
            calls: BTreeSet::new(),
            commits: Vec::new(),
            last_ending: None,
            agents: Agents::default(),
            records: Records::default(),
            outcome: None,
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
            What::Asked(request) => self.asked(request, state),
            What::Done(_, Done::Looked(looked)) => {
                for request in &looked.requests {
                    self.asked(request, state);
                    let decides = match &request.wish {
                        Wish::Task { change } => self.takes(change),
                        Wish::Pause { .. } | Wish::Resume => true,
                        Wish::Stop | Wish::StopNow | Wish::Steer { .. } => false,
                    };
                    if decides && !self.taken.contains(&request.id) {
                        // What follows is looked at again once this is done.
                        break;
                    }
                }
            }
            What::Resumed(how) => {
                self.said_by = how.by;
                self.said_turns = how.reloaded.as_ref().map(|it| it.settings.agent.max_turns);
            }
            What::Done(_, Done::Failed(failure)) => self.failure = Some(failure.class),
            _ => {}
        }
    }

    /// Only the first time counts, whether or not the core remembers it.
    fn asked(&mut self, request: &Request, state: &RunState) {
        if is_left(request, state) {
            return;
        }
        let is_over = matches!(state.phase, Phase::Finished { .. });
        let is_new = self.known.insert(request.id.clone());
        if is_new {
            self.heard_of_pause(request);
        }
        if is_new && !is_over && matches!(request.wish, Wish::Stop | Wish::StopNow) {
            self.stop.asked = true;
            self.stop.now |= request.wish == Wish::StopNow;
            let at_once = request.wish == Wish::StopNow;
            self.stop.by_people = self.stop.by_people.max(Some(at_once));
        }
    }

    /// Whether a wish is about what this run does.
    fn takes(&self, wish: &TaskWish) -> bool {
        let is_about_work = matches!(wish, TaskWish::Approve { .. } | TaskWish::Answer { .. });
        let is_selected = match (&self.scenario.start.source, wish.task()) {
            (Source::Tasks { ids }, Some(id)) => ids.contains(id),
            _ => true,
        };
        if is_prompt(self.scenario) {
            let is_of_plan = matches!(wish, TaskWish::Add { .. } | TaskWish::Edit { .. });
            return !is_of_plan && wish.task().is_some_and(|id| id.as_str() == "prompt");
        }
        !self.plans() && (is_selected || !is_about_work)
    }

    pub(super) fn position(&self, id: &TaskId) -> usize {
        self.plan.position(id).unwrap_or(0)
    }

    pub(super) fn add_task(&mut self, task: Task) {
        self.plan.tasks.push(task);
        self.tasks.push(Account::default());
        self.before.push(Status::Pending);
    }

    /// The tasks this run is about.
    pub(super) fn is_selected(&self, task: usize) -> bool {
        match &self.scenario.start.source {
            Source::Tasks { ids } => ids.iter().any(|id| self.position(id) == task),
            Source::Plan | Source::Prompt { .. } | Source::Planning { .. } => true,
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
            (false, _) if self.steering.ends_call => Some(How::Ask),
            (false, _) => None,
        }
    }

    /// The commit of a name; commits that do not exist are the user's first.
    pub(super) fn commit(world: &World<'_>, id: &ralph_core::ids::CommitId) -> usize {
        Git::find(&world.git, id).unwrap_or(0)
    }
}

/// Whether a run at its end leaves this in the inbox: it counts once a process hears of it that goes on.
fn is_left(request: &Request, state: &RunState) -> bool {
    let is_about_pauses = matches!(request.wish, Wish::Pause { .. } | Wish::Resume);
    is_about_pauses && matches!(state.phase, Phase::Closing { .. } | Phase::Finished { .. })
}
