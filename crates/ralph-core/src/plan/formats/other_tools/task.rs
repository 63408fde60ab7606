//! One task from an object of another tool.

use serde_json::{Map, Value};

use super::{
    super::{FormatError, criterion, names},
    Fields,
    fields::as_text,
};
use crate::plan::{Criterion, Status, Task};

/// One task from an object.
pub(super) fn task(object: Map<String, Value>, number: usize) -> Result<Task, FormatError> {
    let id = ["id", "ID", "key"].iter().find_map(|name| object.get(*name)).cloned();
    let place = match id.and_then(as_text) {
        Some(id) => format!("task {number} ({id})"),
        None => format!("task {number}"),
    };
    let mut fields = Fields::new(object, place);
    let id = fields.text(&["id", "key", "taskid"])?.map(|id| names::sound_id(&id));
    let mut title = fields.text(&["title", "name", "summary", "story"])?.unwrap_or_default();
    let mut description = fields.text(&["description", "details", "body"])?.unwrap_or_default();
    if title.is_empty() {
        (title, description) = split_title(&description);
    }
    let status = take_status(&mut fields)?;
    let mut task = Task {
        id: id.unwrap_or_default(),
        title,
        description,
        acceptance_criteria: take_criteria(&mut fields)?,
        status,
        priority: take_priority(&mut fields)?,
        order: fields.number(&["order"])?,
        depends_on: fields
            .texts(&["dependson", "dependencies", "deps", "blockedby", "requires"])?
            .iter()
            .map(|id| names::sound_id(id))
            .collect(),
        skills: fields.texts(&["skills"])?,
        needs_docs: fields.flag(&["needsdocs"])?.unwrap_or_default(),
        libraries: fields.texts(&["libraries"])?,
        agent: fields.text(&["agent"])?,
        model: fields.text(&["model"])?,
        max_turns: fields.number(&["maxturns"])?,
        max_attempts: fields.number(&["maxattempts"])?,
        max_retries: fields.number(&["maxretries"])?,
        review_count: fields.number(&["reviewcount"])?.filter(|count| *count > 0),
        review_feedback: fields.text(&["reviewfeedback"])?,
        notes: fields.text(&["notes"])?,
        branch: fields.text(&["branch"])?,
        question: fields.text(&["question"])?,
        ..Task::default()
    };
    if let Some(value) = fields.take(&["timeoutmultiplier"]) {
        let number = value.as_f64().filter(|number| number.is_finite());
        task.timeout_multiplier =
            Some(number.ok_or_else(|| fields.wrong(&["timeout_multiplier"], "a number"))?);
    }
    task.extra = fields.rest(Task::FIELDS);
    Ok(task)
}

/// Lists of features that have no titles say what they are in their description.
fn split_title(description: &str) -> (String, String) {
    match description.split_once('\n') {
        Some((first, rest)) => (first.trim().to_owned(), rest.trim().to_owned()),
        None => (description.trim().to_owned(), String::new()),
    }
}

/// `passes` first: it is what other loops go by. An approval without it is only a claim.
fn take_status(fields: &mut Fields) -> Result<Status, FormatError> {
    let passes = fields.flag(&["passes", "passed", "completed", "complete", "done"])?;
    let review = fields.text(&["reviewstatus"])?;
    let said = match fields.take(&["status", "state"]) {
        None => None,
        Some(Value::String(word)) => Some(names::status(&word).ok_or_else(|| {
            let wanted = "a known status, such as pending, in_progress, done or skipped";
            fields.wrong(&["status"], wanted)
        })?),
        Some(_) => return Err(fields.wrong(&["status"], "a word")),
    };
    let review = match review.as_deref() {
        Some("needs_review" | "approved") => Some(Status::NeedsReview),
        Some("changes_requested") => Some(Status::ChangesRequested),
        _ => None,
    };
    Ok(match (passes, review, said) {
        (Some(true), _, _) => Status::Done,
        (Some(false), review, Some(Status::Done)) => review.unwrap_or_default(),
        (_, Some(review), None | Some(Status::Pending)) => review,
        (_, _, said) => said.unwrap_or_default(),
    })
}

fn take_priority(fields: &mut Fields) -> Result<Option<i64>, FormatError> {
    match fields.take(&["priority"]) {
        None => Ok(None),
        Some(value) => {
            let number = value.as_i64().or_else(|| names::priority(value.as_str()?));
            number.map(Some).ok_or_else(|| fields.wrong(&["priority"], "a whole number"))
        }
    }
}

fn take_criteria(fields: &mut Fields) -> Result<Vec<Criterion>, FormatError> {
    let spellings = &["acceptancecriteria", "criteria", "acceptance", "donewhen", "steps"];
    let mut criteria = match fields.take(spellings) {
        None => Vec::new(),
        Some(Value::String(text)) => {
            let lines = text.lines().map(|line| line.trim().trim_start_matches(['-', '*']).trim());
            lines.filter(|line| !line.is_empty()).map(criterion::read).collect()
        }
        Some(Value::Array(items)) => items
            .into_iter()
            .map(one_criterion)
            .collect::<Option<_>>()
            .ok_or_else(|| fields.wrong(&["acceptance_criteria"], "a list of sentences"))?,
        Some(_) => return Err(fields.wrong(&["acceptance_criteria"], "a list of sentences")),
    };
    for check in fields.texts(&["verify", "verifycommands", "validation", "validationcommands"])? {
        criteria.push(succeeds(check));
    }
    Ok(criteria)
}

fn one_criterion(value: Value) -> Option<Criterion> {
    match value {
        Value::String(text) => Some(criterion::read(&text)),
        Value::Object(mut object) => {
            let mut text = |name: &str| object.remove(name)?.as_str().map(str::to_owned);
            let sentence = text("text").or_else(|| text("description"))?;
            Some(match text("check") {
                Some(check) => Criterion::Checked { text: sentence, check },
                None => Criterion::Sentence(sentence),
            })
        }
        _ => None,
    }
}

/// A command that stands for itself.
pub(in super::super) fn succeeds(check: String) -> Criterion {
    Criterion::Checked { text: format!("{} succeeds", criterion::code_span(&check)), check }
}
