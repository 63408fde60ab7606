//! The simulated world: performs effects on git in memory, with scripted agents, true gates and a clock.
//!
//! Must never look at the run's state: it knows only what effects say, like the real one.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::{
    effect::{Checkpoint, CloseWorkspace, Commit, Effect, GiveUp, How, OpenWorkspace, Reapply},
    gates::report::CommandEnd,
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Failure, FailureClass, Looked, Reapplied,
        Request, ScmReport, Workspace,
    },
    plan::Plan,
    time::{Millis, Timestamp},
};

use super::{
    git::{Author, Git},
    planner::{self, Drafted},
    reviewer::Said,
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
    /// What the last reviewer really said.
    pub said: Option<Said>,
    /// What the last planner really gave.
    pub drafted: Option<Drafted>,
    /// Where people left their branch and their files, if nobody else may touch them.
    pub users: (usize, Tree),
    /// The workspace was opened to be looked at.
    only_looks: bool,
    /// What the last parked work really looks like on the run branch.
    pub reapplied: Option<Reapplied>,
    /// The plan file as ralph last wrote it.
    pub plan: Plan,
    /// Commands of criteria that ran to their end, with the tree.
    pub ran: BTreeSet<(Tree, String)>,
    /// What decided how the gates last went on a tree.
    pub salts: BTreeMap<Tree, u64>,
    pub(super) gate_runs: u64,
    pub(super) mischief: Mischief,
    pub(super) rng: Rng,
}

impl<'a> World<'a> {
    pub fn new(scenario: &'a Scenario) -> Self {
        let mut git = Git::new(scenario.base);
        for (branch, tree) in &scenario.branches {
            git.keep(branch, *tree, 0, "an earlier run");
        }
        if planner::request(scenario).is_some() {
            // Work of the user's that is not committed.
            git.worktree = git.worktree.with(Tree::LOCKED);
        }
        Self {
            scenario,
            users: (0, git.worktree),
            only_looks: false,
            drafted: None,
            git,
            now: Timestamp(1_794_700_800_000),
            inbox: Vec::new(),
            calls: 0,
            reported: None,
            captured: None,
            said: None,
            reapplied: None,
            plan: Plan::clone(&scenario.start.plan),
            ran: BTreeSet::new(),
            salts: BTreeMap::new(),
            gate_runs: 0,
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
            Effect::OpenWorkspace(open) => self.open(open),
            Effect::RunBaseline(gates) => Done::BaselineRan(self.gates(gates, how)),
            Effect::Look(look) => self.look(look.prompt_file.is_some()),
            Effect::Checkpoint(checkpoint) => self.checkpoint(checkpoint),
            Effect::RunAgent(call) => self.agent(call, how),
            Effect::CaptureTree(capture) => self.capture(capture),
            Effect::RunGates(gates) => Done::GatesRan(self.gates(gates, how)),
            Effect::Commit(commit) => self.commit(commit),
            Effect::RunScmTasks(scm) => {
                Done::ScmTasksRan(scm.tasks.iter().map(|task| done(task)).collect())
            }
            Effect::Quarantine(keep) => match (Tree::read(&keep.tree), self.git.find(&keep.parent))
            {
                (Some(tree), Some(parent)) => Done::Quarantined {
                    reference: self.git.keep(&keep.name, tree, parent, &keep.message),
                    files: Vec::new(),
                },
                _ => workspace_failure("no such tree or commit"),
            },
            Effect::GiveUp(give_up) => self.give_up(give_up),
            Effect::Reapply(reapply) => self.reapply(reapply),
            Effect::CloseWorkspace(close) => self.close(close),
        }
    }

    /// What an agent did to the branch before a crash is no reason to go on from there.
    fn open(&mut self, open: &OpenWorkspace) -> Done {
        self.only_looks = open.only_looks;
        if open.only_looks {
            if open.resume_at.is_some() && self.rng.chance(300) {
                self.user_commits();
            }
            return self.opened(open, self.git.head());
        }
        let stands = *self.git.branch.get_or_insert(0);
        let expected = open.resume_at.as_ref().and_then(|commit| self.git.find(commit));
        self.opened(open, expected.unwrap_or(stands))
    }

    fn opened(&self, open: &OpenWorkspace, head: usize) -> Done {
        Done::WorkspaceOpened(Workspace {
            root: "/sim".into(),
            branch: open.branch.clone(),
            came_from: "main".into(),
            head: Git::name(head),
            tree: self.git.tree(head).id(),
            ..Workspace::default()
        })
    }

    /// Some requests are read twice.
    fn look(&mut self, prompt: bool) -> Done {
        let mut requests = self.inbox.clone();
        if self.rng.chance(100) {
            requests.extend(self.inbox.first().cloned());
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
            kept = Some(self.git.keep(&name, self.git.tree(stood), stood, "found"));
        }
        if self.git.worktree != target && !self.git.holds(self.git.worktree) {
            kept = Some(self.git.keep(keep_as, self.git.worktree, stood, "found"));
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
        let stood = self.git.head();
        if stood != head && stood != began {
            self.git.keep("found/given-up", self.git.tree(stood), stood, "found");
        }
        let branch = self.git.keep(&give_up.branch, tree, head, &give_up.message);
        self.git.branch = Some(began);
        let pushed = give_up.push.map(|_| done("push"));
        let tree = self.git.tree(began).id();
        Done::GaveUp { branch, head: give_up.began_at.clone(), tree, pushed }
    }

    fn close(&mut self, close: &CloseWorkspace) -> Done {
        if self.only_looks {
            return Done::WorkspaceClosed { notes: Vec::new() };
        }
        let Some(head) = self.git.find(&close.head) else {
            // A run that never got its workspace has nothing to close.
            return Done::WorkspaceClosed { notes: Vec::new() };
        };
        self.settle(head, self.git.tree(head), &close.keep_as);
        Done::WorkspaceClosed { notes: Vec::new() }
    }

    /// Some work does not fit any more, the same each time it is asked about.
    fn reapply(&mut self, reapply: &Reapply) -> Done {
        let Some(onto) = self.git.find(&reapply.onto) else {
            return workspace_failure("no such commit");
        };
        let fits = !mix(&[self.scenario.seed, 4, onto as u64]).is_multiple_of(8);
        let tree = self.git.merged(&reapply.branch, onto).filter(|_| fits).map(Tree::id);
        let notes = if tree.is_none() { vec!["it does not fit".to_owned()] } else { Vec::new() };
        let result = Reapplied { tree, notes };
        self.reapplied = Some(result.clone());
        Done::Reapplied(result)
    }
}

pub(super) fn workspace_failure(what: &str) -> Done {
    Done::Failed(Failure { class: FailureClass::Workspace, what: what.into(), help: String::new() })
}

/// An scm task that went well.
fn done(task: &str) -> ScmReport {
    ScmReport { task: task.into(), end: CommandEnd::Exited { code: 0 }, output: String::new() }
}
