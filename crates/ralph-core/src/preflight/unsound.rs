//! What no run can work with: ids, dependencies, blank texts, nothing to verify with. The words of `ralph run`.

use super::{
    Facts,
    finding::{Finding, open},
};
use crate::{
    ids::TaskId,
    plan::{Plan, Problem, problems},
    preflight::Preflight,
};

/// Everything unsound.
pub(super) fn find(plan: &Plan, facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = problems(plan)
        .iter()
        .map(|problem| {
            Finding::error(rule(problem), path(plan, problem), problem.to_string())
                .help(problem.help())
        })
        .collect();
    let error = |path: String, rule, what: &Preflight| {
        Finding::error(rule, path, what.to_string()).help(what.help())
    };
    if plan.tasks.is_empty() {
        found.push(error("tasks".into(), "no-tasks", &Preflight::NoTasks));
    }
    let unjudged =
        open(plan).find(|(_, task)| !task.has_check() && !task.is_reviewed(facts.review));
    if let Some((at, _)) = unjudged
        && facts.hard_gates == 0
        && !facts.trusts_agent
    {
        let path = format!("tasks.{at}");
        found.push(error(path, "nothing-to-verify-with", &Preflight::NothingToVerifyWith));
    } else if facts.hard_gates == 0 && !plan.tasks.is_empty() {
        let what = "there is no hard gate: only checks and reviewers judge the work".into();
        let path = if plan.verify_commands.is_empty() { "" } else { "verify_commands" };
        found.push(
            Finding::warning("no-gates", path, what)
                .because("nothing notices when one task breaks the rest of the project")
                .help("add the test command to verify_commands, or a [[gate]] to .ralph/settings.toml"),
        );
    }
    found
}

fn rule(problem: &Problem) -> &'static str {
    match problem {
        Problem::NoId { .. } | Problem::OddId { .. } => "id",
        Problem::NoTitle { .. } => "no-title",
        Problem::BlankCriterion { .. } => "blank-criterion",
        Problem::SameId { .. } => "same-id",
        Problem::UnknownDependency { .. } => "unknown-dependency",
        Problem::OwnDependency { .. } | Problem::Cycle { .. } => "cycle",
    }
}

/// Where a problem is.
fn path(plan: &Plan, problem: &Problem) -> String {
    let of = |task: &TaskId| plan.position(task).unwrap_or(0);
    let needs = |task: &TaskId, needed: &TaskId| {
        let at = of(task);
        let list = plan.tasks.get(at).map(|task| task.depends_on.as_slice()).unwrap_or_default();
        let nth = list.iter().position(|one| one == needed).unwrap_or(0);
        format!("tasks.{at}.depends_on.{nth}")
    };
    match problem {
        Problem::NoId { number } | Problem::OddId { number, .. } => {
            format!("tasks.{}.id", number - 1)
        }
        Problem::SameId { second, .. } => format!("tasks.{}.id", second - 1),
        Problem::NoTitle { task } => format!("tasks.{}.title", of(task)),
        Problem::BlankCriterion { task, number, .. } => {
            format!("tasks.{}.acceptance_criteria.{}", of(task), number - 1)
        }
        Problem::UnknownDependency { task, missing } => needs(task, missing),
        Problem::OwnDependency { task } => needs(task, task),
        Problem::Cycle { tasks } => match tasks.as_slice() {
            [first, second, ..] => needs(first, second),
            [only] => needs(only, only),
            [] => String::new(),
        },
    }
}
