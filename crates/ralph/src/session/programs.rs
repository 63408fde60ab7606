//! Whether the programs of the gates are on this machine. The same answer for a run, `ralph plan --check` and the doctor.

use std::path::Path;

use ralph_core::{
    event::RunStart,
    gates::report::{GateSpec, Severity},
    plan::preflight,
};

use super::{probe, project::told};
use crate::command_line::context::{Context, variable};
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{block::Entry, line::Tone},
};

/// What to do about a program that is nowhere.
pub(crate) const HELP: &str =
    "install it, or change the gate in .ralph/settings.toml; ralph gate run tries the gates";

/// A gate whose program is nowhere.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Missing {
    pub(crate) gate: String,
    pub(crate) program: String,
    pub(crate) is_hard: bool,
}

impl Missing {
    /// `gate tests needs pytest, which is not installed`.
    pub(crate) fn words(&self) -> String {
        format!("gate {} needs {}, which is not installed", self.gate, self.program)
    }
}

/// Gates that start a program by a name that the search path does not have. A path may be made by the work itself.
pub(crate) fn missing(gates: &[GateSpec], root: &Path) -> Vec<Missing> {
    let search = variable("PATH");
    let lacks = |gate: &GateSpec| {
        let program = preflight::program(&gate.command)?;
        let is_there = probe::find(&program, root, search.as_deref()).is_some()
            || probe::is_in_project(&program, root, search.as_deref());
        let is_hard = gate.severity == Severity::Hard;
        (!is_there).then(|| Missing { gate: gate.name.clone(), program, is_hard })
    };
    gates.iter().filter_map(lacks).collect()
}

/// Refuses a run that a hard gate could never let pass, before anything is touched. Of a check it only warns: other
/// tasks can be done without.
pub(crate) fn check(start: &RunStart, root: &Path, context: &Context) -> Result<(), CommandError> {
    let (hard, soft): (Vec<_>, Vec<_>) =
        missing(&start.gates, root).into_iter().partition(|one| one.is_hard);
    let search = variable("PATH");
    let lacks = |program: &String| probe::find(program, root, search.as_deref()).is_none();
    let checks = preflight::wanted(&start.plan).programs.into_iter().filter(lacks);
    let checks = checks.map(|program| format!("a check needs {program}, which is not installed"));
    for words in soft.iter().map(Missing::words).chain(checks) {
        context.tell(&[Entry::text(0, Tone::Warn, format!("warning: {words}"))])?;
    }
    let mut words = hard.iter().map(Missing::words);
    match words.next() {
        None => Ok(()),
        Some(first) => Err(told(first, words.collect(), HELP.into(), exit::USAGE)),
    }
}
