//! The simulated world: performs effects on git in memory, with scripted agents, true gates and a clock.
//!
//! Must never look at the run's state: it knows only what effects say, like the real one.

use ralph_core::{
    effect::{Checkpoint, CloseWorkspace, Commit, Effect, GiveUp, How},
    gates::report::CommandEnd,
    ids::TaskId,
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Failure, FailureClass, Looked, Request,
        ScmReport, Workspace,
    },
    time::{Millis, Timestamp},
};

use super::{
    git::{Author, Git},
    rng::{Rng, mix},
    scenario::Scenario,
    tree::Tree,
    work::Mischief,
};

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
    pub(super) mischief: Mischief,
    pub(super) rng: Rng,
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
            notes: Vec::new(),
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

pub(super) fn workspace_failure(what: &str) -> Done {
    Done::Failed(Failure { class: FailureClass::Workspace, what: what.into(), help: String::new() })
}
