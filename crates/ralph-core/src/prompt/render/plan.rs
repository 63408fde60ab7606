//! What a planner is told: what is wanted, what exists, what was answered. Foreign text is fenced and bounded.

use ralph_text::{
    cut,
    markdown::{fenced, inline_code, list, one_line},
};

use super::blocks::{below, joined};
use crate::{
    plan::{Status, Task},
    planning::{Answered, Asking, PlanRequest, Spec},
    prompt::{brief::PlanWork, budget::level},
};

/// Most bytes of all specifications together; longer ones are cut, and read in the copy.
const SPECS: usize = 48_000;
/// Most bytes of requirements that exist already.
const PRD: usize = 16_000;
/// Most bytes of the pending tasks in full.
const PENDING: usize = 16_000;
/// Most tasks that are listed.
const TASKS: usize = 200;
/// Most bytes of a line.
const LINE: usize = 300;
/// Most bytes of a person's own words.
const WORDS: usize = 16_000;

/// The first line.
pub(super) fn heading(request: &PlanRequest) -> String {
    match request.revise {
        Some(_) => "# Revise the plan".into(),
        None => "# Draft a plan".into(),
    }
}

/// Everything to plan from.
pub(super) fn text(work: &PlanWork) -> String {
    let request = &work.request;
    let share = if work.is_short { 2 } else { 1 };
    let blocks = [
        wanted(request),
        revision(request),
        specs(&request.specs, SPECS / share),
        requirements(request, PRD / share),
        existing(request, PENDING / share),
        commands(request),
        answers(&request.answers),
        asking(request),
        mistakes(&work.mistakes),
    ];
    joined(blocks)
}

/// The user's own words: they say what to plan.
fn wanted(request: &PlanRequest) -> String {
    below("## What is wanted", &cut::middle(request.text.trim(), WORDS))
}

fn revision(request: &PlanRequest) -> String {
    let text = request.revise.as_deref().unwrap_or_default().trim();
    below(
        "## What is to change\n\nThe plan below exists. Change only what this asks for, and only pending tasks:",
        &cut::middle(text, WORDS),
    )
}

fn specs(specs: &[Spec], room: usize) -> String {
    let sizes: Vec<usize> = specs.iter().map(|spec| spec.text.len()).collect();
    let share = level(&sizes, room);
    let shown = specs.iter().map(|spec| {
        let is_whole = !spec.is_cut && spec.text.len() <= share;
        let more = if is_whole { "" } else { " (cut here: read the file)" };
        let text = cut::head(spec.text.trim(), share);
        format!("{}{more}:\n\n{}", inline_code(cut::head(&spec.path, LINE)), fenced(text))
    });
    below("## Specifications", &joined(shown))
}

fn requirements(request: &PlanRequest, room: usize) -> String {
    match request.prd.trim() {
        "" if request.wants_prd() => {
            "## Requirements\n\nNone are written down yet: write them, as `prd`.".into()
        }
        "" => String::new(),
        prd => below(
            "## Requirements\n\nThese exist already; do not write them again. Leave every section of `prd` empty:",
            &fenced(&cut::middle(prd, room)),
        ),
    }
}

fn existing(request: &PlanRequest, room: usize) -> String {
    let tasks = &request.existing.tasks;
    if tasks.is_empty() {
        return String::new();
    }
    let line = |task: &Task| {
        let (id, status) = (one_line(task.id.as_str()), task.status.word());
        cut::ellipsis(&format!("{id} ({status}): {}", one_line(&task.title)), LINE)
    };
    let more = tasks.len().saturating_sub(TASKS);
    let mut lines: Vec<String> = tasks.iter().take(TASKS).map(line).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let pending: Vec<&Task> =
        tasks.iter().filter(|task| task.status == Status::Pending).take(TASKS).collect();
    let full = if pending.is_empty() {
        String::new()
    } else {
        let json = serde_json::to_string_pretty(&pending).unwrap_or_default();
        format!("\n\nThe pending ones in full:\n\n{}", fenced(&cut::middle(&json, room)))
    };
    format!("## The plan that exists\n\n{}{full}", fenced(&list(lines.into_iter())))
}

fn commands(request: &PlanRequest) -> String {
    let lines = request.verify_commands.iter().map(|one| inline_code(cut::head(one, LINE)));
    below(
        "## Commands that verify this project today\n\nThey run after every task anyway:",
        &list(lines),
    )
}

/// A person's own words, so they stand as they are.
fn answers(answers: &[Answered]) -> String {
    let blocks = answers.iter().map(|one| {
        let asked = one_line(cut::head(&one.question, LINE * 2));
        format!("Asked: {asked}\nAnswer: {}", cut::middle(one.answer.trim(), WORDS / 4))
    });
    below("## Answers from a person\n\nThese decide; do not ask again.", &joined(blocks))
}

fn asking(request: &PlanRequest) -> String {
    let text = match request.asking {
        Asking::Allowed => {
            "A person can answer questions. If something only they can decide would change the plan, list it in \
             `questions` and draft no tasks yet: you will be asked again with the answers. Ask as much as you must \
             and as little as you can: never what the code or the texts above tell, and nothing where any answer \
             leads to the same plan. Offer `options` and the `default` that you would choose."
        }
        Asking::Assume => {
            "Nobody can answer questions now, so leave `questions` empty. Where something is not decided, choose what a \
             careful engineer would choose, and record each such choice in `assumptions`."
        }
    };
    format!("## Questions\n\n{text}")
}

/// What was wrong before, in ralph's own words with the agent's names in them.
fn mistakes(mistakes: &[String]) -> String {
    if mistakes.is_empty() {
        return String::new();
    }
    let lines = mistakes.iter().map(|one| cut::ellipsis(&one_line(one), LINE * 2));
    below(
        "## The draft before could not be used\n\nCorrect these mistakes, and draft the whole plan again:",
        &fenced(&list(lines)),
    )
}
