//! What has to be looked for before a plan can be judged.

use super::{Wanted, commands, finding::open};
use crate::plan::Plan;

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
