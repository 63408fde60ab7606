//! `[sandbox]`, `[git]` and `[scm]`: where the work happens, and what becomes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::NetworkPreset;

/// How the agent is isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    #[default]
    Auto,
    Bubblewrap,
    Seatbelt,
    Off,
}

impl SandboxMode {
    /// Every one, the default first.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Bubblewrap, Self::Seatbelt, Self::Off];

    /// The word in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bubblewrap => "bubblewrap",
            Self::Seatbelt => "seatbelt",
            Self::Off => "off",
        }
    }
}

/// Isolation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// How agents and gates are isolated. `auto` is bubblewrap on Linux and seatbelt on macOS, tested at the start of
    /// each run; if it does not work, nothing starts.
    pub mode: SandboxMode,
    /// Which hosts agents can reach.
    pub network: NetworkPreset,
    /// Which hosts gates, checks and reviewers' commands can reach.
    pub gate_network: NetworkPreset,
    /// Additional hosts that can be reached, such as `example.org` or `*.example.org`. A host that is named in full may be on
    /// a private network.
    pub allow_hosts: Vec<String>,
    /// Additional paths that can be read.
    pub readable: Vec<String>,
    /// Additional paths that can be written.
    pub writable: Vec<String>,
    /// Whether sandboxed programs may create Unix sockets also where the box has no layer over the worktree; with one,
    /// they can in any case.
    pub unix_sockets: bool,
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
    /// Branch of the run; empty uses the plan's, or else `ralph/<project>`.
    pub branch: String,
    /// `in-place` works on a branch here, `worktree` in a linked worktree elsewhere.
    pub workspace: WorkspaceMode,
    /// Where commit messages come from: the agent's handoff, or `<task id>: <title>`.
    pub message: MessageSource,
    /// Commit the plan and `.ralph/prd.md` on the run branch when a run ends there.
    pub commit_plan: bool,
    /// Git filters that may run on tracked files, such as `lfs`, in git's own sandbox without network. Other filters never run.
    pub filters: Vec<String>,
    /// Sign the commits of run branches with your own key, as `commit.gpgsign` does for yours.
    pub sign: bool,
}

/// Commands after each accepted commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scm {
    /// Program that runs the tasks.
    pub command: String,
    /// `commit` is what ralph does anyway; `push` pushes the run branch; anything else becomes the arguments of `command`.
    pub tasks: Vec<String>,
}

impl Default for Scm {
    fn default() -> Self {
        Self { command: "git".into(), tasks: Vec::new() }
    }
}
