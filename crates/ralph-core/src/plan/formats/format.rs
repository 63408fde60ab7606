//! What a text format of plans is: what it carries, how it is read, how it is written. Knows no format.

use crate::{ids::TaskId, plan::Plan};

/// One text format of a plan: what it can carry, and how it is read and written.
pub struct PlanFormat {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// Whether a text looks like this format.
    pub recognises: fn(&Look<'_>) -> bool,
    /// The plan that a text holds. Never trusts the text to be what it seems.
    pub parse: fn(&str) -> Result<Plan, FormatError>,
    /// The text that holds a plan, with every field of it; `None` if the format is only read.
    pub render: Option<fn(&Plan) -> String>,
    /// Writes the tasks' statuses into a text of this format and leaves the rest of it alone.
    pub write_back: Option<WriteBack>,
}

/// Takes a text and a plan, gives the text with the plan's statuses.
pub type WriteBack = fn(&str, &Plan) -> Result<WrittenBack, FormatError>;

/// What a format is recognised by.
pub struct Look<'a> {
    /// Name of the file in lower case, without its folders; empty if there is none.
    pub name: String,
    /// The text without a byte order mark.
    pub text: &'a str,
    /// The text as JSON, if it is that.
    pub json: Option<serde_json::Value>,
}

/// A text in which the status of tasks was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBack {
    pub text: String,
    /// Tasks whose status in the text is another one now.
    pub changed: Vec<TaskId>,
    /// Tasks of the plan that the text does not have, or has no place to say it of.
    pub missing: Vec<TaskId>,
}

/// Why a text cannot be read as a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", place(*line, *column))]
pub struct FormatError {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub what: String,
    /// What to do about it.
    pub help: String,
}

impl Look<'_> {
    /// Whether the file is named like this.
    pub fn ends_with(&self, endings: &[&str]) -> bool {
        endings.iter().any(|end| self.name.ends_with(end))
    }
}

impl FormatError {
    /// An error without a place.
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line: None, column: None, what: what.into(), help: help.into() }
    }

    /// The same at a line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// What serde says of a JSON text.
    pub fn json(error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let said = error.to_string();
        let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
        let (what, help) = if error.is_data() {
            (said.to_owned(), FIX_VALUE)
        } else {
            (
                format!("not valid JSON: {said}"),
                "fix the file there; look for an extra comma or a missing quote",
            )
        };
        Self { line: Some(line), column: Some(column), what, help: help.into() }
    }
}

/// What to do about one wrong value.
pub(super) const FIX_VALUE: &str = "correct this value";

fn place(line: Option<usize>, column: Option<usize>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        _ => String::new(),
    }
}
