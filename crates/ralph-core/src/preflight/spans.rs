//! Where each value of a JSON text is. For texts that were read as JSON before; others have no places.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::settings::{JsonEntries, offset_in};

/// A place in a text, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// Offsets of values by their paths; for a field, of its name.
pub(super) struct Spans<'a> {
    text: &'a str,
    at: BTreeMap<String, usize>,
}

impl<'a> Spans<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut spans = Self { text, at: BTreeMap::new() };
        if let Ok(raw) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            spans.enter("", raw, raw);
        }
        spans
    }

    /// Remembers where a value or its name begins, and all that is inside the value.
    fn enter(&mut self, path: &str, begin: &'a RawValue, raw: &'a RawValue) {
        self.at.entry(path.to_owned()).or_insert(offset_in(self.text, begin));
        let inner =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
            for (nth, item) in items.into_iter().enumerate() {
                self.enter(&inner(&nth.to_string()), item, item);
            }
        } else if let Ok(JsonEntries(fields)) = serde_json::from_str(raw.get()) {
            for (name, value) in fields {
                let key: String = serde_json::from_str(name.get()).unwrap_or_default();
                self.enter(&inner(&key), name, value);
            }
        }
    }

    /// The place of a path, or of the innermost thing around it that exists.
    pub(super) fn place(&self, path: &str) -> Place {
        let mut path = path;
        let offset = loop {
            match (self.at.get(path), path.rsplit_once('.')) {
                (Some(offset), _) => break *offset,
                (None, Some((around, _))) => path = around,
                (None, None) => break self.at.get("").copied().unwrap_or(0),
            }
        };
        let before = self.text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}
