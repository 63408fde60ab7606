//! What is true about a tree: gates against the baseline, checks, and so the only right verdict.

use std::collections::BTreeSet;

use ralph_core::{
    event::Source,
    gates::report::Severity,
    input::{AgentReport, Captured},
    plan::Criterion,
};

use crate::sim::{
    scenario::Scenario,
    tree::{Tree, Which, check_passes, run_gate},
};

/// What the tests may still fail with; `None`: they must be green.
#[derive(Debug, Clone, Default)]
pub(super) struct Tolerated(Option<BTreeSet<String>>);

impl Tolerated {
    /// What failed before any work.
    pub(super) fn at_start(scenario: &Scenario) -> Self {
        let truth = run_gate(Which::Tests, scenario.base, scenario.seed, 0);
        Self((!truth.green).then(|| truth.failing.unwrap_or_default().into_iter().collect()))
    }

    /// Takes over what got better.
    pub(super) fn tighten(&mut self, scenario: &Scenario, tree: Tree) {
        let retries = scenario.start.settings.gates.flaky_retries;
        let truth = run_gate(Which::Tests, tree, scenario.seed, retries);
        if truth.green {
            self.0 = None;
        } else if let Some(known) = &mut self.0 {
            *known = truth.failing.unwrap_or_default().into_iter().collect();
        }
    }
}

/// Whether the run has a gate whose failure rejects.
pub(super) fn has_hard_gate(scenario: &Scenario) -> bool {
    let hard = |gate: &&ralph_core::settings::Gate| gate.severity == Severity::Hard;
    scenario.start.settings.gate.iter().find(hard).is_some()
}

pub(super) fn is_prompt(scenario: &Scenario) -> bool {
    matches!(scenario.start.source, Source::Prompt { .. })
}

/// The only right verdict on what an agent left.
pub(super) fn accepts(
    scenario: &Scenario,
    tolerated: &Tolerated,
    task: usize,
    report: &AgentReport,
    captured: &Captured,
) -> bool {
    let Some(tree) = captured.tree.as_ref().and_then(Tree::read) else {
        return false;
    };
    let criteria = criteria(scenario, task);
    let checks: Vec<bool> = criteria
        .iter()
        .enumerate()
        .filter(|(_, criterion)| criterion.check().is_some())
        .map(|(at, _)| check_passes(tree, task, at))
        .collect();
    let proved = !checks.is_empty() && checks.iter().all(|passed| *passed);
    let all_checked = !criteria.is_empty() && checks.len() == criteria.len();
    let says_no = report
        .handoff
        .as_ref()
        .is_some_and(|handoff| handoff.task_completed.fully_complete == Some(false));
    let prompt = is_prompt(scenario);
    captured.violations.is_empty()
        && gates_accept(scenario, tolerated, tree)
        && (checks.is_empty() || proved)
        && (captured.changed > 0 || proved || prompt)
        && (proved || has_hard_gate(scenario) || scenario.start.settings.claims.trust_agent)
        && (!says_no || all_checked || prompt)
}

fn gates_accept(scenario: &Scenario, tolerated: &Tolerated, tree: Tree) -> bool {
    let settings = &scenario.start.settings;
    let mut gates = settings.gate.iter().filter(|gate| gate.severity == Severity::Hard);
    gates.all(|gate| {
        let Some(which) = Which::named(&gate.name) else {
            return false;
        };
        let truth = run_gate(which, tree, scenario.seed, settings.gates.flaky_retries);
        if truth.green {
            return which != Which::Tests || truth.ran != Some(0) || gate.allow_empty;
        }
        match (&truth.failing, &tolerated.0) {
            (Some(failing), Some(known)) => failing.iter().all(|name| known.contains(name)),
            _ => false,
        }
    })
}

pub(super) fn criteria(scenario: &Scenario, task: usize) -> &[Criterion] {
    scenario.start.plan.tasks.get(task).map_or(&[], |task| task.acceptance_criteria.as_slice())
}
