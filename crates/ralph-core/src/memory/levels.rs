//! What is kept of one iteration, and its levels: L1 one line, L2 what the next one must know, L3 all of it.
//!
//! All of it is an agent's claim, cut and on one line each; a missing handoff leaves what git knows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lenient::{MAX_LIST, entries, field, superseded, text, texts};
use crate::{handoff::Handoff, vocabulary::Kind};

/// What one coding iteration left for memory: its handoff, bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub iteration: u32,
    pub kind: Kind,
    pub task: String,
    /// Its work was accepted.
    pub accepted: bool,
    /// A reviewer wanted it changed: it overrules nothing that was known before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// The agent says the task is complete.
    pub complete: bool,
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<Deviation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Noted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bugs: Vec<Bug>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Noted>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Statements of earlier iterations that no longer hold.
    #[serde(alias = "revoked", skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How many files were touched, listed or not.
    pub touched: u64,
    /// Size of the handoff as it came.
    pub bytes: u64,
}

/// Something that was done otherwise than planned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Deviation {
    pub planned: String,
    pub actual: String,
    pub reason: String,
}

/// A text and what belongs to it: a workaround, a priority.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Noted {
    pub text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// A bug that was met.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Bug {
    pub text: String,
    pub resolution: String,
    pub resolved: bool,
}

/// What the next iteration must know: decisions, deviations, constraints, failures, what is unfinished.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct L2 {
    pub task: String,
    pub decisions: Vec<String>,
    pub deviations: Vec<String>,
    pub constraints: Vec<String>,
    pub failed: Vec<String>,
    pub unfinished: Vec<String>,
}

/// What git and ralph know of an iteration whatever its agent says.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    pub iteration: u32,
    pub kind: Kind,
    pub task: &'a str,
    pub title: &'a str,
    pub accepted: bool,
    pub files: &'a [String],
    pub changed: u64,
}

impl Record {
    /// What is kept of an iteration.
    pub fn new(facts: &Facts<'_>, handoff: Option<&Handoff>) -> Self {
        let mut record = handoff.map(read).unwrap_or_default();
        record.iteration = facts.iteration;
        record.kind = facts.kind;
        facts.task.clone_into(&mut record.task);
        record.accepted = facts.accepted;
        if record.summary.is_empty() {
            record.summary = text(facts.title);
        }
        if record.files.is_empty() {
            record.files = facts.files.iter().take(MAX_LIST).map(|path| text(path)).collect();
        }
        let listed = u64::try_from(record.files.len()).unwrap_or(u64::MAX);
        record.touched = if facts.changed > 0 { facts.changed } else { listed };
        record
    }

    /// One line.
    pub fn l1(&self) -> String {
        let end = match (self.accepted, self.complete) {
            (false, _) => "Not accepted",
            (true, true) => "Complete",
            (true, false) => "Partial",
        };
        let summary = first_sentence(&self.summary);
        let files = if self.touched == 1 { "file" } else { "files" };
        format!("[{}] {summary}. {end}. {} {files}.", self.task, self.touched)
    }

    /// What the next iteration must know.
    pub fn l2(&self) -> L2 {
        let noted = |one: &Noted, between: &str, after: &str| match one.note.as_str() {
            "" => one.text.clone(),
            note => format!("{}{between}{note}{after}", one.text.trim_end_matches('.')),
        };
        L2 {
            task: self.task.clone(),
            decisions: self.decisions.clone(),
            deviations: self.deviations.iter().map(Deviation::line).collect(),
            constraints: self.constraints.iter().map(|one| noted(one, ": ", "")).collect(),
            failed: self
                .bugs
                .iter()
                .filter(|bug| !bug.resolved)
                .map(|bug| bug.text.clone())
                .collect(),
            unfinished: self.unfinished.iter().map(|one| noted(one, " (", ")")).collect(),
        }
    }

    /// All of it, bounded.
    pub fn l3(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Deviation {
    /// `planned → actual: reason`.
    pub fn line(&self) -> String {
        let reason =
            if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        format!("{} → {}{reason}", self.planned.trim_end_matches('.'), self.actual)
    }
}

impl L2 {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.is_empty())
    }

    /// Its lists with their names, most important first.
    pub fn lists(&self) -> [(&'static str, &[String]); 5] {
        [
            ("Constraints", &self.constraints),
            ("Decisions", &self.decisions),
            ("Done otherwise than planned", &self.deviations),
            ("Failed", &self.failed),
            ("Unfinished", &self.unfinished),
        ]
    }
}

fn read(handoff: &Handoff) -> Record {
    let rest = &handoff.rest;
    let bugs = entries(rest, "bugs_encountered").filter_map(Value::as_object).map(bug);
    let deviations = entries(rest, "deviations").filter_map(Value::as_object).map(deviation);
    let bytes = serde_json::to_string(handoff).map_or(0, |text| text.len());
    Record {
        complete: handoff.task_completed.fully_complete == Some(true),
        summary: text(&handoff.task_completed.summary),
        decisions: texts(rest, "architectural_notes", &["note", "decision", "text"]),
        deviations: deviations.filter(|one| !one.actual.is_empty()).collect(),
        constraints: noted(
            rest,
            "constraints_discovered",
            &["constraint", "text"],
            &["workaround", "impact"],
        ),
        bugs: bugs.filter(|bug| !bug.text.is_empty()).collect(),
        unfinished: noted(rest, "unfinished_business", &["item", "text"], &["priority"]),
        patterns: texts(rest, "patterns", &["pattern", "text"]),
        supersedes: superseded(rest),
        files: texts(rest, "files_touched", &["path", "file"]),
        bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
        ..Record::default()
    }
}

fn bug(map: &Map<String, Value>) -> Bug {
    Bug {
        text: field(map, &["description", "bug"]),
        resolution: field(map, &["resolution"]),
        resolved: map.get("resolved").and_then(Value::as_bool).unwrap_or(false),
    }
}

fn deviation(map: &Map<String, Value>) -> Deviation {
    Deviation {
        planned: field(map, &["planned"]),
        actual: field(map, &["actual"]),
        reason: field(map, &["reason"]),
    }
}

fn noted(map: &Map<String, Value>, name: &str, texts: &[&str], notes: &[&str]) -> Vec<Noted> {
    let read = |entry: &Value| match entry {
        Value::Object(map) => Noted { text: field(map, texts), note: field(map, notes) },
        other => Noted { text: other.as_str().map(text).unwrap_or_default(), note: String::new() },
    };
    entries(map, name).map(read).filter(|one| !one.text.is_empty()).collect()
}

/// The first sentence without its full stop.
pub(super) fn first_sentence(words: &str) -> &str {
    let end = words.find(". ").unwrap_or(words.len());
    words.get(..end).unwrap_or(words).trim_end_matches('.')
}
