//! A task while it is being read: what was found of it so far, and where its boxes are.

use serde_json::{Map, Value};

use super::{
    super::{FormatError, criterion, names, other_tools},
    head::Head,
    inline,
    label::Label,
    line::Tick,
};
use crate::plan::{Criterion, Status, Task};

/// A box and its line, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoxAt {
    pub(super) line: usize,
    pub(super) tick: Tick,
}

/// Lines of a description; empty ones count only between others.
#[derive(Debug, Default)]
pub(super) struct Text {
    lines: Vec<String>,
    has_gap: bool,
}

impl Text {
    pub(super) fn say(&mut self, line: &str) {
        if std::mem::take(&mut self.has_gap) {
            self.lines.push(String::new());
        }
        self.lines.push(line.to_owned());
    }

    pub(super) fn gap(&mut self) {
        self.has_gap = !self.lines.is_empty();
    }

    pub(super) fn join(&self) -> String {
        self.lines.join("\n")
    }
}

/// One task of a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Where it begins, counted from 1.
    pub(super) line: usize,
    pub(super) own_box: Option<BoxAt>,
    pub(super) boxes: Vec<BoxAt>,
    pub(super) number: Option<String>,
    pub(super) needed: Vec<String>,
    pub(super) task: Task,
    pub(super) text: Text,
    status: Option<Status>,
    hidden: Map<String, Value>,
}

impl Found {
    pub(super) fn new(head: Head, line: usize) -> Self {
        let mut found = Self {
            line: line + 1,
            own_box: head.tick.map(|tick| BoxAt { line, tick }),
            number: head.number,
            status: head.status,
            ..Self::default()
        };
        found.task.id = head.id.as_deref().map(names::sound_id).unwrap_or_default();
        found.task.title = head.title;
        found.task.priority = head.priority;
        found.needed.extend(head.depends_on.iter().flat_map(|list| split_list(list)));
        found
    }

    pub(super) fn require(&mut self, content: &str) {
        if !content.is_empty() {
            self.task.acceptance_criteria.push(criterion::read(&inline::unescape(content)));
        }
    }

    pub(super) fn prove(&mut self, command: String) {
        self.task.acceptance_criteria.push(other_tools::succeeds(command));
    }

    /// Goes on with the sentence of the last criterion.
    pub(super) fn go_on(&mut self, line: &str) -> bool {
        match self.task.acceptance_criteria.last_mut() {
            Some(Criterion::Sentence(text)) => {
                let joined = format!("{text} {}", inline::unescape(line.trim()));
                self.task.acceptance_criteria.pop();
                self.task.acceptance_criteria.push(criterion::read(&joined));
                true
            }
            _ => false,
        }
    }

    /// Takes a labelled value; `false` if it says nothing under that label.
    pub(super) fn label(&mut self, label: Label, value: &str) -> bool {
        match label {
            Label::Id => {
                self.task.id = names::sound_id(value.trim_matches('`'));
                !value.is_empty()
            }
            Label::Status => {
                let status = names::status(value).filter(|_| !value.is_empty());
                self.status = status.or(self.status);
                status.is_some()
            }
            Label::Priority => {
                let priority = names::priority(value);
                self.task.priority = priority.or(self.task.priority);
                priority.is_some()
            }
            Label::DependsOn => {
                self.needed.extend(split_list(value));
                true
            }
            Label::Criteria | Label::Commands | Label::Description => false,
        }
    }

    /// Takes what ralph wrote into a comment.
    pub(super) fn hide(&mut self, fields: Map<String, Value>) {
        self.hidden.extend(fields);
    }

    /// The task, all lines read. Its own box decides; without one all of its boxes do.
    pub(super) fn finish(&mut self) -> Result<(), FormatError> {
        let all_ticked = !self.boxes.is_empty() && self.boxes.iter().all(|at| at.tick.is_done());
        let boxed = match self.own_box {
            Some(at) if at.tick.is_done() => Some(Status::Done),
            Some(at) if at.tick.mark == '-' => Some(Status::Skipped),
            Some(at) if matches!(at.tick.mark, '~' | '/') => Some(Status::InProgress),
            None if all_ticked => Some(Status::Done),
            _ => None,
        };
        self.task.status = boxed.or(self.status).unwrap_or_default();
        self.task.description = self.text.join();
        if self.hidden.is_empty() {
            return Ok(());
        }
        if let Some(id) = self.hidden.get("id").and_then(Value::as_str) {
            self.task.id = names::sound_id(id);
        }
        if self.hidden.contains_key("depends_on") {
            self.needed.clear();
        }
        let mut fields = serde_json::to_value(&self.task).unwrap_or_default();
        if let Value::Object(fields) = &mut fields {
            fields.extend(std::mem::take(&mut self.hidden));
            fields.insert("id".into(), Value::from(self.task.id.as_str()));
        }
        self.task = serde_json::from_value(fields).map_err(|error| {
            let help = "fix or remove the comment that begins with <!-- ralph";
            FormatError::new(format!("ralph's comment for this task is damaged: {error}"), help)
                .at_line(self.line)
        })?;
        Ok(())
    }
}

/// `T-001, Task 2 and T-003`.
pub(super) fn split_list(list: &str) -> Vec<String> {
    let list = list.replace(" and ", ",").replace(" & ", ",");
    let trim = |part: &str| part.trim().trim_matches(['`', '*', '.', '[', ']']).trim().to_owned();
    let parts = list.split([',', ';']).map(trim);
    parts
        .filter(|part| !matches!(part.to_lowercase().as_str(), "" | "none" | "-" | "—" | "n/a"))
        .collect()
}
