//! Reads `plan_amendments` of a handoff, in the shapes that agents write. Judges nothing.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Amendment, Changes, Proposal, Source, claims};
use crate::{
    handoff::Handoff,
    ids::TaskId,
    plan::{Criterion, Task},
};

type Fields = Map<String, Value>;

/// Proposals in a handoff, and what could not be read, in words.
pub fn from_handoff(handoff: &Handoff) -> (Vec<Proposal>, Vec<String>) {
    let (mut proposals, mut words) = (Vec::new(), Vec::new());
    let Some(value) = handoff.rest.get("plan_amendments").cloned() else {
        return (proposals, words);
    };
    let entries = match unquoted(value) {
        Value::Null => Vec::new(),
        Value::Array(entries) => entries,
        Value::Object(fields) if fields.is_empty() => Vec::new(),
        one @ Value::Object(_) => vec![one],
        _ => {
            words.push("plan_amendments is not a list".into());
            return (proposals, words);
        }
    };
    for (index, entry) in entries.into_iter().enumerate() {
        match read(entry) {
            Ok(amendment) => proposals.push(Proposal { from: Source::Handoff, amendment }),
            Err(why) => words.push(format!("plan amendment {}: {why}", index + 1)),
        }
    }
    (proposals, words)
}

/// JSON that an agent put into a string.
fn unquoted(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    }
}

fn read(entry: Value) -> Result<Amendment, String> {
    let Value::Object(fields) = unquoted(entry) else {
        return Err("it is not an object".into());
    };
    let mut fields = with_own_names(fields);
    let action = text(&mut fields, &["action", "type", "op", "operation"]).unwrap_or_default();
    let reason = text(&mut fields, &["reason", "why", "rationale"]).unwrap_or_default();
    let named = text(&mut fields, &["task_id"]);
    match action.to_ascii_lowercase().as_str() {
        "add" | "create" | "insert" | "new" => add(fields, named, reason),
        "modify" | "update" | "edit" | "change" => modify(fields, named, reason),
        "remove" | "delete" | "drop" => {
            let mut inner = object(&mut fields, "task").unwrap_or_default();
            let id = named
                .or_else(|| text(&mut fields, &["id", "task"]))
                .or_else(|| text(&mut inner, &["id"]));
            let id = id.ok_or("it names no task to remove")?.into();
            Ok(Amendment::Remove { id, reason })
        }
        "" => Err("it has no action (add, modify or remove)".into()),
        other => Err(format!("its action is `{other}`, not add, modify or remove")),
    }
}

fn add(mut fields: Fields, named: Option<String>, reason: String) -> Result<Amendment, String> {
    let after = text(&mut fields, &["after"]).map(TaskId::from);
    let mut task = match object(&mut fields, "task") {
        Some(task) => with_own_names(task),
        None => fields,
    };
    if let (None, Some(id)) = (task.get("id"), named) {
        task.insert("id".into(), id.into());
    }
    if let Some(Value::Number(id)) = task.get("id") {
        let id = id.to_string();
        task.insert("id".into(), id.into());
    }
    // Absent and null say the same about a task that does not exist yet.
    task.retain(|_, value| !value.is_null());
    let id = task.shift_remove("id").and_then(|id| id.as_str().map(|id| id.trim().into()));
    let mut changes = changes(task)?;
    changes.title = changes.title.map(|title| title.trim().to_owned());
    if let Some(name) = ["status", "review_count", "review_feedback"]
        .into_iter()
        .find(|name| changes.other.contains_key(*name))
    {
        return Err(format!("`{name}` of a new task cannot be read"));
    }
    let mut new = Task { id: id.unwrap_or_default(), ..Task::default() };
    changes.write_to(&mut new);
    new.status = changes.status.unwrap_or_default();
    new.review_count = changes.review_count.flatten();
    new.review_feedback = changes.review_feedback.flatten();
    if let Some(said) = new.extra.shift_remove(claims::REVIEW_STATUS) {
        claims::keep_review_status(&mut new, said);
    }
    Ok(Amendment::Add { task: Box::new(new), after, reason })
}

fn modify(mut fields: Fields, named: Option<String>, reason: String) -> Result<Amendment, String> {
    let inner = ["changes", "task", "fields", "updates"]
        .into_iter()
        .find_map(|name| object(&mut fields, name));
    let mut inner = inner.map(with_own_names);
    let own = text(&mut fields, &["id", "task"]);
    let of_inner = inner.as_mut().and_then(|inner| text(inner, &["id"]));
    let id = named.or(own).or(of_inner).ok_or("it names no task to modify")?;
    // What is said beside the changes about where the task stands belongs to them.
    let wanted = match inner {
        Some(inner) => {
            fields.retain(|name, _| claims::is_claim(name));
            fields.extend(inner);
            fields
        }
        None => fields,
    };
    let changes = changes(wanted).map_err(|why| format!("{why} (of {id})"))?;
    Ok(Amendment::Modify { id: id.into(), changes: Box::new(changes), reason })
}

/// Field by field, so that one of the wrong kind can be named.
fn changes(mut fields: Fields) -> Result<Changes, String> {
    let mut changes = Changes::default();
    macro_rules! take {
        ($($field:ident: $read:expr),+ $(,)?) => {
            $(if let Some(value) = fields.shift_remove(stringify!($field)) {
                let read: Result<_, String> = $read(value);
                changes.$field = Some(read.map_err(|why| format!("`{}` {why}", stringify!($field)))?);
            })+
        };
    }
    take! {
        title: plain, description: plain, acceptance_criteria: list::<Criterion>, priority: plain, order: plain,
        depends_on: list::<TaskId>, skills: list::<String>, needs_docs: plain, libraries: list::<String>,
        agent: plain, model: plain, max_turns: plain, max_attempts: plain, max_retries: plain,
        timeout_multiplier: plain, notes: plain,
    }
    // What says where a task stands is kept even if it cannot be read: it is refused, never lost.
    changes.status = claimed(&mut fields, "status");
    changes.review_count = claimed(&mut fields, "review_count");
    changes.review_feedback = claimed(&mut fields, "review_feedback");
    changes.other = fields;
    Ok(changes)
}

fn plain<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("cannot be read: {error}"))
}

/// A list, or the one thing that would be in it.
fn list<T: DeserializeOwned>(value: Value) -> Result<Vec<T>, String> {
    plain(match value {
        Value::Null => Value::Array(Vec::new()),
        list @ Value::Array(_) => list,
        one => Value::Array(vec![one]),
    })
}

/// The value, if it is one that ralph knows; otherwise it stays among the unknown fields.
fn claimed<T: DeserializeOwned>(fields: &mut Fields, name: &str) -> Option<T> {
    let read = fields.get(name).and_then(|value| serde_json::from_value(value.clone()).ok())?;
    fields.shift_remove(name);
    Some(read)
}

/// The first of these fields that holds a text or a number.
fn text(fields: &mut Fields, names: &[&str]) -> Option<String> {
    let name = names
        .iter()
        .find(|name| matches!(fields.get(**name), Some(Value::String(_) | Value::Number(_))))?;
    match fields.shift_remove(*name)? {
        Value::String(text) => Some(text.trim().to_owned()),
        number => Some(number.to_string()),
    }
}

fn object(fields: &mut Fields, name: &str) -> Option<Fields> {
    match fields.get(name)? {
        Value::Object(_) => match fields.shift_remove(name)? {
            Value::Object(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// `acceptanceCriteria` as `acceptance_criteria`; claims keep the spelling they came in.
fn with_own_names(fields: Fields) -> Fields {
    let own = |name: String| -> String {
        if claims::is_claim(&name) {
            return name;
        }
        name.char_indices()
            .flat_map(|(at, c)| {
                let gap = (at > 0 && c.is_ascii_uppercase()).then_some('_');
                gap.into_iter().chain(std::iter::once(c.to_ascii_lowercase()))
            })
            .collect()
    };
    fields.into_iter().map(|(name, value)| (own(name), value)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::Status;

    fn read(amendments: Value) -> (Vec<Amendment>, Vec<String>) {
        let rest = [("plan_amendments".to_owned(), amendments)].into_iter().collect();
        let (proposals, words) = from_handoff(&Handoff { rest, ..Handoff::default() });
        assert!(proposals.iter().all(|proposal| proposal.from == Source::Handoff));
        (proposals.into_iter().map(|proposal| proposal.amendment).collect(), words)
    }

    #[test]
    fn the_shape_of_the_schema_is_read_whole() {
        let (read, words) = read(json!([
            {"action": "add", "task": {"id": "T-9", "title": "t", "description": "d", "skills": ["s"], "needs_docs": true,
             "libraries": ["l"], "acceptance_criteria": ["c", {"text": "x", "check": "true"}], "depends_on": ["T-1"]}, "after": "T-1", "reason": "why"},
            {"action": "modify", "task_id": "T-2", "changes": {"description": "new", "notes": null, "status": "done"}, "reason": "why"},
            {"action": "remove", "task_id": "T-3", "reason": "why"},
        ]));
        let task = Task {
            id: "T-9".into(),
            title: "t".into(),
            description: "d".into(),
            skills: vec!["s".into()],
            needs_docs: true,
            libraries: vec!["l".into()],
            acceptance_criteria: vec![
                Criterion::Sentence("c".into()),
                Criterion::Checked { text: "x".into(), check: "true".into() },
            ],
            depends_on: vec!["T-1".into()],
            ..Task::default()
        };
        let changes = Changes {
            description: Some("new".into()),
            notes: Some(None),
            status: Some(Status::Done),
            ..Changes::default()
        };
        let reason = "why".to_owned();
        assert_eq!(words, Vec::<String>::new());
        assert_eq!(
            read,
            [
                Amendment::Add {
                    task: Box::new(task),
                    after: Some("T-1".into()),
                    reason: reason.clone()
                },
                Amendment::Modify {
                    id: "T-2".into(),
                    changes: Box::new(changes),
                    reason: reason.clone()
                },
                Amendment::Remove { id: "T-3".into(), reason },
            ]
        );
    }

    #[test]
    fn other_shapes_that_agents_write_mean_the_same() {
        let modified = json!([{"action": "modify", "task_id": "7", "changes": {"acceptance_criteria": ["c"]}, "reason": "r"}]);
        for same in [
            json!(modified.to_string()),
            modified[0].clone(),
            json!([modified[0].to_string()]),
            json!([{"type": "Update", "id": 7, "changes": {"acceptanceCriteria": "c"}, "why": "r"}]),
            json!([{"op": "edit", "taskId": "7", "acceptance_criteria": ["c"], "rationale": "r"}]),
            json!([{"action": "change", "task": {"id": "7", "acceptance_criteria": ["c"]}, "reason": "r"}]),
        ] {
            assert_eq!(read(same.clone()), read(modified.clone()), "{same}");
        }
        let added = json!([{"action": "add", "task": {"id": "n", "title": "t"}, "reason": "r"}]);
        for same in [
            json!({"action": "create", "id": "n", "title": "t", "reason": "r"}),
            json!([{"action": "add", "task_id": "n", "task": {"title": " t ", "model": null}, "reason": "r"}]),
        ] {
            assert_eq!(read(same.clone()), read(added.clone()), "{same}");
        }
        let removed = json!([{"action": "remove", "task_id": "n", "reason": "r"}]);
        for same in [
            json!([{"action": "delete", "id": "n", "reason": "r"}]),
            json!([{"action": "drop", "task": {"id": "n"}, "reason": "r"}]),
            json!([{"action": "drop", "task": "n", "reason": "r"}]),
        ] {
            assert_eq!(read(same.clone()), read(removed.clone()), "{same}");
        }
    }

    #[test]
    fn nothing_proposed_is_nothing_said() {
        for none in [json!(null), json!([]), json!({}), json!(""), json!("[]"), json!("null")] {
            assert_eq!(read(none.clone()), (Vec::new(), Vec::new()), "{none}");
        }
        assert_eq!(from_handoff(&Handoff::default()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_is_named_and_loses_only_itself() {
        let (amendments, words) = read(json!([
            3,
            {"action": "approve", "task_id": "a"},
            {"task_id": "a"},
            {"action": "modify", "changes": {"title": "x"}},
            {"action": "remove"},
            {"action": "modify", "task_id": "a", "changes": {"max_turns": "many"}},
            {"action": "add", "task": {"id": "a", "title": "t", "status": "approved"}},
            {"action": "remove", "task_id": "kept"},
        ]));
        assert_eq!(amendments, [Amendment::Remove { id: "kept".into(), reason: String::new() }]);
        assert_eq!(
            words,
            [
                "plan amendment 1: it is not an object",
                "plan amendment 2: its action is `approve`, not add, modify or remove",
                "plan amendment 3: it has no action (add, modify or remove)",
                "plan amendment 4: it names no task to modify",
                "plan amendment 5: it names no task to remove",
                "plan amendment 6: `max_turns` cannot be read: invalid type: string \"many\", expected u32 (of a)",
                "plan amendment 7: `status` of a new task cannot be read",
            ]
        );
        assert_eq!(read(json!("do less")).1, ["plan_amendments is not a list"]);
        assert_eq!(read(json!(7)).1, ["plan_amendments is not a list"]);
    }

    #[test]
    fn what_says_where_a_task_stands_is_never_lost_on_the_way() {
        for changes in [
            json!({"action": "modify", "task_id": "a", "changes": {"status": "approved"}}),
            json!({"action": "modify", "task_id": "a", "changes": {"title": "x"}, "status": "done"}),
            json!({"action": "modify", "task_id": "a", "passes": true}),
            json!({"action": "modify", "task_id": "a", "changes": {"reviewCount": -1}}),
            json!({"action": "modify", "task_id": "a", "changes": {"review_count": -1}}),
        ] {
            let (amendments, _) = read(json!([changes]));
            let claim = amendments.first().map(|amendment| match amendment {
                Amendment::Modify { changes, .. } => changes.claim().is_some(),
                _ => false,
            });
            assert_eq!(claim, Some(true), "{changes}");
        }
    }
}
