//! What is true about a tree: gates against the baseline, checks, and so the only right verdict.

use std::collections::BTreeSet;

use ralph_core::{
    event::Source,
    gates::{protect::Exposure, report::Severity},
    input::{AgentReport, Captured},
    plan::Task,
    settings::ProtectMode,
    vocabulary::{Kind, ReviewMode},
};

use super::shadow::Underway;
use crate::sim::{
    scenario::Scenario,
    tree::{Tree, Which, check_passes, run_gate},
    world::World,
};

/// What the tests may still fail with; `None`: they must be green.
#[derive(Debug, Clone, Default)]
pub(super) struct Tolerated(Option<BTreeSet<String>>);

impl Tolerated {
    /// What failed before any work.
    pub(super) fn at_start(world: &World<'_>, tree: Tree) -> Self {
        let truth = run_gate(Which::Tests, tree, salt(world, tree), 0);
        Self((!truth.green).then(|| truth.failing.unwrap_or_default().into_iter().collect()))
    }

    /// Takes over what got better.
    pub(super) fn tighten(&mut self, world: &World<'_>, tree: Tree) {
        let retries = world.scenario.start.settings.gates.flaky_retries;
        let truth = run_gate(Which::Tests, tree, salt(world, tree), retries);
        if truth.green {
            self.0 = None;
        } else if let Some(known) = &mut self.0 {
            *known = truth.failing.unwrap_or_default().into_iter().collect();
        }
    }
}

/// What decided how the gates went on a tree.
fn salt(world: &World<'_>, tree: Tree) -> u64 {
    world.salts.get(&tree).copied().unwrap_or(world.scenario.seed)
}

/// Whether the run has a gate whose failure rejects.
pub(super) fn has_hard_gate(scenario: &Scenario) -> bool {
    let hard = |gate: &&ralph_core::settings::Gate| gate.severity == Severity::Hard;
    scenario.start.settings.gate.iter().find(hard).is_some()
}

pub(super) fn is_prompt(scenario: &Scenario) -> bool {
    matches!(scenario.start.source, Source::Prompt { .. })
}

/// Whether a fresh agent must look at a task's work.
pub(super) fn is_reviewed(scenario: &Scenario, task: &Task) -> bool {
    let has_sentence = task.acceptance_criteria.iter().any(|one| one.check().is_none());
    !is_prompt(scenario)
        && match scenario.start.settings.review.mode {
            ReviewMode::On => true,
            ReviewMode::Auto => has_sentence,
            ReviewMode::Off => false,
        }
}

/// Whether an agent touched what it must leave alone.
pub(super) fn is_forbidden(scenario: &Scenario, captured: &Captured) -> bool {
    let locked = |exposure: &Exposure| matches!(exposure, Exposure::Protected { .. });
    scenario.start.settings.gates.protect_mode == ProtectMode::Deny
        && captured.touched.iter().any(|one| locked(&one.exposure))
}

/// Whether an agent asks instead of working.
pub(super) fn asks(report: &AgentReport, captured: &Captured) -> bool {
    use ralph_core::ending::Ending;
    let handoff = report.handoff.as_ref();
    let says_done = report.claimed
        || handoff.is_some_and(|said| said.task_completed.fully_complete == Some(true));
    let in_handoff = handoff.is_some_and(|said| said.question.is_some());
    let only_words = report.ending == Ending::Ok && handoff.is_none() && captured.changed == 0;
    !says_done
        && (in_handoff
            || matches!(report.ending, Ending::AskedQuestion { .. })
            || (only_words && report.last_words.trim_end().ends_with('?')))
}

/// The only right verdict on what an agent left.
pub(super) fn accepts(
    world: &World<'_>,
    tolerated: &Tolerated,
    task: &Task,
    underway: &Underway,
) -> bool {
    let scenario = world.scenario;
    let Some(captured) = &underway.captured else {
        return false;
    };
    let Some(tree) = captured.tree.as_ref().and_then(Tree::read) else {
        return false;
    };
    let criteria = &task.acceptance_criteria;
    let checks: Vec<bool> = criteria
        .iter()
        .filter_map(|criterion| criterion.check())
        .map(|command| check_passes(tree, command) == Some(true))
        .collect();
    let proved = !checks.is_empty() && checks.iter().all(|passed| *passed);
    let all_checked = !criteria.is_empty() && checks.len() == criteria.len();
    let handoff = underway.report.as_ref().and_then(|report| report.handoff.as_ref());
    let says = handoff.and_then(|handoff| handoff.task_completed.fully_complete);
    let prompt = is_prompt(scenario);
    let reviewed = is_reviewed(scenario, task);
    let by_person = underway.kind == Kind::Apply;
    captured.violations.is_empty()
        && !is_forbidden(scenario, captured)
        && gates_accept(world, tolerated, tree)
        && (checks.is_empty() || proved)
        && (tree != underway.base
            || proved
            || prompt
            || by_person
            || (reviewed && says == Some(true)))
        && (proved
            || has_hard_gate(scenario)
            || reviewed
            || by_person
            || scenario.start.settings.claims.trust_agent)
        && (says != Some(false) || all_checked || prompt)
}

fn gates_accept(world: &World<'_>, tolerated: &Tolerated, tree: Tree) -> bool {
    let settings = &world.scenario.start.settings;
    let mut gates = settings.gate.iter().filter(|gate| gate.severity == Severity::Hard);
    gates.all(|gate| {
        let Some(which) = Which::named(&gate.name) else {
            return false;
        };
        let truth = run_gate(which, tree, salt(world, tree), settings.gates.flaky_retries);
        if truth.green {
            return which != Which::Tests || truth.ran != Some(0) || gate.allow_empty;
        }
        match (&truth.failing, &tolerated.0) {
            (Some(failing), Some(known)) => failing.iter().all(|name| known.contains(name)),
            _ => false,
        }
    })
}
