//! Where gates run, and who hears of it.

use std::{ffi::OsString, path::Path};

use ralph_core::{gates::report::CommandEnd, ids::RunId, time::Millis};

use super::ground::Ground;
use crate::{process::Supervisor, sandbox::Enclosure, sink::RedactedFiles};

/// Where gates run and who hears of it.
#[derive(Clone, Copy)]
pub struct GatePlace<'a> {
    pub supervisor: &'a Supervisor,
    pub run: &'a RunId,
    /// The worktree they judge.
    pub workspace: &'a Path,
    /// The run's folder of views; logs are named relative to it.
    pub run_folder: &'a Path,
    /// [`super::iteration_logs`] or [`super::BASELINE_LOGS`].
    pub logs: &'a str,
    /// The environment, see [`super::gate_environment`]; a gate's own comes on top.
    pub env: &'a [(OsString, OsString)],
    /// The box they run in, and what they need there.
    pub enclosure: &'a Enclosure,
    pub ground: &'a dyn Ground,
    /// The way of their output to the logs.
    pub redacted: &'a RedactedFiles,
    pub watch: &'a dyn Fn(GateNotice<'_>),
}

/// What happens while gates run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateNotice<'a> {
    Started {
        gate: &'a str,
    },
    /// It runs longer than its soft time limit.
    Slow {
        gate: &'a str,
        after: Millis,
    },
    /// A hard failure; it runs again to see whether it is flaky.
    RunsAgain {
        gate: &'a str,
        end: CommandEnd,
    },
    Ended {
        gate: &'a str,
        end: CommandEnd,
        took: Millis,
    },
}
