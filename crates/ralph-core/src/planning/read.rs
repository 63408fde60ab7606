//! Reads a draft from what an agent handed over: leniently in form, and only the fields a planner may fill.
//!
//! What has the wrong shape is named, so that the agent can put it right; nothing is guessed.

use serde_json::{Map, Value};

use super::{Draft, Question, Removal, prd};
use crate::{
    handoff::{Handoff, MAX_ENTRIES},
    plan::{self, Criterion, Task},
};

/// JSON Schema of a draft, on one line, for agents that take one.
pub const DRAFT_SCHEMA: &str = include_str!("draft.schema.json").trim_ascii();

/// A handoff cuts longer texts.
const LONGEST_TEXT: usize = 8 * 1024;

/// The draft that an agent handed over, and what of it could not be read.
pub(super) fn draft(handoff: &Handoff) -> (Draft, Vec<String>) {
    let mut reader = Reader::default();
    let map = &handoff.rest;
    let mut draft = Draft {
        summary: reader.text(map, "", "summary"),
        assumptions: reader.texts(map, "", "assumptions"),
        project: reader.text(map, "", "project"),
        description: reader.text(map, "", "description"),
        verify_commands: reader.texts(map, "", "verify_commands"),
        ..Draft::default()
    };
    draft.questions = reader.objects(map, "questions", |reader, at, one| Question {
        question: reader.text(one, at, "question"),
        why: reader.text(one, at, "why"),
        options: reader.texts(one, at, "options"),
        default: reader.text(one, at, "default"),
    });
    draft.tasks = reader.objects(map, "tasks", Reader::task);
    draft.remove = reader.objects(map, "remove", |reader, at, one| Removal {
        id: reader.text(one, at, "id").into(),
        why: reader.text(one, at, "why"),
    });
    draft.prd = reader.prd(map, &draft);
    if !map.contains_key("tasks") && draft.questions.is_empty() {
        reader.mistakes.push("`tasks` is missing or too long to be handed over".into());
    }
    (draft, reader.mistakes)
}

#[derive(Default)]
struct Reader {
    mistakes: Vec<String>,
}

impl Reader {
    fn wrong(&mut self, at: &str, key: &str, wanted: &str) {
        self.mistakes.push(format!("`{at}{key}` is not {wanted}"));
    }

    /// A text; nothing if it is missing. Numbers will do.
    fn text(&mut self, map: &Map<String, Value>, at: &str, key: &str) -> String {
        match map.get(key) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => {
                self.wrong(at, key, "a text");
                String::new()
            }
        }
    }

    /// Texts; one alone will do.
    fn texts(&mut self, map: &Map<String, Value>, at: &str, key: &str) -> Vec<String> {
        let mut texts = match map.get(key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => vec![text.trim().to_owned()],
            Some(Value::Array(list)) => {
                let all: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                if all.len() < list.len() {
                    self.wrong(at, key, "a list of texts");
                }
                all.into_iter().map(|text| text.trim().to_owned()).collect()
            }
            Some(_) => {
                self.wrong(at, key, "a list of texts");
                Vec::new()
            }
        };
        texts.retain(|text| !text.is_empty());
        texts
    }

    fn objects<T>(
        &mut self,
        map: &Map<String, Value>,
        key: &str,
        read: impl Fn(&mut Self, &str, &Map<String, Value>) -> T,
    ) -> Vec<T> {
        let list = match map.get(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.wrong("", key, "a list");
                return Vec::new();
            }
        };
        if list.len() >= MAX_ENTRIES {
            // A handoff's lists are cut at this length: what was cut off is not known.
            let text = format!("`{key}` has {MAX_ENTRIES} entries or more; plan fewer at a time");
            self.mistakes.push(text);
        }
        let mut all = Vec::with_capacity(list.len());
        for (index, one) in list.iter().enumerate() {
            match one {
                Value::Object(one) => all.push(read(self, &format!("{key}[{index}]."), one)),
                _ => self.wrong("", &format!("{key}[{index}]"), "an object"),
            }
        }
        all
    }

    /// Only what a planner may say: neither where a task stands nor who works on it and how long.
    fn task(&mut self, at: &str, map: &Map<String, Value>) -> Task {
        let ids = self.texts(map, at, "depends_on");
        Task {
            id: self.text(map, at, "id").into(),
            title: self.text(map, at, "title"),
            description: self.text(map, at, "description"),
            acceptance_criteria: self.criteria(map, at),
            priority: match map.get("priority") {
                None | Some(Value::Null) => None,
                Some(value) => value.as_i64().or_else(|| {
                    self.wrong(at, "priority", "a whole number");
                    None
                }),
            },
            depends_on: ids.into_iter().map(Into::into).collect(),
            skills: self.texts(map, at, "skills"),
            needs_docs: map.get("needs_docs").and_then(Value::as_bool).unwrap_or_default(),
            libraries: self.texts(map, at, "libraries"),
            ..Task::default()
        }
    }

    /// Sentences, or sentences with a check; a blank check is none.
    fn criteria(&mut self, map: &Map<String, Value>, at: &str) -> Vec<Criterion> {
        let list = match map.get("acceptance_criteria") {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list.as_slice(),
            Some(one @ Value::String(_)) => std::slice::from_ref(one),
            Some(_) => {
                self.wrong(at, "acceptance_criteria", "a list");
                return Vec::new();
            }
        };
        let mut criteria = Vec::with_capacity(list.len());
        for (index, one) in list.iter().enumerate() {
            let at = format!("{at}acceptance_criteria[{index}].");
            match one {
                Value::String(text) => criteria.push(Criterion::Sentence(text.trim().to_owned())),
                Value::Object(one) => {
                    let (text, check) = (self.text(one, &at, "text"), self.text(one, &at, "check"));
                    criteria.push(match (text.is_empty(), check.is_empty()) {
                        (_, true) => Criterion::Sentence(text),
                        (true, false) => Criterion::Checked { text: check.clone(), check },
                        (false, false) => Criterion::Checked { text, check },
                    });
                }
                _ => self.wrong(at.trim_end_matches('.'), "", "a sentence or a checked sentence"),
            }
        }
        criteria
    }

    /// Ten sections, or one text where the agent made it whole.
    fn prd(&mut self, map: &Map<String, Value>, draft: &Draft) -> String {
        match map.get("prd") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) if text.len() >= LONGEST_TEXT => {
                self.mistakes
                    .push("`prd` is too long as one text; give its sections separately".into());
                String::new()
            }
            Some(Value::String(text)) if text.trim().is_empty() => String::new(),
            Some(Value::String(text)) => format!("{}\n", text.trim()),
            Some(Value::Object(sections)) => {
                for (key, _) in plan::prd::sections() {
                    if self.text(sections, "prd.", key).len() >= LONGEST_TEXT {
                        self.mistakes.push(format!("`prd.{key}` is too long; shorten it"));
                    }
                }
                let document = prd::markdown(&draft.project, sections);
                let is_blank = |key: &&&str| sections.get(**key).is_none_or(is_blank);
                if !document.is_empty()
                    && let Some(missing) = prd::REQUIRED.iter().find(is_blank)
                {
                    self.mistakes.push(format!("`prd.{missing}` is empty"));
                }
                document
            }
            Some(_) => {
                self.wrong("", "prd", "an object of sections");
                String::new()
            }
        }
    }
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_none_or(|text| text.trim().is_empty())
}
