//! The user's own texts for agents, pinned when a run starts: what is edited later has no effect on it.
//!
//! Bounded, because all of it is in the journal. Reads no files; what the texts mean is told elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::prd::Prd;

/// Most bytes of one text.
const MAX_TEXT: usize = 64 << 10;
/// Most bytes of all texts.
const MAX_ALL: usize = 1 << 20;
/// Most bytes of a name.
const MAX_NAME: usize = 100;

/// Templates, skills, requirements and MCP sets of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Library {
    /// `.ralph/prompts/<name>.md`, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, String>,
    /// Skills by name, without their front matter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skills: BTreeMap<String, String>,
    /// What `.ralph/prd.md` says that holds for every task, if it says anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd: Option<Prd>,
    /// `.ralph/mcp/<name>.json`, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<String, String>,
}

/// Where a text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    Template,
    Skill,
    Mcp,
}

/// Why a text cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    #[error("{name} is not a plain name")]
    Name { name: String },
    #[error("{name} has {bytes} bytes, more than the {MAX_TEXT} a text may have")]
    TooLong { name: String, bytes: usize },
    #[error("{name} does not fit: all texts together may have {MAX_ALL} bytes")]
    Full { name: String },
}

impl LibraryError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Name { .. } => {
                "use letters, digits, `-`, `_` and `.`, and begin with a letter or digit"
            }
            Self::TooLong { .. } => "shorten it: a prompt has room for a few thousand tokens only",
            Self::Full { .. } => "move away what no run needs",
        }
    }
}

impl Library {
    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes a text up under a name. A skill loses its front matter.
    pub fn put(&mut self, place: Shelf, name: &str, text: &str) -> Result<(), LibraryError> {
        if !is_plain_name(name) {
            return Err(LibraryError::Name { name: name.to_owned() });
        }
        let text = match place {
            Shelf::Skill => without_front_matter(text),
            Shelf::Template | Shelf::Mcp => text,
        };
        if text.len() > MAX_TEXT {
            return Err(LibraryError::TooLong { name: name.to_owned(), bytes: text.len() });
        }
        if self.bytes() + text.len() > MAX_ALL {
            return Err(LibraryError::Full { name: name.to_owned() });
        }
        let texts = match place {
            Shelf::Template => &mut self.templates,
            Shelf::Skill => &mut self.skills,
            Shelf::Mcp => &mut self.mcp,
        };
        texts.insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn bytes(&self) -> usize {
        let texts = self.templates.iter().chain(&self.skills).chain(&self.mcp);
        texts.map(|(name, text)| name.len() + text.len()).sum()
    }
}

/// Whether a name can be a file's and leads nowhere else.
pub fn is_plain_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_alphanumeric())
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

/// A text without the block between `---` lines that it may begin with.
fn without_front_matter(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let Some(inside) = text.strip_prefix("---").filter(|rest| rest.starts_with(['\n', '\r']))
    else {
        return text.trim();
    };
    let mut at = text.len() - inside.len();
    for line in inside.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return text[at..].trim();
        }
    }
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_taken() {
        for name in ["rust", "rust-style_2.1", "größe"] {
            assert!(is_plain_name(name), "{name}");
        }
        let long = "x".repeat(101);
        for name in ["", "..", ".hidden", "a/b", "a\\b", "-x", "a b", "a\n", long.as_str()] {
            let taken = Library::default().put(Shelf::Skill, name, "text");
            assert_eq!(taken, Err(LibraryError::Name { name: name.to_owned() }));
        }
    }

    #[test]
    fn texts_are_bounded_one_by_one_and_together() {
        let mut library = Library::default();
        let text = "x".repeat(MAX_TEXT);
        assert!(matches!(
            library.put(Shelf::Template, "fix", &format!("{text}y")),
            Err(LibraryError::TooLong { .. })
        ));
        for n in 0..15 {
            assert_eq!(library.put(Shelf::Skill, &format!("skill-{n}"), &text), Ok(()));
        }
        assert!(matches!(library.put(Shelf::Mcp, "coding", &text), Err(LibraryError::Full { .. })));
    }

    #[test]
    fn a_skill_loses_its_front_matter_and_nothing_else() {
        for (text, kept) in [
            ("---\nname: a\n---\n\n# A\n---\nb\n", "# A\n---\nb"),
            ("\u{feff}---\r\nname: a\r\n---\r\ntext\r\n", "text"),
            ("--- \nnot front matter", "--- \nnot front matter"),
            ("---\nnever closed\n", "---\nnever closed"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_front_matter(text), kept, "{text:?}");
        }
    }
}
