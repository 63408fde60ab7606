//! `plan.json`: ralph's own format, read and written whole.

use serde_json::Value as Json;

use super::{
    Facts, FormatError, Look, PlanFormat, WrittenBack,
    back::Stands,
    format::{EVERY_FIELD, EVERY_STATUS},
};
use crate::plan::{FORMAT_VERSION, Plan};

pub(super) struct PlanJson;

static FACTS: Facts = Facts {
    name: "plan.json",
    aliases: &["plan", "json"],
    task_fields: EVERY_FIELD,
    plan_fields: EVERY_FIELD,
    statuses: EVERY_STATUS,
    recognises,
    write_back: Some(write_back),
};

impl PlanFormat for PlanJson {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn parse(&self, text: &str) -> Result<Plan, FormatError> {
        parse(text).map_err(|error| {
            let help = error.help();
            FormatError::new(error.to_string(), help)
        })
    }

    fn render(&self, plan: &Plan) -> Option<String> {
        Some(render(plan))
    }
}

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

fn write_back(text: &str, plan: &Plan) -> Result<WrittenBack, FormatError> {
    let mut before = PlanJson.parse(text)?;
    let mut stands = Stands::of(plan, &before);
    for task in &mut before.tasks {
        if let Some(status) = stands.change(task) {
            task.status = status;
        }
    }
    let text = if stands.is_any_changed() { render(&before) } else { text.to_owned() };
    Ok(stands.finish(text))
}

/// Why a text is not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the plan is not valid JSON at line {line}, column {column}: {why}")]
    Syntax { line: usize, column: usize, why: String },
    #[error("the plan cannot be read at line {line}, column {column}, {place}: {why}")]
    Field { line: usize, column: usize, place: String, why: String },
    #[error("the plan has version {found}, and this ralph reads version {FORMAT_VERSION}")]
    Version { found: u64 },
    #[error("the plan has no `tasks`")]
    NoTasks,
}

impl PlanError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Syntax { .. } => {
                "mend the file there; a comma too many or a missing quote is often the cause".into()
            }
            Self::Field { .. } => {
                "correct it there; the rest of the file is not the problem".into()
            }
            Self::Version { found } if *found > u64::from(FORMAT_VERSION) => {
                "the file was written by a newer ralph; use that one".into()
            }
            Self::Version { .. } => format!("write \"version\": {FORMAT_VERSION}"),
            Self::NoTasks => "write \"tasks\": [ { \"id\": \"T-001\", \"title\": \"…\" } ]".into(),
        }
    }
}

/// Reads a plan. Unknown fields are kept, a missing version reads as 1.
pub fn parse(text: &str) -> Result<Plan, PlanError> {
    let text = text.trim_start_matches('\u{feff}');
    let plan: Plan = serde_json::from_str(text).map_err(|error| explain(text, &error))?;
    if plan.version != FORMAT_VERSION {
        return Err(PlanError::Version { found: plan.version.into() });
    }
    // A file of another tool reads as a plan with nothing to do, which must not pass for "all done".
    if plan.tasks.is_empty() && header(text).is_some_and(|header| header.tasks.is_none()) {
        return Err(PlanError::NoTasks);
    }
    Ok(plan)
}

/// Writes a plan: two spaces, tasks in their order, a newline at the end.
pub fn render(plan: &Plan) -> String {
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

/// Reads once more, slowly, to say where the fault is.
fn explain(text: &str, error: &serde_json::Error) -> PlanError {
    let (line, column) = (error.line(), error.column());
    let why = error.to_string();
    let why =
        why.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&why).to_owned();
    if let Some(Header { version: Some(found), .. }) = header(text)
        && found != u64::from(FORMAT_VERSION)
    {
        return PlanError::Version { found };
    }
    let place = place(text);
    if error.is_data() {
        let place = if place.is_empty() { "at the top".to_owned() } else { place };
        return PlanError::Field { line, column, place, why };
    }
    let why = if place.is_empty() { why } else { format!("{why} ({place})") };
    PlanError::Syntax { line, column, why }
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
