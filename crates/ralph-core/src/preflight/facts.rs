//! What is known of the machine and the settings, and what has to be looked for there before a plan can be judged.

use std::collections::BTreeSet;

use super::{commands, finding::open};
use crate::{plan::Plan, vocabulary::ReviewMode};

/// What the rules must know beside the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub review: ReviewMode,
    /// Hard gates, the plan's own included.
    pub hard_gates: usize,
    /// The agent's word counts where nothing can verify the work.
    pub trusts_agent: bool,
    /// What of [`super::wanted()`] is not there.
    pub missing: Wanted,
    /// Programs of [`super::wanted()`] that are here, but not in the box.
    pub hidden: BTreeSet<String>,
}

/// What a plan needs to be there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Programs that checks and verify commands start, see [`super::program`].
    pub programs: BTreeSet<String>,
    pub skills: BTreeSet<String>,
    pub agents: BTreeSet<String>,
}

/// What the open tasks of a plan need.
pub fn wanted(plan: &Plan) -> Wanted {
    let mut wanted = Wanted::default();
    wanted.programs.extend(plan.verify_commands.iter().filter_map(|one| commands::program(one)));
    for (_, task) in open(plan) {
        let checks = task.acceptance_criteria.iter().filter_map(|one| one.check());
        wanted.programs.extend(checks.filter_map(commands::program));
        wanted.skills.extend(task.skills.iter().cloned());
        wanted.agents.extend(task.agent.clone());
    }
    wanted
}
