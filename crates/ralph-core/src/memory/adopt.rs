//! Takes an agent's compaction over: it may add statements, and remove those that it names as superseded.
//!
//! What it merely leaves out stays. What work was completed is ralph's own record.

use ralph_text::{cut, markdown::one_line, sanitise::clean};
use serde_json::{Map, Value};

use super::{
    context::{Context, FileNote, LibraryNote, Statement},
    lenient::{self, entries, field, superseded, texts},
    merge::{state, supersede},
};
use crate::handoff::Handoff;

/// The form of an agent's answer, on one line.
pub const COMPACT_SCHEMA: &str = include_str!("compact.schema.json").trim_ascii();

/// Most bytes of what is known of a library.
const MAX_DOCS: usize = 2_000;
/// Most bytes of a summary.
const MAX_SUMMARY: usize = 1_200;

/// Why an agent's answer is no compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its answer holds no context")]
pub struct NoContext;

/// Takes over what an agent made of the context.
pub fn adopt(context: &mut Context, answer: Option<&Handoff>, now: u32) -> Result<(), NoContext> {
    let rest = &answer.ok_or(NoContext)?.rest;
    let summary = rest.get("project_summary").and_then(Value::as_str).unwrap_or_default();
    let has_lists = ["active_constraints", "architectural_decisions", "completed_work"]
        .iter()
        .any(|name| rest.get(*name).is_some_and(Value::is_array));
    if summary.trim().is_empty() && !has_lists {
        return Err(NoContext);
    }
    context.summary = cut::ellipsis(&one_line(&clean(summary)), MAX_SUMMARY);
    statements(context, rest, now);
    files(context, rest, now);
    libraries(context, rest, now);
    Ok(())
}

fn statements(context: &mut Context, rest: &Map<String, Value>, now: u32) {
    for text in superseded(rest) {
        supersede(context, &text);
    }
    let lists = [
        (&mut context.constraints, "active_constraints", "constraint"),
        (&mut context.decisions, "architectural_decisions", "decision"),
        (&mut context.issues, "unresolved_issues", "issue"),
        (&mut context.patterns, "patterns", "pattern"),
    ];
    for (list, name, field) in lists {
        // Said again by whoever sorts is not said again by whoever works.
        let uncounted = |text| Statement { times: 0, ..Statement::new(text, now) };
        state(list, texts(rest, name, &[field, "text"]).into_iter().map(uncounted));
    }
}

fn files(context: &mut Context, rest: &Map<String, Value>, now: u32) {
    for map in entries(rest, "file_knowledge").filter_map(Value::as_object) {
        let (path, purpose) = (field(map, &["path"]), field(map, &["purpose"]));
        if path.is_empty() || purpose.is_empty() {
            continue;
        }
        match context.files.iter_mut().find(|one| one.path == path) {
            Some(known) => known.purpose = purpose,
            None => context.files.push(FileNote { path, purpose, last: now, times: 1 }),
        }
    }
}

fn libraries(context: &mut Context, rest: &Map<String, Value>, now: u32) {
    for map in entries(rest, "library_docs").filter_map(Value::as_object) {
        let library = field(map, &["library", "name"]);
        let long = |name: &str| map.get(name).and_then(Value::as_str).map(docs).unwrap_or_default();
        let note = LibraryNote {
            key_apis: long("key_apis"),
            usage_notes: long("usage_notes"),
            last: now,
            library,
        };
        if note.library.is_empty() || note.key_apis.is_empty() {
            continue;
        }
        let name = note.library.to_lowercase();
        context.libraries.retain(|one| one.library.to_lowercase() != name);
        context.libraries.push(note);
    }
}

fn docs(text: &str) -> String {
    cut::ellipsis(&one_line(&clean(text)), MAX_DOCS)
}

/// Reads a stored context as data: what has the wrong shape is left out, everything is of an earlier run.
pub fn read_stored(document: &Value) -> Context {
    let mut context = Context::default();
    let Value::Object(map) = document else {
        return context;
    };
    let old = |text: String| Statement::new(text, 0);
    let all = |name: &str, fields: &[&str]| {
        lenient::all_texts(map, name, fields).into_iter().map(old).collect::<Vec<_>>()
    };
    context.completed = all("completed_work", &["text"]);
    context.constraints = all("active_constraints", &["constraint", "text"]);
    context.decisions = all("architectural_decisions", &["decision", "text"]);
    context.issues = all("unresolved_issues", &["issue", "text"]);
    context.patterns = all("patterns", &["pattern", "text"]);
    files(&mut context, map, 0);
    libraries(&mut context, map, 0);
    context
}
