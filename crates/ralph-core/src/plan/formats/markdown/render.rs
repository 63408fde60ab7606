//! Writes a plan as Markdown that people can read and the reader of this folder reads back without loss. What
//! has no place in the text for people is in comments.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::super::criterion;
use super::{
    commands, head, inline, task,
    walk::{self, COMMENT},
};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

pub(super) fn render(plan: &Plan) -> String {
    let mut hidden = fields(plan);
    for shown in ["version", "description", "tasks"] {
        hidden.shift_remove(shown);
    }
    let title = inline::escape(&plan.project);
    let title = if title.is_empty() { "Plan".to_owned() } else { title };
    if is_heading(&title) && walk::project(&title) == plan.project {
        hidden.shift_remove("project");
    }
    let block = command_block(&plan.verify_commands);
    if block.is_some() {
        hidden.shift_remove("verify_commands");
    }
    let mut text = format!("# {title}\n");
    // A plan without tasks is known as one only by its comment.
    if plan.tasks.is_empty() {
        hidden.entry("project").or_insert_with(|| plan.project.clone().into());
    }
    comment(&mut text, &hidden);
    quote(&mut text, &plan.description);
    if let Some(block) = block {
        let _ = write!(text, "\n## Verification\n\n{block}");
    }
    if !plan.tasks.is_empty() {
        text.push_str("\n## Tasks\n");
    }
    for task in &plan.tasks {
        one_task(&mut text, task);
    }
    text
}

fn fields(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn is_heading(title: &str) -> bool {
    super::line::heading(&format!("# {title}")).is_some_and(|heading| heading.text == title)
}

fn one_task(text: &mut String, task: &Task) {
    let mut hidden = fields(task);
    for shown in
        ["title", "description", "acceptance_criteria", "status", "review_status", "priority"]
    {
        hidden.shift_remove(shown);
    }
    let mark = if task.status == Status::Done { 'x' } else { ' ' };
    let _ = writeln!(text, "\n### [{mark}] {}", title(task, &mut hidden));
    let needed: Vec<&str> = task.depends_on.iter().map(TaskId::as_str).collect();
    let needed = needed.join(", ");
    let reads_back = task::split_list(&needed).iter().eq(task.depends_on.iter().map(|id| &id.0));
    if reads_back {
        hidden.shift_remove("depends_on");
    }
    comment(text, &hidden);
    let mut labels = String::new();
    if !matches!(task.status, Status::Pending | Status::Done) {
        let _ = writeln!(labels, "- Status: {}", task.status.word());
    }
    if let Some(priority) = task.priority {
        let _ = writeln!(labels, "- Priority: {priority}");
    }
    if reads_back && !needed.is_empty() {
        let _ = writeln!(labels, "- Depends on: {needed}");
    }
    if !labels.is_empty() {
        let _ = write!(text, "\n{labels}");
    }
    quote(text, &task.description);
    if !task.acceptance_criteria.is_empty() {
        text.push_str("\nAcceptance criteria:\n\n");
        for one in &task.acceptance_criteria {
            let _ = writeln!(text, "- [{mark}] {}", inline::escape(&criterion::write(one)));
        }
    }
}

/// Id and title, with signs as entities where the reader would take them for something else.
fn title(task: &Task, hidden: &mut Map<String, Value>) -> String {
    let lead = if head::is_id(task.id.as_str()) { format!("{}: ", task.id) } else { String::new() };
    let wanted = (!lead.is_empty()).then_some(task.id.as_str());
    if wanted.is_some() {
        hidden.shift_remove("id");
    }
    let plain = format!("{lead}{}", inline::escape(&task.title));
    let expected = head::Head {
        id: wanted.map(str::to_owned),
        title: task.title.clone(),
        ..head::Head::default()
    };
    if is_heading(&format!("[ ] {plain}")) && head::of_text(&plain) == expected {
        return plain;
    }
    format!("{lead}{}", inline::escape_signs(&task.title))
}

/// A quote, since nothing in a quote is taken for anything else.
fn quote(text: &mut String, description: &str) {
    if description.is_empty() {
        return;
    }
    text.push('\n');
    for line in description.split('\n') {
        let _ = if line.is_empty() { writeln!(text, ">") } else { writeln!(text, "> {line}") };
    }
}

fn comment(text: &mut String, fields: &Map<String, Value>) {
    if fields.is_empty() {
        return;
    }
    // No text can end the comment: JSON has other ways to write these signs.
    let json =
        Value::Object(fields.clone()).to_string().replace("--", "-\\u002d").replace('>', "\\u003e");
    let _ = write!(text, "\n{}{} -->\n", COMMENT, json.get(1..).unwrap_or_default());
}

/// The commands as a code block, if they read back from one.
fn command_block(all: &[String]) -> Option<String> {
    let lines: Vec<&str> = all.iter().map(String::as_str).collect();
    let is_plain = |line: &&str| {
        !line.contains(['\n', '\r']) && !line.starts_with("```") && !line.starts_with("$ ")
    };
    let reads_back = lines.iter().all(is_plain) && commands::in_block(&lines) == all;
    (!all.is_empty() && reads_back).then(|| format!("```sh\n{}\n```\n", all.join("\n")))
}
