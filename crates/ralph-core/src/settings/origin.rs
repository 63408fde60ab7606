//! Where a value of the settings was written.

use serde::{Deserialize, Serialize};

/// One source of settings; a later one wins over an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    BuiltIn,
    User,
    Project,
    Local,
    Env,
    Flags,
}

impl Layer {
    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Env => "env",
            Self::Flags => "flag",
        }
    }
}

/// A place where something was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub layer: Layer,
    /// The file as people know it, or the name of the variable or flag; empty for built-in values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Line in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl Origin {
    /// The value that ralph brings along.
    pub const fn built_in() -> Self {
        Self { layer: Layer::BuiltIn, file: String::new(), line: None }
    }

    /// A variable, a flag, or a file as a whole.
    pub fn named(layer: Layer, name: impl Into<String>) -> Self {
        Self { layer, file: name.into(), line: None }
    }

    /// A line of the same file.
    #[must_use]
    pub fn at_line(&self, line: usize) -> Self {
        Self { line: Some(line), ..self.clone() }
    }

    /// `.ralph/settings.toml:3`, `RALPH_AGENT_COMMAND`, `--agent` or `built-in`.
    pub fn place(&self) -> String {
        match (self.file.as_str(), self.line) {
            ("", _) => self.layer.word().to_owned(),
            (file, Some(line)) => format!("{file}:{line}"),
            (file, None) => file.to_owned(),
        }
    }
}

impl std::fmt::Display for Origin {
    /// The place with its layer in front: `project .ralph/settings.toml:3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.layer.word())?;
        if self.file.is_empty() { Ok(()) } else { write!(f, " {}", self.place()) }
    }
}
