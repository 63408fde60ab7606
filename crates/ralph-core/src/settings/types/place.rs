//! `[sandbox]`, `[git]` and `[scm]`: where the work happens, and what becomes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the agent is isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    Auto,
    Bubblewrap,
    Seatbelt,
    Sbx,
    Landlock,
    #[default]
    Off,
}

/// Isolation. This version knows only `off`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// How the agent is isolated.
    pub mode: SandboxMode,
    /// Extra paths that may be read.
    pub readable: Vec<String>,
    /// Extra paths that may be written.
    pub writable: Vec<String>,
}

/// Where the work happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceMode {
    #[default]
    InPlace,
    Worktree,
}

/// Where commit messages come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageSource {
    /// The agent's handoff, else the template.
    #[default]
    Handoff,
    /// `<task id>: <title>`.
    Template,
}

/// Git.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Git {
    /// Branch of the run; empty takes the plan's, else `ralph/<project>`.
    pub branch: String,
    /// `in-place` works on a branch here, `worktree` in a linked worktree elsewhere.
    pub workspace: WorkspaceMode,
    /// Where commit messages come from: the agent's handoff, or `<task id>: <title>`.
    pub message: MessageSource,
}

/// Commands after each accepted commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scm {
    /// Program that runs the tasks.
    pub command: String,
    /// `commit` is what ralph does anyway; `push` pushes the run branch; others are arguments of `command`.
    pub tasks: Vec<String>,
}

impl Default for Scm {
    fn default() -> Self {
        Self { command: "git".into(), tasks: Vec::new() }
    }
}
