//! What a run knows, compacted: the fields of a memory iteration's output, each statement with where it came from.
//!
//! Holds no rules: `merge` changes it, `bound` keeps it small, `show` words it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The compacted context.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// What an agent made of the project, if one compacted; empty: told by counts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<Statement>,
    /// Completed work that is only counted.
    pub folded: Folded,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileNote>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<LibraryNote>,
    /// Curated conventions of the code base.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<Statement>,
    /// What people wrote down for every agent. Nothing supersedes or drops it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Facts that had to go because there was no room for them.
    pub left_out: u32,
}

/// One thing that holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Statement {
    pub text: String,
    /// A workaround or a reason; not part of what the statement is recognised by.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The task it came from; empty if from none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// The iteration that stated it first; 0 is an earlier run.
    pub since: u32,
    /// The iteration that stated it last.
    pub last: u32,
    /// How often it was stated.
    pub times: u32,
}

/// Completed work of which only the extent is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Folded {
    pub iterations: u32,
    pub tasks: u32,
}

/// What a file is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FileNote {
    pub path: String,
    pub purpose: String,
    /// The iteration that touched it last.
    pub last: u32,
    /// How many iterations touched it.
    pub times: u32,
}

/// What is known of a library.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LibraryNote {
    pub library: String,
    pub key_apis: String,
    pub usage_notes: String,
    pub last: u32,
}

impl Context {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The lists whose statements a handoff can supersede.
    pub(super) fn statements_mut(&mut self) -> [&mut Vec<Statement>; 4] {
        [&mut self.constraints, &mut self.decisions, &mut self.issues, &mut self.patterns]
    }

    /// The project's state in a few words: an agent's, or the extent of the work.
    pub fn project_summary(&self) -> String {
        if !self.summary.is_empty() {
            return self.summary.clone();
        }
        let told = u32::try_from(self.completed.len()).unwrap_or(u32::MAX);
        match (told, self.folded) {
            (0, Folded { iterations: 0, .. }) => String::new(),
            (told, Folded { iterations: 0, .. }) => format!("{told} pieces of work are done."),
            (told, folded) => format!(
                "{} pieces of work are done; {} older ones on {} tasks are not listed.",
                told.saturating_add(folded.iterations),
                folded.iterations,
                folded.tasks
            ),
        }
    }

    /// The stored form: the output schema of a memory iteration, and patterns.
    pub fn document(&self) -> Value {
        let texts = |list: &[Statement]| list.iter().map(Statement::line).collect::<Vec<_>>();
        let constraints: Vec<Value> = self
            .constraints
            .iter()
            .map(|one| json!({"constraint": one.line(), "source_iteration": one.since.to_string()}))
            .collect();
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|one| json!({"path": one.path, "purpose": one.purpose}))
            .collect();
        let libraries: Vec<Value> = self
            .libraries
            .iter()
            .map(|one| {
                json!({"library": one.library, "key_apis": one.key_apis, "usage_notes": one.usage_notes})
            })
            .collect();
        let mut document = json!({
            "project_summary": self.project_summary(),
            "completed_work": texts(&self.completed),
            "active_constraints": constraints,
            "architectural_decisions": texts(&self.decisions),
            "unresolved_issues": texts(&self.issues),
            "file_knowledge": files,
            "library_docs": libraries,
            "patterns": texts(&self.patterns),
            "left_out": self.left_out,
        });
        if let Value::Object(fields) = &mut document {
            let is_empty =
                |value: &Value| value == &json!("") || value == &json!([]) || value == &json!(0);
            fields.retain(|_, value| !is_empty(value));
        }
        document
    }
}

impl Statement {
    /// A statement that an iteration makes.
    pub fn new(text: impl Into<String>, iteration: u32) -> Self {
        Self { text: text.into(), since: iteration, last: iteration, times: 1, ..Self::default() }
    }

    /// The statement with its note.
    pub fn line(&self) -> String {
        if self.note.is_empty() {
            self.text.clone()
        } else {
            format!("{}: {}", self.text.trim_end_matches('.'), self.note)
        }
    }
}
