//! GitHub issues as `gh issue list --json …` prints them. Read only.
//!
//! Anybody can write an issue: its text is data for the task's description, and nothing in it becomes a command.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{FormatError, Look, PlanFormat, markdown, names, other_tools::Fields};
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task},
};

/// The fields that `gh` is asked for.
pub const GH_FIELDS: &str = "number,title,body,labels,state,url,milestone,assignees";

pub(super) static FORMAT: PlanFormat = PlanFormat {
    name: "github",
    aliases: &["gh", "issues"],
    recognises,
    parse,
    render: None,
    write_back: None,
};

fn parse(text: &str) -> Result<Plan, FormatError> {
    let issues: Vec<Map<String, Value>> =
        serde_json::from_str(text).map_err(|error| FormatError::json(&error))?;
    let mut numbered = issues.into_iter().map(issue).collect::<Result<Vec<(u64, Task)>, _>>()?;
    numbered.sort_by_key(|(number, _)| *number);
    let mut tasks: Vec<Task> = numbered.into_iter().map(|(_, task)| task).collect();
    let listed: BTreeSet<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut tasks {
        // An issue that is not listed is closed or was not asked for: nothing to wait for here.
        task.depends_on.retain(|needed| listed.contains(needed) && *needed != task.id);
    }
    Ok(Plan { tasks, ..Plan::default() })
}

fn recognises(look: &Look<'_>) -> bool {
    let first = look.json.as_ref().and_then(|json| json.as_array()?.first()?.as_object());
    first.is_some_and(|issue| {
        issue.get("number").is_some_and(Value::is_u64)
            && issue.contains_key("title")
            && ["state", "url", "body"].iter().any(|name| issue.contains_key(*name))
    })
}

/// The number of the issue that a task was made from.
pub fn issue_number(task: &TaskId) -> Option<u64> {
    task.as_str().strip_prefix("GH-")?.parse().ok()
}

fn task_id(number: u64) -> TaskId {
    TaskId(format!("GH-{number}"))
}

fn issue(mut issue: Map<String, Value>) -> Result<(u64, Task), FormatError> {
    let number = issue.shift_remove("number").and_then(|number| number.as_u64());
    let number = number.ok_or_else(|| {
        let help = format!("ask for all fields: gh issue list --json {GH_FIELDS}");
        FormatError::new("an issue has no number", help)
    })?;
    let mut text = |name: &str| match issue.shift_remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (title, body) = (text("title"), text("body").replace("\r\n", "\n"));
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let (state, reason) = (text("state"), text("stateReason"));
    let labels = labels(issue.get("labels"));
    issue.retain(|_, value| !is_nothing(value));
    if labels.is_empty() {
        issue.shift_remove("labels");
    } else {
        issue.insert("labels".into(), labels.clone().into());
    }
    let task = Task {
        id: task_id(number),
        title: if title.is_empty() { format!("Issue {number}") } else { title },
        acceptance_criteria: markdown::checklist(&body)
            .into_iter()
            .map(Criterion::Sentence)
            .collect(),
        status: status(&state, &reason, &labels),
        priority: labels.iter().find_map(|label| priority(label)),
        depends_on: needed(&body).into_iter().map(task_id).collect(),
        description: body,
        extra: Fields::new(issue, "").rest(Task::FIELDS),
        ..Task::default()
    };
    Ok((number, task))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// Names of labels, which are objects or plain names.
fn labels(labels: Option<&Value>) -> Vec<String> {
    let name =
        |label: &Value| label.as_str().or_else(|| label.get("name")?.as_str()).map(str::to_owned);
    labels.and_then(Value::as_array).into_iter().flatten().filter_map(name).collect()
}

fn status(state: &str, reason: &str, labels: &[String]) -> Status {
    let is_dropped = |label: &String| names::status(label) == Some(Status::Skipped);
    match (state.to_uppercase().as_str(), reason.to_uppercase().as_str()) {
        ("CLOSED", "NOT_PLANNED" | "DUPLICATE") => Status::Skipped,
        ("CLOSED", _) if labels.iter().any(is_dropped) => Status::Skipped,
        ("CLOSED", _) => Status::Done,
        _ => Status::Pending,
    }
}

/// `priority:1`, `priority/high`, `P2`.
fn priority(label: &str) -> Option<i64> {
    let label = label.to_lowercase();
    match label.strip_prefix("priority") {
        Some(rest) => names::priority(rest.trim_start_matches([':', '/', '-', '=', ' '])),
        None => label.strip_prefix('p').and_then(|rest| rest.parse().ok()),
    }
}

/// Numbers after `depends on` and `blocked by`; issues of other repositories are not meant.
fn needed(body: &str) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    let lower = body.to_lowercase();
    for phrase in ["depends on", "blocked by"] {
        for (at, _) in lower.match_indices(phrase) {
            let rest = lower.get(at + phrase.len()..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default();
            let words = line.split([',', ' ', ':', '*']).filter(|word| !word.is_empty());
            for word in words {
                let Some(number) = word.strip_prefix('#') else {
                    if matches!(word, "and" | "&" | "issue" | "issues") {
                        continue;
                    }
                    break;
                };
                let digits = number.trim_end_matches(|c: char| !c.is_ascii_digit());
                numbers.extend(digits.parse::<u64>());
            }
        }
    }
    numbers
}
