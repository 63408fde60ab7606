//! `prd.json` and `tasks.json`: user stories with `passes`, as many loops keep them. What ralph knows besides is
//! written under its own names, which other tools pass over.

use serde_json::{Map, Value, json};

use super::{
    FormatError, Look, PlanFormat, WrittenBack, criterion, names,
    other_tools::{self, Fields},
    source::is_imported_as_done,
    status_changes::StatusChanges,
};
use crate::plan::{Plan, Status, Task};

pub(super) static FORMAT: PlanFormat = PlanFormat {
    name: "prd.json",
    aliases: &["prd", "tasks.json", "tasks", "stories"],
    recognises,
    parse,
    render: Some(render),
    write_back: Some(write_back),
};

fn parse(text: &str) -> Result<Plan, FormatError> {
    let document = serde_json::from_str(text).map_err(|error| FormatError::json(&error))?;
    other_tools::plan(document)
}

fn render(plan: &Plan) -> String {
    let mut document = Map::new();
    document.insert("project".into(), json!(plan.project));
    document.insert("branchName".into(), json!(plan.branch));
    document.insert("description".into(), json!(plan.description));
    document.insert("verifyCommands".into(), json!(plan.verify_commands));
    put(&mut document, "max_iterations", plan.max_iterations);
    put(&mut document, "validation_strategy", plan.validation_strategy.as_ref());
    document.insert("userStories".into(), plan.tasks.iter().map(story).collect());
    document.extend(plan.extra.clone());
    pretty(&Value::Object(document))
}

/// Two spaces, a newline at the end.
fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Lists of other shapes are read too, if nothing knows them better.
fn recognises(look: &Look<'_>) -> bool {
    match &look.json {
        Some(Value::Object(object)) => {
            Fields::new(object.clone(), "").take(other_tools::TASK_LISTS).is_some()
        }
        Some(Value::Array(items)) => {
            items.first().is_some_and(|item| item.is_object() || item.is_string())
        }
        Some(_) => false,
        None => ["prd.json", "tasks.json", "feature_list.json"].contains(&look.name.as_str()),
    }
}

fn story(task: &Task) -> Value {
    let criteria: Vec<String> = task.acceptance_criteria.iter().map(criterion::write).collect();
    let mut story = Map::new();
    story.insert("id".into(), json!(task.id));
    story.insert("title".into(), json!(task.title));
    story.insert("description".into(), json!(task.description));
    story.insert("acceptanceCriteria".into(), json!(criteria));
    put(&mut story, "priority", task.priority);
    set_status(&mut story, task.status);
    if is_imported_as_done(task) {
        // Nobody here reviewed it.
        story.insert("reviewStatus".into(), Value::Null);
    }
    story.insert("reviewCount".into(), json!(task.review_count.unwrap_or_default()));
    story.insert("reviewFeedback".into(), json!(task.review_feedback.as_deref().unwrap_or("")));
    story.insert("notes".into(), json!(task.notes.as_deref().unwrap_or("")));
    story.insert("dependsOn".into(), json!(task.depends_on));
    put(&mut story, "order", task.order);
    put(&mut story, "skills", Some(&task.skills).filter(|list| !list.is_empty()));
    put(&mut story, "needs_docs", task.needs_docs.then_some(true));
    put(&mut story, "libraries", Some(&task.libraries).filter(|list| !list.is_empty()));
    put(&mut story, "agent", task.agent.as_ref());
    put(&mut story, "model", task.model.as_ref());
    put(&mut story, "max_turns", task.max_turns);
    put(&mut story, "max_attempts", task.max_attempts);
    put(&mut story, "max_retries", task.max_retries);
    put(&mut story, "timeout_multiplier", task.timeout_multiplier);
    put(&mut story, "branch", task.branch.as_ref());
    put(&mut story, "question", task.question.as_ref());
    story.extend(task.extra.clone());
    Value::Object(story)
}

/// The status of a story: `passes` and `reviewStatus` as every reader knows them, and `status` where these two do
/// not say it all.
fn set_status(story: &mut Map<String, Value>, status: Status) {
    let review = match status {
        Status::Done => json!("approved"),
        Status::NeedsReview | Status::ChangesRequested => json!(status.word()),
        _ => Value::Null,
    };
    story.insert("passes".into(), json!(status == Status::Done));
    story.insert("reviewStatus".into(), review);
    if matches!(status, Status::InProgress | Status::Failed | Status::Skipped | Status::Parked) {
        story.insert("status".into(), json!(status.word()));
    } else {
        story.shift_remove("status");
    }
}

fn put(object: &mut Map<String, Value>, name: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        object.insert(name.into(), json!(value));
    }
}

fn write_back(text: &str, plan: &Plan) -> Result<WrittenBack, FormatError> {
    let before = parse(text)?;
    let mut document: Value =
        serde_json::from_str(text).map_err(|error| FormatError::json(&error))?;
    let mut changes = StatusChanges::of(plan, &before);
    let stories = match &mut document {
        Value::Array(stories) => Some(stories),
        Value::Object(object) => object
            .iter_mut()
            .find(|(name, _)| {
                other_tools::TASK_LISTS.contains(&name.to_lowercase().replace('_', "").as_str())
            })
            .and_then(|(_, stories)| stories.as_array_mut()),
        _ => None,
    };
    for (story, task) in stories.into_iter().flatten().zip(&before.tasks) {
        if let (Some(status), Value::Object(story)) = (changes.change(task), story) {
            rewrite(story, status);
        }
    }
    let text = if changes.is_any_changed() { pretty(&document) } else { text.to_owned() };
    Ok(changes.finish(text))
}

/// Uses the words the file uses: `passes` and `reviewStatus`, `done`, or `status`.
fn rewrite(story: &mut Map<String, Value>, status: Status) {
    let is_done = status == Status::Done;
    let flag = ["passes", "passed", "completed", "complete", "done"]
        .into_iter()
        .find(|name| story.get(*name).is_some_and(Value::is_boolean));
    match flag {
        Some("passes") | None if !story.contains_key("status") => set_status(story, status),
        Some("passes") if story.contains_key("reviewStatus") => set_status(story, status),
        flag => {
            if let Some(flag) = flag {
                story.insert(flag.into(), json!(is_done));
            }
            if let Some(Value::String(word)) = story.get_mut("status")
                && names::status(word) != Some(status)
            {
                status.word().clone_into(word);
            }
        }
    }
}
