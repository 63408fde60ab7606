//! Beads: one issue in JSON per line, as in `.beads/issues.jsonl`. Its own fields are kept and written back.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Map, Value, json};

use super::{
    FormatError, Look, PlanFormat, WrittenBack, markdown, names, other_tools::Fields,
    status_changes::StatusChanges,
};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

pub(super) static FORMAT: PlanFormat = PlanFormat {
    name: "beads",
    aliases: &["bd", "jsonl", "issues.jsonl"],
    task_fields: &[
        "id",
        "title",
        "description",
        "acceptance_criteria",
        "status",
        "priority",
        "depends_on",
        "notes",
    ],
    plan_fields: &[],
    statuses: &[Status::Pending, Status::InProgress, Status::Done, Status::Skipped, Status::Parked],
    recognises,
    parse,
    render: Some(render),
    write_back: Some(write_back),
};

/// Where links that hold nothing up are kept.
const OTHER_LINKS: &str = "beads_links";

/// Why a skipped task is closed.
const SKIPPED: &str = "skipped";

fn parse(text: &str) -> Result<Plan, FormatError> {
    let mut tasks = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let issue = read_line(line).map_err(|error| FormatError { line: Some(number), ..error })?;
        if !is_gone(&issue) {
            tasks.push(task(issue).map_err(|error| error.at_line(number))?);
        }
    }
    if tasks.is_empty() {
        let help = "write one issue per line, with at least an id and a title";
        return Err(FormatError::new("no issues found", help));
    }
    let there: BTreeSet<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut tasks {
        // A dependency on a deleted issue holds nothing up.
        task.depends_on.retain(|needed| there.contains(needed));
    }
    Ok(Plan { tasks, ..Plan::default() })
}

fn render(plan: &Plan) -> String {
    let lines = plan.tasks.iter().map(|task| format!("{}\n", Value::Object(issue(task))));
    lines.collect()
}

fn recognises(look: &Look<'_>) -> bool {
    let first = look.text.lines().find(|line| !line.trim().is_empty());
    let is_issue = first.and_then(|line| read_line(line).ok()).is_some_and(|issue| {
        issue.contains_key("id")
            && issue.contains_key("title")
            && !issue.contains_key("tasks")
            && !issue.contains_key("userStories")
    });
    is_issue || look.ends_with(&[".jsonl"])
}

fn read_line(line: &str) -> Result<Map<String, Value>, FormatError> {
    serde_json::from_str(line).map_err(|error| FormatError::json(&error))
}

fn is_gone(issue: &Map<String, Value>) -> bool {
    issue.get("status").and_then(Value::as_str) == Some("tombstone")
}

fn task(issue: Map<String, Value>) -> Result<Task, FormatError> {
    let place = issue.get("id").and_then(Value::as_str).unwrap_or("an issue").to_owned();
    let mut fields = Fields::new(issue, &place);
    let id = fields.text(&["id"])?.map(|id| names::sound_id(&id));
    let id = id.ok_or_else(|| FormatError::new("an issue has no id", "give each issue an `id`"))?;
    let criteria = fields.text(&["acceptancecriteria"])?.unwrap_or_default();
    let word = fields.text(&["status"])?.unwrap_or_default();
    let reason = fields.left_text("close_reason");
    let status = match (word.as_str(), reason.and_then(names::status)) {
        ("closed", Some(Status::Skipped)) => Status::Skipped,
        // Marks of beads itself, which are about who holds an issue.
        ("pinned" | "hooked", _) => Status::Pending,
        (word, _) => {
            names::status(word).ok_or_else(|| fields.wrong(&["status"], "a beads status"))?
        }
    };
    if status == Status::Skipped && fields.left_text("close_reason") == Some(SKIPPED) {
        fields.take(&["closereason"]);
    }
    let priority = fields.number(&["priority"])?;
    let (depends_on, others) = dependencies(&id, fields.take(&["dependencies"]));
    let mut task = Task {
        title: fields.text(&["title"])?.unwrap_or_default(),
        description: fields.text(&["description"])?.unwrap_or_default(),
        acceptance_criteria: markdown::criteria(&criteria),
        status,
        priority,
        depends_on,
        notes: fields.text(&["notes"])?,
        id,
        ..Task::default()
    };
    task.extra = fields.rest(Task::FIELDS);
    if !others.is_empty() {
        task.extra.insert(OTHER_LINKS.into(), others.into());
    }
    Ok(task)
}

/// What must be done before, and links of other kinds, which are kept as they are.
fn dependencies(id: &TaskId, listed: Option<Value>) -> (Vec<TaskId>, Vec<Value>) {
    let (mut needed, mut others) = (Vec::new(), Vec::new());
    for link in listed.and_then(|listed| listed.as_array().cloned()).unwrap_or_default() {
        let kind = link.get("type").and_then(Value::as_str).unwrap_or("blocks");
        let on = link.get("depends_on_id").and_then(Value::as_str).map(names::sound_id);
        match on {
            Some(on) if kind == "blocks" && on != *id => needed.push(on),
            _ => others.push(link),
        }
    }
    (needed, others)
}

fn issue(task: &Task) -> Map<String, Value> {
    let mut issue = Map::new();
    issue.insert("id".into(), json!(task.id));
    issue.insert("title".into(), json!(task.title));
    if !task.description.is_empty() {
        issue.insert("description".into(), json!(task.description));
    }
    if !task.acceptance_criteria.is_empty() {
        let text = markdown::criteria_text(&task.acceptance_criteria);
        issue.insert("acceptance_criteria".into(), json!(text));
    }
    set_status(&mut issue, task.status);
    if let Some(priority) = task.priority {
        issue.insert("priority".into(), json!(priority));
    }
    if let Some(notes) = &task.notes {
        issue.insert("notes".into(), json!(notes));
    }
    let links = task
        .depends_on
        .iter()
        .map(|needed| json!({"issue_id": task.id, "depends_on_id": needed, "type": "blocks"}));
    let mut links: Vec<Value> = links.collect();
    let mut extra = task.extra.clone();
    if let Some(Value::Array(others)) = extra.shift_remove(OTHER_LINKS) {
        links.extend(others);
    }
    if !links.is_empty() {
        issue.insert("dependencies".into(), links.into());
    }
    for (name, value) in extra {
        issue.entry(name).or_insert(value);
    }
    issue
}

/// The words of beads for a status.
fn set_status(issue: &mut Map<String, Value>, status: Status) {
    let word = match status {
        Status::Pending => "open",
        Status::InProgress | Status::NeedsReview | Status::ChangesRequested => "in_progress",
        Status::Done | Status::Skipped => "closed",
        Status::Failed => "blocked",
        Status::Parked => "deferred",
    };
    issue.insert("status".into(), json!(word));
    if status == Status::Skipped {
        issue.insert("close_reason".into(), json!(SKIPPED));
    } else {
        issue.shift_remove("close_reason");
    }
}

/// Rewrites the lines whose issue has another status, and no other.
fn write_back(text: &str, plan: &Plan) -> Result<WrittenBack, FormatError> {
    let before = parse(text)?;
    let mut changes = StatusChanges::of(plan, &before);
    let mut written = String::with_capacity(text.len());
    let mut tasks = before.tasks.iter().peekable();
    for line in text.split_inclusive('\n') {
        let issue = read_line(line).ok().filter(|issue| !is_gone(issue));
        let rewritten = issue.and_then(|mut issue| {
            let status = changes.change(tasks.next()?)?;
            set_status(&mut issue, status);
            Some(Value::Object(issue))
        });
        match rewritten {
            Some(issue) => {
                let _ = writeln!(written, "{issue}");
            }
            None => written.push_str(line),
        }
    }
    Ok(changes.finish(written))
}
