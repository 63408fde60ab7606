//! `ralph task add`: a new task at the end of the plan, or beside another one in its order.

use ralph_core::{
    ids::TaskId,
    plan::{
        Plan,
        person::{NotPossible, TaskWish},
    },
};

use super::ask;
use crate::{
    args::task::AddArgs, context::Context, diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Runs `ralph task add`.
pub(crate) fn exec(args: &AddArgs, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::find(&context.project_dir)?;
    let plan = standing.foreseen();
    let id = args.id.as_deref().map_or_else(|| free_id(&plan), TaskId::from);
    let mut task = args.fields.task(id);
    if let Some(after) = &args.after {
        let after = TaskId::from(after.as_str());
        let Some(before) = plan.tasks.iter().find(|task| task.id == after) else {
            return Err(ask::refused(&NotPossible::NoSuchTask { id: after }));
        };
        (task.priority, task.order) = (before.priority, before.order);
    }
    ask::ask(&standing, &TaskWish::Add { task: Box::new(task) }, context)
}

/// The highest number in the plan and one more, spelled like the task that has it.
fn free_id(plan: &Plan) -> TaskId {
    let numbered = plan.tasks.iter().filter_map(|task| {
        let id = task.id.as_str();
        let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (word, number) = id.split_at(id.len() - digits);
        Some((number.parse::<u64>().ok()?, word, digits))
    });
    let (number, word, wide) = numbered.max().unwrap_or((0, "T-", 3));
    TaskId(format!("{word}{:0wide$}", number.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use ralph_core::plan::Task;

    use super::*;

    #[test]
    fn a_task_without_a_name_gets_the_next_number() {
        let named = |ids: &[&str]| {
            let tasks = ids.iter().map(|id| Task { id: (*id).into(), ..Task::default() });
            free_id(&Plan { tasks: tasks.collect(), ..Plan::default() })
        };
        assert_eq!(named(&[]).as_str(), "T-001");
        assert_eq!(named(&["T-009", "T-002"]).as_str(), "T-010");
        assert_eq!(named(&["login", "US-7"]).as_str(), "US-8");
        assert_eq!(named(&["99999999999999999999"]).as_str(), "T-001");
    }
}
