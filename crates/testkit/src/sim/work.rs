//! What happens in the simulated worktree: agents at work, what they left, and gates on a tree.
//!
//! A reviewer works in a copy: nothing of it reaches the worktree, unless it is not given one.

use ralph_core::{
    effect::{AgentCall, CaptureTree, How, RunGates},
    ending::Ending,
    gates::{
        protect::{Exposure, Touched},
        report::{CheckReport, CommandEnd, GateReport, GateResults, TestSummary},
    },
    input::{Captured, Done},
    plan::Task,
    time::Millis,
    vocabulary::{Kind, Violation},
};

use super::{
    agent::Act,
    git::{Author, Git},
    proposals,
    reviewer::{Opinion, Said},
    rng::{Rng, mix},
    tree::{Tree, Which, check_passes, run_gate, slot},
    world::{World, workspace_failure},
};

/// What an agent did to repositories, until the next checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Mischief {
    pub(super) moved: bool,
    pub(super) nested: bool,
    /// No tree can be written safely.
    pub(super) unsafe_tree: bool,
    /// What became of the plan file, if it was touched.
    pub(super) plan_edit: Option<String>,
}

impl World<'_> {
    pub(super) fn agent(&mut self, call: &AgentCall, how: Option<How>) -> Done {
        let scenario = self.scenario;
        let mut rng = Rng::new(mix(&[scenario.seed, 2, self.calls]));
        if call.kind == Kind::Compact {
            return self.compactor(how, &mut rng);
        }
        if call.kind == Kind::Review {
            return self.reviewer(call, how, &mut rng);
        }
        if call.kind == Kind::Plan {
            return self.planner(call, how, &mut rng);
        }
        let random = scenario.mood.act(&mut rng);
        let scripted = usize::try_from(self.calls).ok().and_then(|at| scenario.script.get(at));
        let act = scripted.copied().unwrap_or(if scenario.script.is_empty() {
            random
        } else {
            Act::Honest
        });
        let task = slot(&call.task);
        let mut report = act.report(self.now, &mut rng);
        if how.is_some() && self.rng.chance(700) {
            report.ending = Ending::Interrupted;
            report.claimed = false;
            self.git.worktree = Act::HalfDone.edit(task, self.git.worktree, &mut rng);
        } else {
            self.git.worktree = act.edit(task, self.git.worktree, &mut rng);
            self.mischief(act);
            let wants = proposals::amendments(act, &self.plan, &call.task, &mut rng);
            if let (Some(wants), Some(handoff)) = (wants, &mut report.handoff) {
                handoff.rest.insert("plan_amendments".into(), wants);
            }
            if let Some(handoff) = &mut report.handoff
                && rng.chance(500)
            {
                let told = format!("area a{}z of {} is fragile", self.calls, call.task);
                handoff.rest.insert("constraints_discovered".into(), serde_json::json!([told]));
                let note = format!("part p{}q of {} stays small", self.calls, call.task);
                handoff.rest.insert("architectural_notes".into(), serde_json::json!([note]));
            }
            self.mischief.plan_edit = proposals::edit(act, &self.plan, &call.task, &mut rng);
        }
        self.now = self.now.plus(report.took);
        self.reported = Some(report.clone());
        Done::AgentEnded(Box::new(report))
    }

    fn reviewer(&mut self, call: &AgentCall, how: Option<How>, rng: &mut Rng) -> Done {
        let copied = call.copy_of.as_ref().and_then(|commit| self.git.find(commit));
        let tree = copied.map_or(self.git.worktree, |at| self.git.tree(at));
        if copied.is_none() {
            self.git.worktree = self.git.worktree.with(Tree::UGLY);
        }
        let opinion = if self.scenario.script.is_empty() {
            self.scenario.temper.opinion(rng)
        } else {
            Opinion::Honest
        };
        let task = self.plan.tasks.iter().find(|task| task.id == call.task);
        let task = task.cloned().unwrap_or_else(Task::default);
        let (mut report, mut review) = opinion.report((&task, tree), self.now, rng);
        if how.is_some() && self.rng.chance(700) {
            report.ending = Ending::Interrupted;
            review = None;
        }
        self.said = Some(Said {
            task: call.task.clone(),
            iteration: call.iteration,
            agent: call.agent.clone(),
            tree,
            is_honest: opinion == Opinion::Honest,
            review,
        });
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
        let locked = Touched {
            path: "locked/key".into(),
            exposure: Exposure::Protected { glob: "locked/**".into() },
        };
        let is_locked = !self.scenario.start.settings.gates.protect.is_empty();
        let is_touched = is_locked
            && self.git.worktree.has(Tree::LOCKED)
            && !self.git.tree(head).has(Tree::LOCKED);
        let captured = Captured {
            tree: (!self.mischief.unsafe_tree).then(|| self.git.worktree.id()),
            head: Git::name(self.git.head()),
            changed: self.git.worktree.distance(start),
            sample: Vec::new(),
            touched: is_touched.then_some(locked).into_iter().collect(),
            touched_left_out: 0,
            violations,
            notes: Vec::new(),
            plan_edit: None,
        };
        self.captured = Some(captured.clone());
        Done::TreeCaptured(Captured { plan_edit: self.mischief.plan_edit.clone(), ..captured })
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
        self.gate_runs += 1;
        let seed = self.scenario.seed;
        let salt = if self.scenario.flapping { mix(&[seed, self.gate_runs]) } else { seed };
        self.salts.insert(tree, salt);
        if !cut {
            self.ran.extend(run.checks.iter().map(|check| (tree, check.command.clone())));
        }
        let gates = run.gates.iter().filter_map(|spec| {
            let truth = run_gate(Which::named(&spec.name)?, tree, salt, run.flaky_retries);
            Some(GateReport {
                gate: spec.name.clone(),
                end: end(truth.green),
                took: Millis(5),
                tests: TestSummary {
                    ran: truth.ran,
                    failing: truth.failing,
                    ..TestSummary::default()
                },
                flaky: truth.flaky,
                output: String::new(),
                log: String::new(),
                changed: Vec::new(),
            })
        });
        let checks = run.checks.iter().filter_map(|check| {
            Some(CheckReport {
                criterion: check.criterion,
                command: check.command.clone(),
                end: end(check_passes(tree, &check.command)?),
                took: Millis(5),
                output: String::new(),
                log: String::new(),
                changed: Vec::new(),
            })
        });
        GateResults { gates: gates.collect(), checks: checks.collect(), ..GateResults::default() }
    }
}
