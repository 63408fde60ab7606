//! What is known of a value in code.

use super::super::marks::{self, HOLE};

/// Longer texts are not followed.
const LONGEST: usize = 4096;
/// Longer texts are not put together.
const LONGEST_JOINED: usize = 512;
/// Elements of a list that are kept.
const MOST: usize = 16;

/// A text or a list of texts, with marks for what is not known.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) items: Option<Vec<String>>,
    /// The name that it was read from, where it is a name that nobody called.
    pub(super) name: Option<String>,
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let text: String = text.into();
        let text = if text.len() > LONGEST { marks::residue(&text) } else { text };
        Self { text, ..Self::default() }
    }

    pub(super) fn unknown() -> Self {
        Self::text(HOLE)
    }

    /// A list; lists inside lists are laid flat.
    pub(super) fn list(values: Vec<Self>) -> Self {
        let mut items = Vec::new();
        for value in values {
            match value.items {
                Some(inner) => items.extend(inner),
                None => items.push(value.text),
            }
        }
        items.truncate(MOST);
        let text = if items.iter().map(String::len).sum::<usize>() > LONGEST {
            marks::residue(&items.concat())
        } else {
            items.join(" ")
        };
        let items = if text.len() > LONGEST_JOINED && items.len() > 1 { None } else { Some(items) };
        Self { text, items, name: None }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.text == HOLE.to_string()
    }

    /// The texts of a list, or the one text.
    pub(super) fn all(&self) -> Vec<String> {
        self.items.clone().unwrap_or_else(|| vec![self.text.clone()])
    }

    /// Two texts, one after the other.
    pub(super) fn joined(&self, other: &Self) -> Self {
        match (&self.items, &other.items) {
            (Some(left), Some(right)) => {
                let all = left.iter().chain(right).map(Self::text);
                Self::list(all.collect())
            }
            _ if self.text.len() + other.text.len() > LONGEST_JOINED
                && !self.text.is_empty()
                && !other.text.is_empty() =>
            {
                Self::text(marks::residue(&format!("{}{}", self.text, other.text)))
            }
            _ => Self::text(format!("{}{}", self.text, other.text)),
        }
    }

    /// A path below another one.
    pub(super) fn below(&self, rest: &str) -> Self {
        if rest.starts_with('/') && !self.text.contains(HOLE) && self.text.is_empty() {
            return Self::text(rest);
        }
        Self::text(format!("{}/{}", self.text.trim_end_matches('/'), rest.trim_start_matches('/')))
    }
}
