//! The requirements document of a draft: ten sections as a planner gives them, one Markdown text as people read it.

use std::fmt::Write as _;

use ralph_text::markdown::one_line;
use serde_json::{Map, Value};

use crate::plan::prd;

/// Sections that every document needs.
pub(super) const REQUIRED: [&str; 3] = ["summary", "problem_statement", "technical_design"];

/// The document; empty if no section says anything.
pub(super) fn markdown(project: &str, sections: &Map<String, Value>) -> String {
    let text = |key: &str| sections.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    if prd::sections().all(|(key, _)| text(key).is_empty()) {
        return String::new();
    }
    let title = if project.trim().is_empty() { "Requirements" } else { project };
    let mut document = format!("# {}\n", one_line(title));
    for (key, heading) in prd::sections() {
        let body = text(key);
        if !body.is_empty() {
            let _ = write!(document, "\n{heading}\n\n{body}\n");
        }
    }
    document
}

/// The document with what was assumed among its open questions, so that nobody misses it.
pub(super) fn with_assumptions(document: &str, assumed: &[String]) -> String {
    let new: Vec<String> = assumed
        .iter()
        .map(|one| one_line(one))
        .filter(|one| !one.is_empty() && !document.contains(one.as_str()))
        .map(|one| format!("- Assumed: {one}\n"))
        .collect();
    if document.is_empty() || new.is_empty() {
        return document.to_owned();
    }
    let is_open = |line: &str| {
        line.starts_with('#') && line.to_lowercase().trim_end().ends_with("open questions")
    };
    // It is the last section where there is one.
    let begin = if document.lines().any(is_open) {
        String::new()
    } else {
        prd::sections().last().map(|(_, heading)| heading + "\n\n").unwrap_or_default()
    };
    format!("{}\n\n{begin}{}", document.trim_end(), new.concat())
}
