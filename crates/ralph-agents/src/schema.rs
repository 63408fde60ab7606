//! The JSON Schemas that agents with structured output are asked to fill, in the forms their providers take.

use ralph_core::{
    handoff::HANDOFF_SCHEMA, memory::COMPACT_SCHEMA, planning::DRAFT_SCHEMA, review::REVIEW_SCHEMA,
    vocabulary::Kind,
};
use serde_json::{Map, Value, json};

/// The JSON schema for work of this kind; empty if none is asked for.
pub(super) fn of(kind: Kind) -> &'static str {
    match kind {
        Kind::Implement | Kind::Fix => HANDOFF_SCHEMA,
        Kind::Review => REVIEW_SCHEMA,
        Kind::Plan => DRAFT_SCHEMA,
        Kind::Compact => COMPACT_SCHEMA,
        Kind::Prompt | Kind::Apply => "",
    }
}

/// Keywords that a strict schema may hold besides those of objects.
const KEPT: [&str; 7] = ["type", "description", "enum", "const", "$ref", "items", "anyOf"];

/// The same schema as strict providers want it: every property is required and those that were optional may be
/// null, nothing else is allowed in an object, and keywords they do not know are left out.
///
/// Text that is no schema comes back as it is.
pub(super) fn strict(schema: &str) -> String {
    serde_json::from_str(schema)
        .map_or_else(|_| schema.to_owned(), |schema| strict_value(schema).to_string())
}

fn strict_value(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else {
        return schema;
    };
    let mut strict = Map::new();
    for keyword in KEPT {
        let Some(value) = schema.shift_remove(keyword) else {
            continue;
        };
        let value = match (keyword, value) {
            ("items", items) => strict_value(items),
            ("anyOf", Value::Array(options)) => options.into_iter().map(strict_value).collect(),
            (_, value) => value,
        };
        strict.insert(keyword.into(), value);
    }
    if let Some(Value::Object(definitions)) = schema.shift_remove("$defs") {
        let definitions = definitions.into_iter().map(|(name, value)| (name, strict_value(value)));
        strict.insert("$defs".into(), Value::Object(definitions.collect()));
    }
    if strict.get("type").is_some_and(|kind| kind == "object") {
        close(&mut schema, &mut strict);
    }
    Value::Object(strict)
}

/// Moves the properties of an object over, all of them required and nothing besides them allowed.
fn close(schema: &mut Map<String, Value>, strict: &mut Map<String, Value>) {
    let required = schema.shift_remove("required").unwrap_or_default();
    let is_required =
        |name: &str| required.as_array().is_some_and(|list| list.iter().any(|one| one == name));
    let properties = match schema.shift_remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, value)| {
            let value = strict_value(value);
            let value = if is_required(&name) { value } else { nullable(value) };
            (name, value)
        })
        .collect();
    strict.insert("required".into(), properties.keys().cloned().collect());
    strict.insert("properties".into(), Value::Object(properties));
    strict.insert("additionalProperties".into(), Value::Bool(false));
}

fn nullable(mut schema: Value) -> Value {
    match &mut schema["type"] {
        Value::String(kind) => schema["type"] = json!([kind, "null"]),
        Value::Array(kinds) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Value::Array(_) => {}
        _ => return json!({"anyOf": [without_key(schema, "type"), {"type": "null"}]}),
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}

fn without_key(mut schema: Value, key: &str) -> Value {
    if let Value::Object(map) = &mut schema {
        map.shift_remove(key);
    }
    schema
}

/// An answer to a strict schema without the nulls that stand for what was optional and left out.
pub(super) fn without_nulls(answer: Value) -> Value {
    match answer {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(list) => list.into_iter().map(without_nulls).collect(),
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::{handoff::Handoff, review};

    fn strict_json(schema: &Value) -> Value {
        serde_json::from_str(&strict(&schema.to_string())).unwrap_or_default()
    }

    /// Fails at every object that is not closed and every keyword that is not allowed.
    fn assert_strict(schema: &Value, path: &str) {
        let Value::Object(map) = schema else {
            return;
        };
        for keyword in map.keys().filter(|key| !KEPT.contains(&key.as_str())) {
            let known = ["properties", "required", "additionalProperties", "$defs"];
            assert!(known.contains(&keyword.as_str()), "{path}: {keyword}");
        }
        if let Some(properties) = map.get("properties").and_then(Value::as_object) {
            assert_eq!(map["additionalProperties"], false, "{path}");
            let names: Value = properties.keys().cloned().collect();
            assert_eq!(map["required"], names, "{path}");
            for (name, value) in properties {
                assert_strict(value, &format!("{path}.{name}"));
            }
        } else {
            assert_ne!(map.get("type"), Some(&json!("object")), "{path} is an open object");
        }
        if let Some(items) = map.get("items") {
            assert_strict(items, &format!("{path}[]"));
        }
    }

    #[test]
    fn both_schemas_of_ours_become_strict() {
        for schema in [HANDOFF_SCHEMA, REVIEW_SCHEMA, DRAFT_SCHEMA] {
            let strict: Value = serde_json::from_str(&strict(schema)).unwrap_or_default();
            assert_eq!(strict["type"], "object");
            assert_strict(&strict, "");
        }
    }

    #[test]
    fn what_was_optional_may_be_null_and_what_was_required_may_not() {
        let strict = strict_json(&json!({
            "type": "object",
            "properties": {
                "must": {"type": "string"},
                "may": {"type": "string", "enum": ["a", "b"], "description": "d"},
                "either": {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]},
                "both": {"type": ["string", "null"]},
                "deep": {"type": "object", "properties": {"x": {"type": "integer", "default": 3}}},
            },
            "required": ["must"],
        }));
        let properties = &strict["properties"];
        assert_eq!(properties["must"], json!({"type": "string"}));
        assert_eq!(
            properties["may"],
            json!({"type": ["string", "null"], "description": "d", "enum": ["a", "b", null]})
        );
        assert_eq!(
            properties["either"],
            json!({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "null"}]})
        );
        assert_eq!(properties["both"], json!({"type": ["string", "null"]}));
        assert_eq!(properties["deep"]["type"], json!(["object", "null"]));
        assert_eq!(properties["deep"]["properties"]["x"], json!({"type": ["integer", "null"]}));
        assert_eq!(properties["deep"]["required"], json!(["x"]));
    }

    #[test]
    fn text_that_is_no_schema_stays_as_it_is() {
        assert_eq!(strict("not json"), "not json");
        assert_eq!(strict(""), "");
    }

    #[test]
    fn an_answer_with_nulls_reads_like_one_that_leaves_them_out() {
        let strict = json!({
            "task_completed": {"task_id": "T-1", "summary": "did it", "fully_complete": true},
            "commit_message": null,
            "question": null,
            "patterns": null,
            "plan_amendments": [{"action": "modify", "task_id": "T-2", "task": null, "after": null, "reason": "r",
                "changes": {"title": "new", "description": null, "notes": null}}],
        });
        let sparse = json!({
            "task_completed": {"task_id": "T-1", "summary": "did it", "fully_complete": true},
            "plan_amendments": [{"action": "modify", "task_id": "T-2", "reason": "r", "changes": {"title": "new"}}],
        });
        let read = |value: Value| Handoff::from_json(&value.to_string());
        assert!(read(sparse.clone()).is_some());
        assert_eq!(read(without_nulls(strict.clone())), read(sparse));
        let kept = read(strict).unwrap_or_default();
        assert_eq!((kept.commit_message, kept.question), (None, None), "a null loses only itself");
    }

    #[test]
    fn a_review_to_the_strict_schema_is_read() {
        let entry = json!({"number": 1, "criterion": "c", "met": true, "evidence": "src/a.rs:1", "comment": ""});
        let answer = json!({"criteria": [entry], "findings": [], "summary": "s"});
        let handoff = Handoff::from_json(&without_nulls(answer).to_string());
        assert_eq!(review::read(handoff.as_ref(), "").map(|review| review.criteria.len()), Ok(1));
    }
}
