//! Why a path needs a second look: the reasons and their words. Must never judge a path.

use serde::{Deserialize, Serialize};

/// Why a changed path needs a second look. What weighs more comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "exposure", rename_all = "snake_case")]
pub enum Exposure {
    /// The settings protect it.
    Protected { glob: String },
    /// Git runs it, or is told by it what to run.
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
    /// The class in words, for people and prompts.
    pub fn describe(&self) -> String {
        match self {
            Self::Protected { glob } => format!("protected by {glob}"),
            Self::GitHook => "git runs it".into(),
            Self::Repository => "a repository of its own".into(),
            Self::LinkOutside => "a link that leads out of the project".into(),
            Self::AgentConfig => "agents obey it".into(),
            Self::EditorTask => "editors or shells run it".into(),
            Self::Ci => "automation runs it".into(),
            Self::PackageScript => "package managers run or install it".into(),
            Self::BuildScript => "builds run it".into(),
            Self::Executable => "an executable".into(),
            Self::ToolConfig => "tools load it by themselves".into(),
            Self::Test => "a test".into(),
            Self::Unscanned { why } => format!("not scanned for secrets: {why}"),
            Self::Dotfile => "a hidden file that tools may load".into(),
        }
    }

    /// The class as the title of a list.
    pub fn title(&self) -> String {
        let title = match self {
            Self::Protected { .. } | Self::Unscanned { .. } => return self.describe(),
            Self::GitHook => "run by git",
            Self::Repository => "repositories of their own",
            Self::LinkOutside => "links that lead out of the project",
            Self::AgentConfig => "obeyed by coding agents",
            Self::EditorTask => "run by editors or shells",
            Self::Ci => "run by automation",
            Self::PackageScript => "run or installed by package managers",
            Self::BuildScript => "run by builds",
            Self::Executable => "executables",
            Self::ToolConfig => "loaded by tools on their own",
            Self::Test => "tests",
            Self::Dotfile => "hidden files that tools may load",
        };
        title.into()
    }
}
