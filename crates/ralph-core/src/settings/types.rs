//! The typed settings, with their defaults. One struct per table of `settings.toml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Length;
use crate::{
    gates::report::{FailAction, GateKind, Severity},
    time::Millis,
};

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Settings of ralph")]
pub struct Settings {
    /// Which agent works, and how it is started.
    pub agent: AgentSettings,
    /// What makes every run end.
    pub limits: Limits,
    /// How long agents and gates may take.
    pub timeouts: Timeouts,
    /// Commands that ralph runs after each iteration.
    pub gate: Vec<Gate>,
    /// Rules for all gates.
    pub gates: GatesSettings,
    /// What happens to rejected attempts.
    pub attempts: Attempts,
    /// Review by a fresh agent. This version knows only `off`.
    pub review: Review,
    /// Isolation of agent and gates. This version knows only `off`.
    pub sandbox: Sandbox,
    /// Where the work happens and how it is committed.
    pub git: Git,
    /// Commands after each accepted commit.
    pub scm: Scm,
    /// How an agent may claim completion.
    pub claims: Claims,
    /// What goes into prompts.
    pub prompt: PromptSettings,
    /// What the console shows.
    pub display: Display,
}

/// Which agent works, and how it is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// A built-in name (`claude`, `text`) or a program.
    pub command: String,
    /// Extra arguments; each entry is split like shell words.
    pub flags: Vec<String>,
    /// Model, in the agent's own spelling; empty is the agent's default.
    pub model: String,
    /// Model to use while the first is overloaded.
    pub fallback_model: String,
    /// Most turns of one call; 0 is the agent's own limit.
    pub max_turns: u32,
    /// Environment variables passed through to the agent.
    pub env: Vec<String>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            command: "claude".into(),
            flags: Vec::new(),
            model: String::new(),
            fallback_model: String::new(),
            max_turns: 0,
            env: Vec::new(),
        }
    }
}

/// What makes every run end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Most iterations of a run; 0 derives it from the plan.
    pub max_iterations: u32,
    /// Rejected attempts on a task since its last accepted one.
    pub max_attempts: u32,
    /// Uncharged failures in a row (crash, empty, malformed, overloaded) before the run ends.
    pub max_retries: u32,
    /// Uncharged failures in a whole run.
    pub max_uncharged: u32,
    /// Tasks that fail one after the other before the run ends.
    pub max_failed_in_a_row: u32,
    /// Money for a run; 0 is no limit.
    pub max_cost_usd: f64,
    /// Tokens for a run; 0 is no limit.
    pub max_tokens: u64,
    /// Money for a task; 0 is no limit.
    pub max_task_cost_usd: f64,
    /// Tokens for a task; 0 is no limit.
    pub max_task_tokens: u64,
    /// Agent time for a task; 0s is no limit.
    pub max_task_duration: Length,
    /// Time for a run; 0s is no limit.
    pub max_duration: Length,
    /// Longest wait for a usage limit to reset.
    pub max_wait: Length,
    /// Pause between iterations.
    pub min_delay: Length,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 0,
            max_attempts: 5,
            max_retries: 3,
            max_uncharged: 50,
            max_failed_in_a_row: 3,
            max_cost_usd: 0.0,
            max_tokens: 0,
            max_task_cost_usd: 0.0,
            max_task_tokens: 0,
            max_task_duration: Length::default(),
            max_duration: Length::default(),
            max_wait: Length(Millis::secs(6 * 3600)),
            min_delay: Length::default(),
        }
    }
}

/// A warning and a hard end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeout {
    /// After this a warning is shown.
    pub soft: Length,
    /// After this it is ended.
    pub hard: Length,
}

impl Timeout {
    const fn minutes(soft: u64, hard: u64) -> Self {
        Self { soft: Length(Millis::secs(soft * 60)), hard: Length(Millis::secs(hard * 60)) }
    }
}

/// How long agents and gates may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Implement, fix and prompt iterations.
    pub implement: Timeout,
    /// Review iterations.
    pub review: Timeout,
    /// One gate.
    pub gate: Timeout,
    /// No byte and no open tool call for this long ends the agent.
    pub idle: Length,
    /// Scales all of the above.
    pub multiplier: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            implement: Timeout::minutes(20, 60),
            review: Timeout::minutes(10, 20),
            gate: Timeout::minutes(5, 10),
            idle: Length(Millis::secs(600)),
            multiplier: 1.0,
        }
    }
}

/// One command gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// Name for people; empty takes the command.
    pub name: String,
    /// Run with `sh -c`.
    pub command: String,
    /// What it is about; a test gate must have run tests.
    pub kind: GateKind,
    /// A hard failure rejects the attempt, a soft one is only reported.
    pub severity: Severity,
    /// Where a failure's text goes in the next prompt.
    pub fail_action: FailAction,
    /// Told to the agent when it fails.
    pub hint: String,
    /// Its own time limit.
    pub timeout: Option<Timeout>,
    /// Extra environment.
    pub env: BTreeMap<String, String>,
    /// A test gate that runs no test passes.
    pub allow_empty: bool,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            name: String::new(),
            command: String::new(),
            kind: GateKind::Custom,
            severity: Severity::Hard,
            fail_action: FailAction::Append,
            hint: String::new(),
            timeout: None,
            env: BTreeMap::new(),
            allow_empty: false,
        }
    }
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

/// Rules for all gates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatesSettings {
    /// Which gates are hard: `strict` takes each gate's own severity, `lenient` makes lint gates soft, `tests_only` leaves only test gates hard.
    pub strategy: Strategy,
    /// Gates that are red before the run: `record` remembers what failed and lets nothing new fail, `require` refuses to start.
    pub baseline: BaselineMode,
    /// How often a hard failure is run again.
    pub flaky_retries: u32,
    /// Most characters of a gate's output that go to the agent.
    pub output_truncate_chars: usize,
}

impl Default for GatesSettings {
    fn default() -> Self {
        Self {
            strategy: Strategy::Strict,
            baseline: BaselineMode::Record,
            flaky_retries: 1,
            output_truncate_chars: 5000,
        }
    }
}

/// What happens to a rejected attempt's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// Keep it in the tree and tell the agent what failed.
    #[default]
    Repair,
    /// Go back to the checkpoint.
    Restart,
}

/// Attempts on a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Attempts {
    /// `repair` keeps the work and tells the agent what failed, `restart` goes back to the checkpoint.
    pub on_reject: OnReject,
}

/// Whether a fresh agent reviews the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewMode {
    On,
    Auto,
    #[default]
    Off,
}

/// Independent review. This version knows only `off`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    /// Whether a fresh agent reviews the work.
    pub mode: ReviewMode,
}

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

/// How an agent may claim completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Claims {
    /// Text inside `<response>…</response>` that claims completion.
    pub completion_response: String,
    /// Other tags that claim completion, whole, such as `<done/>`.
    pub accept: Vec<String>,
    /// Start although nothing can verify the work; every result then says "unverified".
    pub trust_agent: bool,
}

impl Default for Claims {
    fn default() -> Self {
        Self { completion_response: "DONE".into(), accept: Vec::new(), trust_agent: false }
    }
}

/// Prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptSettings {
    /// Begin each prompt with "Iteration X of Y, Z remaining."
    pub iteration_count: bool,
    /// Folder of specifications, for `${SPECS_DIR}`.
    pub specs_dir: String,
    /// Values for `${NAME}` in prompt files.
    pub vars: BTreeMap<String, String>,
}

impl Default for PromptSettings {
    fn default() -> Self {
        Self { iteration_count: false, specs_dir: "specs".into(), vars: BTreeMap::new() }
    }
}

/// What the console shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Display {
    /// Show what the agent does as it happens.
    pub stream: bool,
    /// Emoji in front of lines.
    pub emoji: bool,
    /// The time in front of lines.
    pub timestamps: bool,
    /// Most lines of a tool's output.
    pub max_output_lines: usize,
    /// Most characters of a tool's output.
    pub max_output_chars: usize,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            stream: true,
            emoji: false,
            timestamps: false,
            max_output_lines: 10,
            max_output_chars: 2000,
        }
    }
}
