//! A draft as a person sees it before deciding: what it is, what it assumes, its tasks, and what changes.

use ralph_core::{
    ids::TaskId,
    plan::{Criterion, Plan, Task, merge::Merged},
    planning::Draft,
};
use ralph_text::sanitise::clean;

use crate::{
    context::{Block, Entry, Line, Sign, Tone},
    words,
};

/// Most tasks that are shown in full.
const TASKS: usize = 100;

/// The whole draft.
pub(super) fn draft(draft: &Draft, merged: &Merged, existing: &Plan) -> Block {
    let mut block = vec![Entry::Cut(Line::new())];
    if !draft.summary.is_empty() {
        block.push(Entry::text(0, Tone::Plain, clean(&draft.summary)));
    }
    block.extend(listed("assumptions", draft.assumptions.iter()));
    block.extend(listed("verifies the whole plan", draft.verify_commands.iter()));
    for task in draft.tasks.iter().take(TASKS) {
        block.extend(one(task));
    }
    if draft.tasks.len() > TASKS {
        let more = format!("and {} more", draft.tasks.len() - TASKS);
        block.push(Entry::text(2, Tone::Dim, more));
    }
    if !existing.tasks.is_empty() {
        block.push(Entry::text(
            0,
            Tone::Bold,
            format!("changes to the plan: {}", merged.summary()),
        ));
        let lines = merged.describe();
        block.extend(lines.iter().map(|line| Entry::text(2, Tone::Plain, clean(line))));
        for removal in &draft.remove {
            let why = format!("{} is removed: {}", removal.id, clean(&removal.why));
            block.push(Entry::text(2, Tone::Dim, why));
        }
    }
    block.push(Entry::text(0, Tone::Dim, proof(&draft.tasks)));
    block
}

fn listed<'a>(title: &str, lines: impl Iterator<Item = &'a String>) -> Block {
    let lines: Vec<String> = lines.map(|line| clean(line)).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let mut block = vec![Entry::text(0, Tone::Bold, title)];
    block.extend(lines.into_iter().map(|line| Entry::led(Line::new().plain("  - "), line)));
    block
}

fn one(task: &Task) -> Block {
    let after: Vec<&str> = task.depends_on.iter().map(TaskId::as_str).collect();
    let after =
        if after.is_empty() { String::new() } else { format!("after {}", words::few(&after, 5)) };
    let mut block = vec![Entry::Titled {
        before: Line::new().add(Tone::Bold, format!("{} ", clean(task.id.as_str()))),
        title: clean(&task.title),
        after: Line::new().dim(clean(&after)),
    }];
    for criterion in &task.acceptance_criteria {
        let (sign, text) = match criterion {
            Criterion::Sentence(text) => (Sign::Neutral, clean(text)),
            Criterion::Checked { text, check } if text == check => {
                (Sign::Ok, format!("`{}`", clean(check)))
            }
            Criterion::Checked { text, check } => {
                (Sign::Ok, format!("{} `{}`", clean(text), clean(check)))
            }
        };
        block.push(Entry::led(Line::new().plain("    ").sign(sign).plain(" "), text));
    }
    block
}

/// How much of it commands prove.
fn proof(tasks: &[Task]) -> String {
    let criteria: Vec<&Criterion> =
        tasks.iter().flat_map(|task| &task.acceptance_criteria).collect();
    let checked = criteria.iter().filter(|criterion| criterion.check().is_some()).count();
    format!(
        "{}, {}: {checked} proved by a command, {} judged by a reviewer",
        words::count_of(tasks, "task"),
        words::count_of(&criteria, "criterion"),
        criteria.len() - checked
    )
}
