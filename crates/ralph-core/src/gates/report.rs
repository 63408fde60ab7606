//! What running a gate or a criterion's check gave. Facts only: judging is `run::judge`.

use ralph_text::fingerprint::FailurePart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{isolation::Contact, time::Millis, vocabulary::NetworkPreset};

/// What a gate is about; decides how strategies treat it and whether zero tests are a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    Test,
    Lint,
    Build,
    #[default]
    Custom,
}

/// Whether a failure rejects the attempt or is only reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    #[default]
    Hard,
    Soft,
}

/// Where a failure's text goes in the next prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailAction {
    #[default]
    #[serde(alias = "APPEND", alias = "Append")]
    Append,
    #[serde(alias = "PREPEND", alias = "Prepend")]
    Prepend,
    #[serde(alias = "REPLACE", alias = "Replace")]
    Replace,
}

/// A gate as it is pinned when the run starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSpec {
    pub name: String,
    /// Name of its log file, without ending; unique within the run.
    pub slug: String,
    pub command: String,
    /// Folder of the tree that it runs in; empty is the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    pub kind: GateKind,
    pub severity: Severity,
    pub fail_action: FailAction,
    pub hint: String,
    pub allow_empty: bool,
    pub env: Vec<(String, String)>,
    pub soft_timeout: Millis,
    pub hard_timeout: Millis,
    /// Which hosts it can reach, if not the same as all gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkPreset>,
}

impl GateSpec {
    /// The command with its folder, as one types it at the root.
    pub fn line(&self) -> String {
        if self.dir.is_empty() {
            self.command.clone()
        } else {
            format!("cd {} && {}", shell_words::quote(&self.dir), self.command)
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum CommandEnd {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    TimedOut,
    /// The run was stopped while it ran.
    Interrupted,
}

impl CommandEnd {
    /// What a shell says of a program that it does not find or cannot start.
    pub fn is_unstartable(self) -> bool {
        matches!(self, Self::Exited { code: 126 | 127 })
    }

    /// Exit code zero and nothing else.
    pub fn succeeded(self) -> bool {
        matches!(self, Self::Exited { code: 0 })
    }

    /// As a shell would show it.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Exited { code } => code,
            Self::Signalled { signal } => 128 + signal,
            Self::TimedOut => 124,
            Self::Interrupted => 130,
        }
    }
}

/// What a gate's output says, read from beginning to end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestSummary {
    /// Tests that ran; `None` where the runner is unknown.
    pub ran: Option<u64>,
    /// Names of failing tests, sorted, at most a few hundred; `None` where they could not be read.
    pub failing: Option<Vec<String>>,
    /// Stands for the whole output without what changes from run to run; empty where it was not read or was too long.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gist: String,
}

impl TestSummary {
    /// What a runner said, with `None` for what is not known for sure.
    pub fn new(ran: Option<u64>, failing: Option<Vec<String>>) -> Self {
        Self { ran, failing, gist: String::new() }
    }
}

/// One gate, run once on one tree (re-runs of a flaky one included).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateReport {
    pub gate: String,
    pub end: CommandEnd,
    pub took: Millis,
    /// What the runner said about tests.
    pub tests: TestSummary,
    /// Failed at first and passed when run again.
    pub flaky: bool,
    /// The gate's output as the agent will see it: first and last lines, cut with a marker.
    pub output: String,
    /// Path of the full log, relative to the run's folder.
    pub log: String,
    /// Files of the tree that it changed, and that were put back: what it says holds for another tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// One criterion's check, run once on one tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Position of the criterion in the task.
    pub criterion: usize,
    pub command: String,
    pub end: CommandEnd,
    pub took: Millis,
    pub output: String,
    pub log: String,
    /// See [`GateReport::changed`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// Everything that ran on one tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GateResults {
    pub gates: Vec<GateReport>,
    pub checks: Vec<CheckReport>,
    /// Files that gates changed; they were put back.
    pub meddled: Vec<String>,
    /// What they asked of the network, by host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Contact>,
    /// The set-up that failed before them, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_setup: Option<FailedSetup>,
}

/// A set-up that did not install what gates need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSetup {
    pub command: String,
    pub end: CommandEnd,
    /// What it printed, as an agent sees it.
    pub output: String,
}

impl FailedSetup {
    /// The command, how it ended, and the last lines that it printed.
    pub fn words(&self) -> String {
        let said = last_lines(&self.output, 3);
        format!("`{}` failed (exit {}): {said}", self.command, self.end.exit_code())
    }
}

/// The last lines of an output, on one line.
pub fn last_lines(output: &str, most: usize) -> String {
    let lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    lines[lines.len().saturating_sub(most)..].join(" · ")
}

impl<'a> From<&'a GateReport> for FailurePart<'a> {
    fn from(report: &'a GateReport) -> Self {
        let failing = report.tests.failing.as_deref().unwrap_or_default();
        Self { gate: &report.gate, failing, output: &report.output, gist: &report.tests.gist }
    }
}

impl<'a> From<&'a CheckReport> for FailurePart<'a> {
    fn from(report: &'a CheckReport) -> Self {
        Self { gate: &report.command, failing: &[], output: &report.output, gist: "" }
    }
}
