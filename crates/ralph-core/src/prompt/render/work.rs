//! What to do and how: the parts of a prompt that are never trimmed.

use super::review;
use crate::{
    gates::report::FailAction,
    markdown::{inline_code, one_line},
    plan::Task,
    prompt::brief::{Brief, Counter, HandoffForm, Work},
};

pub(super) const IMPLEMENT: &str = include_str!("../templates/implement.md");
pub(super) const FIX: &str = include_str!("../templates/fix.md");
pub(super) const REVIEW: &str = include_str!("../templates/review.md");
pub(super) const PROMPT: &str = include_str!("../templates/prompt.md");
const HANDOFF: &str = include_str!("../templates/handoff.md");
const REVIEW_BLOCK: &str = include_str!("../templates/review_block.md");

/// The first line, if the work is a task's.
pub(super) fn heading(work: &Work) -> String {
    let (what, task) = match work {
        Work::Task(task) | Work::Fix(task, _) => ("Task", task),
        Work::Review(review) => ("Review of task", &review.task),
        Work::Prompt(_) => return String::new(),
    };
    format!("# {what} {}: {}", one_line(task.id.as_str()), one_line(&task.title))
}

/// The line that counts iterations.
pub(super) fn count(counter: Counter) -> String {
    let left = counter.of.saturating_sub(counter.iteration);
    format!("Iteration {} of {}, {left} remaining.", counter.iteration, counter.of)
}

/// The task below its heading, or the user's prompt; a replacing failure takes the place of its text.
pub(super) fn text(brief: &Brief) -> String {
    let is_replaced = brief.feedback.iter().any(|item| item.action == FailAction::Replace);
    match &brief.work {
        Work::Prompt(_) if is_replaced => String::new(),
        Work::Prompt(prompt) => prompt.clone(),
        Work::Task(task) | Work::Fix(task, _) => {
            let description = if is_replaced { "" } else { task.description.trim() };
            format!("{description}\n\n{}", criteria(task)).trim().to_owned()
        }
        Work::Review(work) => review::text(work),
    }
}

fn criteria(task: &Task) -> String {
    if task.acceptance_criteria.is_empty() {
        return String::new();
    }
    let lines = task.acceptance_criteria.iter().map(|criterion| {
        let text = criterion.text().trim();
        criterion.check().map_or_else(
            || format!("\n- {text}"),
            |check| format!("\n- {text}\n  Proved by: {}", inline_code(check)),
        )
    });
    format!("## Acceptance criteria (all must hold)\n{}", lines.collect::<String>())
}

/// How to work, and how to hand over where the agent has no form for it.
pub(super) fn instructions(brief: &Brief) -> String {
    let (how, block) = match &brief.work {
        Work::Task(_) => (IMPLEMENT, HANDOFF),
        Work::Fix(..) => (FIX, HANDOFF),
        Work::Review(_) => (REVIEW, REVIEW_BLOCK),
        Work::Prompt(_) => (PROMPT, ""),
    };
    match brief.handoff {
        HandoffForm::Schema => how.to_owned(),
        HandoffForm::Block => format!("{how}{block}"),
    }
}
