//! `plan.json`: ralph's own format, read and written whole.

use serde_json::Value as Json;

use super::{FormatError, Look, PlanFormat};
use crate::plan::{FORMAT_VERSION, Plan};

pub(super) static FORMAT: PlanFormat = PlanFormat {
    name: "plan.json",
    aliases: &["plan", "json"],
    recognises,
    parse,
    render: Some(render),
    write_back: None,
};

/// Only what has the shape of ralph's own: names of other tools would be kept as unknown, and mean nothing.
fn recognises(look: &Look<'_>) -> bool {
    const FOREIGN: &[&str] =
        &["passes", "dependsOn", "dependencies", "acceptanceCriteria", "completed"];
    if look.name == "plan.json" {
        return look.json.as_ref().is_none_or(|json| json.get("userStories").is_none());
    }
    let Some(tasks) = look.json.as_ref().and_then(|json| json.get("tasks")?.as_array()) else {
        return false;
    };
    let is_foreign = |task: &Json| FOREIGN.iter().any(|name| task.get(name).is_some());
    !tasks.iter().any(is_foreign) && parse(look.text).is_ok()
}

/// Reads a plan. Unknown fields are kept, a missing version reads as 1.
pub fn parse(text: &str) -> Result<Plan, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let plan: Plan = serde_json::from_str(text).map_err(|error| explain(text, &error))?;
    if plan.version != FORMAT_VERSION {
        return Err(other_version(plan.version.into()));
    }
    // A file of another tool reads as a plan with nothing to do, which must not pass for "all done".
    if plan.tasks.is_empty() && header(text).is_some_and(|header| header.tasks.is_none()) {
        return Err(FormatError::new(
            "the plan has no `tasks`",
            "write \"tasks\": [ { \"id\": \"T-001\", \"title\": \"…\" } ]",
        ));
    }
    Ok(plan)
}

/// Writes a plan: two spaces, tasks in their order, a newline at the end.
pub fn render(plan: &Plan) -> String {
    pretty(plan)
}

pub(crate) fn pretty(plan: &impl serde::Serialize) -> String {
    // Plans hold only text, numbers and lists of them, which cannot fail to be written.
    let mut text = serde_json::to_string_pretty(plan).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(serde::Deserialize)]
struct Header {
    version: Option<u64>,
    tasks: Option<serde::de::IgnoredAny>,
}

fn header(text: &str) -> Option<Header> {
    serde_json::from_str(text).ok()
}

fn other_version(found: u64) -> FormatError {
    let what =
        format!("the plan has version {found}, but this ralph reads version {FORMAT_VERSION}");
    let help = if found > u64::from(FORMAT_VERSION) {
        "a newer ralph wrote this file; use that one".to_owned()
    } else {
        format!("write \"version\": {FORMAT_VERSION}")
    };
    FormatError::new(what, help)
}

/// Reads once more, slowly, to say where the fault is.
fn explain(text: &str, error: &serde_json::Error) -> FormatError {
    if let Some(Header { version: Some(found), .. }) = header(text)
        && found != u64::from(FORMAT_VERSION)
    {
        return other_version(found);
    }
    let place = place(text);
    let found = FormatError::json(error);
    let what = match place.as_str() {
        "" => found.what,
        place if error.is_data() => format!("{place}: {}", found.what),
        place => format!("{} ({place})", found.what),
    };
    FormatError { what, ..found }
}

/// `field status of task 3 (T-003)`, as far as it can be told.
fn place(text: &str) -> String {
    let mut reader = serde_json::Deserializer::from_str(text);
    let Err(error) = serde_path_to_error::deserialize::<_, Plan>(&mut reader) else {
        return String::new();
    };
    let path = error.path().to_string();
    let Some((index, field)) = path.strip_prefix("tasks[").and_then(|rest| rest.split_once(']'))
    else {
        return if matches!(path.as_str(), "" | "." | "?") {
            path.replace(['.', '?'], "")
        } else {
            format!("field {path}")
        };
    };
    let Ok(index) = index.parse::<usize>() else {
        return path;
    };
    let id = serde_json::from_str::<Json>(text)
        .ok()
        .and_then(|json| Some(json.get("tasks")?.get(index)?.get("id")?.as_str()?.to_owned()));
    let task = match id {
        Some(id) => format!("task {} ({id})", index + 1),
        None => format!("task {}", index + 1),
    };
    match field.trim_start_matches('.') {
        "" | "?" => task,
        field => format!("field {field} of {task}"),
    }
}

#[cfg(test)]
#[path = "plan_json_tests.rs"]
mod tests;
