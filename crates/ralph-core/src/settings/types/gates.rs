//! `[[gate]]` and `[gates]`: the commands that prove work, and the rules for all of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timeout;
use crate::{
    gates::report::{FailAction, GateKind, Severity},
    vocabulary::NetworkPreset,
};

/// One command gate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// Display name; empty uses the command.
    pub name: String,
    /// Command to run, with `sh -c`.
    pub command: String,
    /// Folder to run it in, relative to the project's root; empty means the root.
    pub dir: String,
    /// What it checks; a test gate must have run tests.
    pub kind: GateKind,
    /// A hard failure rejects the attempt, a soft one is only reported.
    pub severity: Severity,
    /// Where the failure text goes in the next prompt.
    pub fail_action: FailAction,
    /// Hint for the agent when it fails.
    pub hint: String,
    /// Its own time limits, a table such as `{ soft = "5m", hard = "10m" }`.
    pub timeout: Option<Timeout>,
    /// Extra environment variables.
    pub env: BTreeMap<String, String>,
    /// Pass a test gate even if it ran no tests.
    pub allow_empty: bool,
    /// Which hosts it can reach, instead of `sandbox.gate_network`.
    pub network: Option<NetworkPreset>,
}

/// How strictly gates are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Each gate's own severity.
    #[default]
    Strict,
    /// Lint gates become soft.
    Lenient,
    /// Only test gates are hard.
    TestsOnly,
}

/// What to do about gates that are red before the run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaselineMode {
    /// Remember what failed; nothing new may fail.
    #[default]
    Record,
    /// Refuse to start.
    Require,
}

/// What a change to a protected path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProtectMode {
    /// The reviewer is told of it.
    #[default]
    Review,
    /// The attempt is rejected and starts over.
    Deny,
}

/// Where gates, checks and reviewers judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateRoom {
    /// Over the captured tree and what was there before the agents; nothing else that they wrote is seen.
    #[default]
    Own,
    /// The same, and each gate and check begins without what the others wrote.
    Apart,
    /// In the worktree, with whatever agents left in ignored files.
    Worktree,
}

/// Rules for all gates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatesSettings {
    /// Which gates are hard: `strict` uses each gate's own severity, `lenient` makes lint gates soft, `tests_only` keeps only test gates hard.
    pub strategy: Strategy,
    /// Gates that fail before the run: `record` remembers the failures and allows no new ones, `require` refuses to start.
    pub baseline: BaselineMode,
    /// How often to rerun a hard gate that failed.
    pub flaky_retries: u32,
    /// Where gates run: `own` is a directory that no agent wrote to, `apart` one for each gate, `worktree` the worktree itself, which is weaker.
    pub room: GateRoom,
    /// Command that installs what gates need there when a lock file changes; empty uses the one that the lock file suggests.
    pub setup: String,
    /// Globs of paths that the work should not change, such as `tests/**` or `*.lock`; a glob without `/` matches file names anywhere.
    pub protect: Vec<String>,
    /// Changes to protected paths: `review` tells the reviewer, `deny` rejects the attempt.
    pub protect_mode: ProtectMode,
    /// Maximum characters of a gate's output that the agent sees.
    pub output_truncate_chars: usize,
}

impl Default for GatesSettings {
    fn default() -> Self {
        Self {
            strategy: Strategy::Strict,
            baseline: BaselineMode::Record,
            flaky_retries: 1,
            room: GateRoom::Own,
            setup: String::new(),
            protect: Vec::new(),
            protect_mode: ProtectMode::Review,
            output_truncate_chars: 5000,
        }
    }
}
