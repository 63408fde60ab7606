//! The simulated world: performs effects on git in memory, with scripted agents, true gates and a clock.
//!
//! Must never look at the run's state: it knows only what effects say, like the real one.

use ralph_core::{
    effect::{
        AgentCall, CaptureTree, Checkpoint, CloseWorkspace, Commit, Effect, GiveUp, How, RunGates,
    },
    ending::Ending,
    gates::report::{CheckReport, CommandEnd, GateReport, GateResults, TestSummary},
    ids::TaskId,
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Failure, FailureClass, Looked, Request,
        ScmReport, Violation, Workspace,
    },
    time::{Millis, Timestamp},
};

use super::{
    agent::Act,
    git::{Author, Git},
    rng::{Rng, mix},
    scenario::Scenario,
    tree::{Tree, Which, check_passes, run_gate},
};

/// What an agent did to repositories, until the next checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mischief {
    moved: bool,
    nested: bool,
    /// No tree can be written safely.
    unsafe_tree: bool,
}

/// Everything outside the core.
#[derive(Debug, Clone)]
pub struct World<'a> {
    pub scenario: &'a Scenario,
    pub git: Git,
    pub now: Timestamp,
    /// Requests of people that lie there.
    pub inbox: Vec<Request>,
    /// Agent calls whose end is in the journal.
    pub calls: u64,
    /// What the last agent call gave.
    pub reported: Option<AgentReport>,
    /// What the last capture gave.
    pub captured: Option<Captured>,
    mischief: Mischief,
    rng: Rng,
}

impl<'a> World<'a> {
    pub fn new(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            git: Git::new(scenario.base),
            now: Timestamp(1_794_700_800_000),
            inbox: Vec::new(),
            calls: 0,
            reported: None,
            captured: None,
            mischief: Mischief::default(),
            rng: Rng::new(mix(&[scenario.seed, 1])),
        }
    }

    /// Whether the effect had already happened before a crash.
    pub fn reconcile(&self, effect: &Effect) -> Option<Done> {
        match effect {
            Effect::Commit(commit) => {
                let head = self.git.head();
                let object = self.git.commits.get(head)?;
                let author =
                    Author::Ralph { iteration: commit.iteration, task: commit.task.clone() };
                let made = object.author == author
                    && Some(object.tree) == Tree::read(&commit.tree)
                    && object.parent == self.git.find(&commit.parent);
                made.then(|| Done::Committed { commit: Git::name(head) })
            }
            _ => None,
        }
    }

    /// Performs an effect; `how` if it is ended while it runs.
    pub fn perform(&mut self, effect: &Effect, how: Option<How>) -> Done {
        let fails = self.rng.chance(self.scenario.odds.failure);
        if fails && self.rng.chance(700) {
            return self.failure(effect);
        }
        let done = self.act(effect, how);
        self.now = self.now.plus(Millis(1 + self.rng.below(50)));
        if fails { self.failure(effect) } else { done }
    }

    fn failure(&mut self, effect: &Effect) -> Done {
        let class = match effect {
            Effect::RunAgent(_) => FailureClass::Agent,
            _ => self
                .rng
                .pick(&[
                    FailureClass::Workspace,
                    FailureClass::Workspace,
                    FailureClass::Policy,
                    FailureClass::Bug,
                ])
                .unwrap_or(FailureClass::Workspace),
        };
        Done::Failed(Failure { class, what: "simulated".into(), help: String::new() })
    }

    fn act(&mut self, effect: &Effect, how: Option<How>) -> Done {
        match effect {
            Effect::OpenWorkspace(open) => self.open(&open.branch),
            Effect::RunBaseline(gates) => Done::BaselineRan(self.gates(gates, how)),
            Effect::Look(look) => self.look(look.prompt_file.is_some()),
            Effect::Checkpoint(checkpoint) => self.checkpoint(checkpoint),
            Effect::RunAgent(call) => self.agent(call, how),
            Effect::CaptureTree(capture) => self.capture(capture),
            Effect::RunGates(gates) => Done::GatesRan(self.gates(gates, how)),
            Effect::Commit(commit) => self.commit(commit),
            Effect::RunScmTasks(scm) => Done::ScmTasksRan(
                scm.tasks
                    .iter()
                    .map(|task| ScmReport {
                        task: task.clone(),
                        end: CommandEnd::Exited { code: 0 },
                        output: String::new(),
                    })
                    .collect(),
            ),
            Effect::Quarantine(keep) => match (Tree::read(&keep.tree), self.git.find(&keep.parent))
            {
                (Some(tree), Some(parent)) => {
                    self.git.keep(&keep.name, tree, parent);
                    Done::Quarantined { reference: keep.name.clone() }
                }
                _ => workspace_failure("no such tree or commit"),
            },
            Effect::GiveUp(give_up) => self.give_up(give_up),
            Effect::CloseWorkspace(close) => self.close(close),
        }
    }

    fn open(&mut self, branch: &str) -> Done {
        let head = *self.git.branch.get_or_insert(0);
        Done::WorkspaceOpened(Workspace {
            root: "/sim".into(),
            branch: branch.into(),
            came_from: "main".into(),
            head: Git::name(head),
            tree: self.git.tree(head).id(),
            ..Workspace::default()
        })
    }

    /// Files of requests stay for a while after they were read, so that some are read twice.
    fn look(&mut self, prompt: bool) -> Done {
        let mut requests = self.inbox.clone();
        if self.rng.chance(100) {
            requests.extend(self.inbox.first().cloned());
        }
        if self.rng.chance(700) {
            self.inbox.clear();
        }
        let text = if self.rng.chance(200) { "changed" } else { "make it work" };
        Done::Looked(Looked { requests, prompt: prompt.then(|| text.to_owned()) })
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Done {
        let Some(head) = self.git.find(&checkpoint.head) else {
            return workspace_failure("no such commit");
        };
        let target = match &checkpoint.start {
            Some(id) => Tree::read(id).unwrap_or_default(),
            None => self.git.tree(head),
        };
        let kept = self.settle(head, target, &checkpoint.keep_as);
        self.mischief = Mischief::default();
        Done::CheckpointTaken(CheckpointTaken {
            head: checkpoint.head.clone(),
            tree: target.id(),
            kept,
        })
    }

    /// Puts branch and worktree where they must be; whatever else is found is kept first.
    fn settle(&mut self, head: usize, target: Tree, keep_as: &str) -> Option<String> {
        let stood = self.git.head();
        let mut kept = None;
        if stood != head && !self.git.refs.values().any(|&at| self.git.descends(at, stood)) {
            let name = format!("{keep_as}-branch");
            self.git.keep(&name, self.git.tree(stood), stood);
            kept = Some(name);
        }
        if self.git.worktree != target && !self.git.holds(self.git.worktree) {
            self.git.keep(keep_as, self.git.worktree, stood);
            kept = Some(keep_as.to_owned());
        }
        self.git.branch = Some(head);
        self.git.worktree = target;
        kept
    }

    fn agent(&mut self, call: &AgentCall, how: Option<How>) -> Done {
        let scenario = self.scenario;
        let mut rng = Rng::new(mix(&[scenario.seed, 2, self.calls]));
        let random = scenario.mood.act(&mut rng);
        let scripted = usize::try_from(self.calls).ok().and_then(|at| scenario.script.get(at));
        let act = scripted.copied().unwrap_or(if scenario.script.is_empty() {
            random
        } else {
            Act::Honest
        });
        let task = self.task(&call.task);
        let mut report = act.report(self.now, &mut rng);
        if how.is_some() && self.rng.chance(700) {
            report.ending = Ending::Interrupted;
            report.claimed = false;
            self.git.worktree = Act::HalfDone.edit(task, self.git.worktree, &mut rng);
        } else {
            self.git.worktree = act.edit(task, self.git.worktree, &mut rng);
            self.mischief(act);
        }
        self.now = self.now.plus(report.took);
        self.reported = Some(report.clone());
        Done::AgentEnded(Box::new(report))
    }

    fn mischief(&mut self, act: Act) {
        match act {
            Act::Commits => {
                let head = self.git.head();
                let own = self.git.commit(self.git.worktree, head, Author::Agent);
                self.git.branch = Some(own);
            }
            Act::MovesRef => {
                let elsewhere = self.git.commit(self.git.worktree, 0, Author::Agent);
                self.git.branch = Some(elsewhere);
                self.mischief.moved = true;
            }
            Act::NestedRepository => self.mischief.nested = true,
            Act::UnsafeRepository => {
                self.mischief.nested = true;
                self.mischief.unsafe_tree = true;
            }
            _ => {}
        }
    }

    fn capture(&mut self, capture: &CaptureTree) -> Done {
        let (Some(head), Some(start)) = (self.git.find(&capture.head), Tree::read(&capture.start))
        else {
            return workspace_failure("no such commit or tree");
        };
        let mut violations = Vec::new();
        if self.mischief.moved || !self.git.descends(self.git.head(), head) {
            self.git.branch = Some(head);
            violations.push(Violation::MovedRef { name: "HEAD".into() });
        }
        if self.mischief.nested {
            violations.push(Violation::NestedRepository { path: "sub".into() });
        }
        let captured = Captured {
            tree: (!self.mischief.unsafe_tree).then(|| self.git.worktree.id()),
            head: Git::name(self.git.head()),
            changed: self.git.worktree.distance(start),
            sample: Vec::new(),
            violations,
            notes: Vec::new(),
        };
        self.captured = Some(captured.clone());
        Done::TreeCaptured(captured)
    }

    /// Gates and checks on a tree; a stop cuts some of them off.
    fn gates(&mut self, run: &RunGates, how: Option<How>) -> GateResults {
        let tree = Tree::read(&run.tree).unwrap_or_default();
        let cut = how.is_some() && self.rng.chance(700);
        let end = |green: bool| match (cut, green) {
            (true, _) => CommandEnd::Interrupted,
            (false, true) => CommandEnd::Exited { code: 0 },
            (false, false) => CommandEnd::Exited { code: 1 },
        };
        let seed = self.scenario.seed;
        let gates = run.gates.iter().filter_map(|spec| {
            let truth = run_gate(Which::named(&spec.name)?, tree, seed, run.flaky_retries);
            Some(GateReport {
                gate: spec.name.clone(),
                end: end(truth.green),
                took: Millis(5),
                tests: TestSummary { ran: truth.ran, failing: truth.failing },
                flaky: truth.flaky,
                output: String::new(),
                log: String::new(),
            })
        });
        let checks = run.checks.iter().filter_map(|check| {
            let mut words = check.command.split(' ').skip(1);
            let task = words.next()?.parse().ok()?;
            let part = words.next()?.parse().ok()?;
            Some(CheckReport {
                criterion: check.criterion,
                command: check.command.clone(),
                end: end(check_passes(tree, task, part)),
                took: Millis(5),
                output: String::new(),
                log: String::new(),
            })
        });
        GateResults { gates: gates.collect(), checks: checks.collect(), meddled: Vec::new() }
    }

    fn commit(&mut self, commit: &Commit) -> Done {
        let (Some(tree), Some(parent)) = (Tree::read(&commit.tree), self.git.find(&commit.parent))
        else {
            return workspace_failure("no such tree or commit");
        };
        if self.git.head() != parent {
            return workspace_failure("the run branch was moved");
        }
        let author = Author::Ralph { iteration: commit.iteration, task: commit.task.clone() };
        let made = self.git.commit(tree, parent, author);
        self.git.branch = Some(made);
        Done::Committed { commit: Git::name(made) }
    }

    fn give_up(&mut self, give_up: &GiveUp) -> Done {
        let (Some(head), Some(began)) =
            (self.git.find(&give_up.head), self.git.find(&give_up.began_at))
        else {
            return workspace_failure("no such commit");
        };
        let tree = match &give_up.tree {
            Some(id) => Tree::read(id).unwrap_or_default(),
            None => self.git.tree(head),
        };
        if self.git.head() != head && self.git.head() != began {
            return workspace_failure("the run branch was moved");
        }
        self.git.keep(&give_up.branch, tree, head);
        self.git.branch = Some(began);
        Done::GaveUp {
            branch: give_up.branch.clone(),
            head: give_up.began_at.clone(),
            tree: self.git.tree(began).id(),
        }
    }

    fn close(&mut self, close: &CloseWorkspace) -> Done {
        let Some(head) = self.git.find(&close.head) else {
            // A run that never got its workspace has nothing to close.
            return Done::WorkspaceClosed { notes: Vec::new() };
        };
        self.settle(head, self.git.tree(head), &close.keep_as);
        Done::WorkspaceClosed { notes: Vec::new() }
    }

    /// Position of a task; a prompt is the first.
    pub fn task(&self, id: &TaskId) -> usize {
        self.scenario.start.plan.position(id).unwrap_or(0)
    }
}

fn workspace_failure(what: &str) -> Done {
    Done::Failed(Failure { class: FailureClass::Workspace, what: what.into(), help: String::new() })
}
