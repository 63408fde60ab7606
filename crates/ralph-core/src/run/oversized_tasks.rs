//! What is too big for a prompt before a run starts. Nothing here stops a run: a task is never trimmed.

use crate::{
    event::RunStart,
    plan::{Criterion, Task},
    prompt::{Section, share, task_tokens},
};

/// More than what a prompt puts around a task, and around each criterion.
const FRAME: usize = 300;
const CRITERION: usize = 20;

/// The open tasks that take more of a prompt than a task should, in words.
pub fn heavy_tasks(start: &RunStart) -> Vec<String> {
    let budget = start.settings.memory.context_budget_tokens;
    let most = share(Section::Task, budget);
    let open = start.plan.tasks.iter().filter(|task| !task.status.satisfies());
    // Most are far from it, and rendering all of them takes longer than reading the plan.
    let heavy = open.filter(|task| at_most(task) > most).filter_map(|task| {
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

/// What no prompt about a task exceeds: a token is a byte or more, and nothing is more than doubled by quoting it.
fn at_most(task: &Task) -> usize {
    let of = |one: &Criterion| one.text().len() + one.check().map_or(0, str::len) + CRITERION;
    let criteria: usize = task.acceptance_criteria.iter().map(of).sum();
    FRAME + 2 * (task.id.as_str().len() + task.title.len() + task.description.len() + criteria)
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
    fn no_task_takes_more_than_it_can_at_most() {
        for text in ["", "a", "`", "````````", "\n\u{1b}\u{202e}", "1,\u{1f600}", "щ 中"] {
            for (id, times) in [("T-1", 0), ("T-1", 1), ("GH-1", 100)] {
                let text = text.repeat(times);
                let criteria = [
                    Criterion::Sentence(text.clone()),
                    Criterion::Checked { text: text.clone(), check: text.clone() },
                ];
                let task = Task {
                    id: id.into(),
                    title: text.clone(),
                    description: text,
                    acceptance_criteria: criteria.to_vec(),
                    ..Task::default()
                };
                assert!(task_tokens(&task) <= at_most(&task), "{task:?}");
            }
        }
    }

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
