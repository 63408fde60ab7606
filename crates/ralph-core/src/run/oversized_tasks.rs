//! What is too big for a prompt before a run starts. Nothing here stops a run: a task is never trimmed.

use crate::{
    event::RunStart,
    prompt::{Section, share, task_tokens},
};

/// The open tasks that take more of a prompt than a task should, in words.
pub fn heavy_tasks(start: &RunStart) -> Vec<String> {
    let budget = start.settings.memory.context_budget_tokens;
    let most = share(Section::Task, budget);
    let open = start.plan.tasks.iter().filter(|task| !task.status.satisfies());
    let heavy = open.filter_map(|task| {
        let used = task_tokens(task);
        (used > most).then(|| {
            format!(
                "task {} takes about {used} of the prompt's {budget} tokens, more than its share of {most}: \
                 less feedback and memory fit in",
                task.id
            )
        })
    });
    heavy.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::Source,
        plan::{Plan, Task},
        run::{StartOptions, begin},
        settings::Settings,
    };

    #[test]
    fn only_a_task_beyond_its_budget_is_told_of() {
        let task = |id: &str, words| Task {
            id: id.into(),
            description: "word ".repeat(words),
            ..Task::default()
        };
        let mut settings = Settings::default();
        settings.claims.trust_agent = true;
        let plan = Plan { tasks: vec![task("small", 500), task("big", 1500)], ..Plan::default() };
        let start = begin(Source::Plan, plan, settings, StartOptions::default());
        let heavy = start.map(|start| heavy_tasks(&start)).unwrap_or_default();
        assert_eq!(heavy.len(), 1);
        assert!(heavy[0].starts_with("task big takes about 15"), "{heavy:?}");
    }
}
