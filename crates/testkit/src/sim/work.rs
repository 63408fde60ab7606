//! What happens in the simulated worktree: agents at work, what they left, and gates on a tree.

use ralph_core::{
    effect::{AgentCall, CaptureTree, How, RunGates},
    ending::Ending,
    gates::report::{CheckReport, CommandEnd, GateReport, GateResults, TestSummary},
    input::{Captured, Done, Violation},
    time::Millis,
};

use super::{
    agent::Act,
    git::{Author, Git},
    rng::{Rng, mix},
    tree::{Tree, Which, check_passes, run_gate},
    world::{World, workspace_failure},
};

/// What an agent did to repositories, until the next checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mischief {
    pub(super) moved: bool,
    pub(super) nested: bool,
    /// No tree can be written safely.
    pub(super) unsafe_tree: bool,
}

impl World<'_> {
    pub(super) fn agent(&mut self, call: &AgentCall, how: Option<How>) -> Done {
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

    pub(super) fn capture(&mut self, capture: &CaptureTree) -> Done {
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
    pub(super) fn gates(&mut self, run: &RunGates, how: Option<How>) -> GateResults {
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
}
