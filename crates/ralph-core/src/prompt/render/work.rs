//! What to do and how: the parts of a prompt that are never trimmed.

use ralph_text::{
    cut,
    markdown::{inline_code, one_line},
};

use super::{
    blocks::{joined, listed},
    compact, plan, review, task,
};
use crate::{
    gates::report::{FailAction, Severity},
    prompt::brief::{Brief, Counter, HandoffForm, ReviewWork, Work},
};

const HANDOFF: &str = include_str!("../templates/handoff.md");
const PLAN_BLOCK: &str = include_str!("../templates/plan_block.md");
const REVIEW_BLOCK: &str = include_str!("../templates/review_block.md");

/// Most bytes of a gate's command.
const MAX_COMMAND: usize = 300;
/// The id and title of the task, on one line each.
pub(super) fn id_and_title(work: &Work) -> (String, String) {
    match work {
        Work::Task(task) | Work::Fix(task, _) | Work::Review(ReviewWork { task, .. }) => {
            (one_line(task.id.as_str()), one_line(&task.title))
        }
        Work::Plan(_) | Work::Compact(_) | Work::Prompt(_) => (String::new(), String::new()),
    }
}

/// The first line, if the work is a task's.
pub(super) fn heading(work: &Work) -> String {
    let what = match work {
        Work::Task(_) | Work::Fix(..) => "Task",
        Work::Review(_) => "Review of task",
        Work::Plan(work) => return plan::heading(&work.request),
        Work::Compact(_) => return compact::HEADING.into(),
        Work::Prompt(_) => return String::new(),
    };
    let (id, title) = id_and_title(work);
    format!("# {what} {id}: {title}")
}

/// The line that counts iterations.
pub(super) fn count(counter: Counter) -> String {
    let left = counter.of.saturating_sub(counter.iteration);
    format!("Iteration {} of {}, {left} remaining.", counter.iteration, counter.of)
}

/// The task below its heading, or the user's prompt.
pub(super) fn text(brief: &Brief) -> String {
    match &brief.work {
        Work::Prompt(_) | Work::Task(_) | Work::Fix(..) => {
            joined([description(brief), criteria(brief), gates(brief)])
        }
        Work::Review(work) => review::text(work),
        Work::Plan(work) => plan::text(work),
        Work::Compact(work) => compact::text(work),
    }
}

/// The text of the work alone; a replacing failure takes its place.
pub(super) fn description(brief: &Brief) -> String {
    let is_replaced = brief.feedback.iter().any(|item| item.action == FailAction::Replace);
    match &brief.work {
        Work::Prompt(_) | Work::Task(_) | Work::Fix(..) if is_replaced => String::new(),
        Work::Prompt(prompt) => prompt.trim().to_owned(),
        Work::Task(task) | Work::Fix(task, _) | Work::Review(ReviewWork { task, .. }) => {
            task::description(task)
        }
        Work::Plan(work) => work.request.text.trim().to_owned(),
        Work::Compact(_) => String::new(),
    }
}

/// The criteria alone.
pub(super) fn criteria(brief: &Brief) -> String {
    match &brief.work {
        Work::Plan(_) | Work::Compact(_) | Work::Prompt(_) => String::new(),
        Work::Task(task) | Work::Fix(task, _) => task::criteria(task),
        Work::Review(work) => review::criteria(work),
    }
}

/// The commands that will judge the work: whoever knows them can run them first.
fn gates(brief: &Brief) -> String {
    let line = |(name, command, severity): &(String, String, Severity)| {
        let weight = match severity {
            Severity::Hard => "",
            Severity::Soft => " (a failure is noted only)",
        };
        let command = inline_code(cut::head(&one_line(command), MAX_COMMAND));
        format!("{}: {command}{weight}", one_line(name))
    };
    listed(
        "## Gates\n\nThese commands judge your work afterwards, on exactly the files you leave. Run them yourself first:",
        brief.gates.iter().map(line),
    )
}

/// How to hand over, where the agent has no form for it.
pub(super) fn handoff(brief: &Brief) -> String {
    let told = match (&brief.work, brief.handoff) {
        // Who compacts answers by a schema; who cannot is not asked.
        (_, HandoffForm::Schema) | (Work::Prompt(_) | Work::Compact(_), HandoffForm::Block) => "",
        (Work::Task(_) | Work::Fix(..), HandoffForm::Block) => HANDOFF.trim_ascii(),
        (Work::Review(_), HandoffForm::Block) => REVIEW_BLOCK.trim_ascii(),
        (Work::Plan(_), HandoffForm::Block) => PLAN_BLOCK.trim_ascii(),
    };
    told.replace("{seal}", &brief.seal)
}
