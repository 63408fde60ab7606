//! Why a path needs a second look: the reasons and their words. Must never judge a path.

use serde::{Deserialize, Serialize};

/// Why a changed path needs a second look. What weighs more comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "exposure", rename_all = "snake_case")]
pub enum Exposure {
    /// The settings protect it.
    Protected { glob: String },
    /// Git runs it, or learns from it what to run.
    GitHook,
    /// A repository of its own, whose content nobody here judged.
    Repository,
    /// A link that leads out of the project.
    LinkOutside,
    /// A coding agent obeys it or runs what it names.
    AgentConfig,
    /// An editor or a shell runs what it names as soon as the folder is opened.
    EditorTask,
    /// The project's automation runs it or is ruled by it.
    Ci,
    /// A package manager runs it or installs what it names.
    PackageScript,
    /// A build runs it.
    BuildScript,
    /// A program: by its mode, its first bytes or its name.
    Executable,
    /// A tool loads it by itself.
    ToolConfig,
    /// It is part of what proves the work.
    Test,
    /// Nobody could look into it for secrets.
    Unscanned { why: String },
    /// A hidden file or folder that some tool may look for.
    Dotfile,
}

impl Exposure {
    /// The class in a few words that fit behind a path and as the title of a list.
    pub fn describe(&self) -> String {
        let words = match self {
            Self::Protected { glob } => return format!("protected by {glob}"),
            Self::Unscanned { why } => return format!("not scanned for secrets: {why}"),
            Self::GitHook => "run by git",
            Self::Repository => "separate repository",
            Self::LinkOutside => "link that leads out of the project",
            Self::AgentConfig => "obeyed by coding agents",
            Self::EditorTask => "run by editors or shells",
            Self::Ci => "run by automation",
            Self::PackageScript => "run or installed by package managers",
            Self::BuildScript => "run by builds",
            Self::Executable => "executable",
            Self::ToolConfig => "loaded by tools on their own",
            Self::Test => "test",
            Self::Dotfile => "hidden file that tools may load",
        };
        words.into()
    }
}
