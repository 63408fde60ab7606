//! Where each value of a JSON text stands. For texts that were read as JSON before; others have no places.

use std::collections::BTreeMap;

use serde::Serialize;

/// Nesting beyond this is not followed.
const DEEPEST: usize = 128;

/// A place in a text, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
        let mut reader = Reader { bytes: text.as_bytes(), next: 0, at: BTreeMap::new() };
        reader.value("", 0);
        Self { text, at: reader.at }
    }

    /// The place of a path, or of the nearest thing around it that is there.
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

/// Walks through a text once.
struct Reader<'a> {
    bytes: &'a [u8],
    next: usize,
    at: BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.next).is_some_and(u8::is_ascii_whitespace) {
            self.next += 1;
        }
        self.bytes.get(self.next).copied()
    }

    fn value(&mut self, path: &str, depth: usize) {
        let Some(first) = self.peek() else { return };
        self.at.entry(path.to_owned()).or_insert(self.next);
        match first {
            b'{' | b'[' if depth < DEEPEST => self.inside(path, depth, first == b'{'),
            b'"' => {
                self.string();
            }
            _ => {
                let is_over =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                while self.bytes.get(self.next).is_some_and(|byte| !is_over(byte)) {
                    self.next += 1;
                }
            }
        }
    }

    fn inside(&mut self, path: &str, depth: usize, is_object: bool) {
        self.next += 1;
        for nth in 0_usize.. {
            match self.peek() {
                None => return,
                Some(b'}' | b']') => {
                    self.next += 1;
                    return;
                }
                Some(b',') => self.next += 1,
                Some(_) => {}
            }
            let name = if is_object {
                self.peek();
                let at = self.next;
                let Some(name) = self.string() else { return };
                let inner = join(path, &name);
                self.at.entry(inner).or_insert(at);
                if self.peek() != Some(b':') {
                    return;
                }
                self.next += 1;
                name
            } else {
                nth.to_string()
            };
            let before = self.next;
            self.value(&join(path, &name), depth + 1);
            if self.next == before {
                return;
            }
        }
    }

    /// The text between two quotes, read as JSON.
    fn string(&mut self) -> Option<String> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.next;
        self.next += 1;
        while let Some(byte) = self.bytes.get(self.next) {
            self.next += match byte {
                b'\\' => 2,
                b'"' => break,
                _ => 1,
            };
        }
        self.next += 1;
        serde_json::from_slice(self.bytes.get(start..self.next)?).ok()
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
