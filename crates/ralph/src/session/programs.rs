//! Whether the programs of gates and checks are here, and in the box that those run in. The same answer for a run,
//! `ralph plan --check` and the doctor.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use ralph_core::{
    event::RunStart,
    gates::report::{FailAction, GateKind, GateSpec, Severity},
    plan::Plan,
    preflight::{self, pin},
    time::Millis,
    vocabulary::NetworkPreset,
};
use ralph_engine::sandbox::Enclosure;

use super::{
    enclosure,
    gates_by_hand::{self, Audience, Packages},
    probe,
    project::Project,
};
use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
};

/// What to do about a program that is nowhere.
const INSTALL: &str =
    "install it, or change the gate in .ralph/settings.toml; ralph gate run runs the gates";

/// How long the look into the box may take; far more than a loaded machine needs.
const LONGEST: Millis = Millis(60_000);

/// In which way a program is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Lack {
    NotInstalled,
    /// It is here, but the box does not show it.
    NotInSandbox,
}

impl Lack {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::NotInstalled => "not installed",
            Self::NotInSandbox => "not in the sandbox",
        }
    }
}

/// A gate whose program is not there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Missing {
    pub(crate) gate: String,
    pub(crate) program: String,
    pub(crate) is_hard: bool,
    pub(crate) lack: Lack,
}

impl Missing {
    /// `gate tests needs pytest, which is not installed`.
    pub(crate) fn words(&self) -> String {
        format!("gate {} needs {}, which is {}", self.gate, self.program, self.lack.words())
    }

    pub(crate) fn help(&self) -> &'static str {
        match self.lack {
            Lack::NotInstalled => INSTALL,
            Lack::NotInSandbox => preflight::SHOW_IT,
        }
    }
}

/// The box that this project's commands have, for a look without a run; none where none can be made.
pub(crate) fn enclosure(project: &Project) -> Enclosure {
    let settings = &project.resolved.settings;
    let made = enclosure::tried(&settings.sandbox).and_then(|chosen| {
        let chosen = enclosure::furnished(project, chosen, settings.gates.room);
        enclosure::of(project, &chosen, &settings.sandbox)
    });
    made.unwrap_or_else(|_| Enclosure::none())
}

/// Those of the programs that are not there. What lies in the project may be made by the work itself.
pub(crate) fn lacking(
    programs: BTreeSet<String>,
    project: &Project,
    enclosure: &Enclosure,
) -> Result<BTreeMap<String, Lack>, CommandError> {
    let (root, search) = (project.repository.main_root(), variable("PATH"));
    let is_ours = |program: &String| {
        probe::is_in_project(program, root, search.as_deref())
            || [root, project.repository.root()].iter().any(|it| Path::new(program).starts_with(it))
    };
    let programs = programs.into_iter().filter(|program| !is_ours(program));
    let (here, nowhere): (Vec<_>, Vec<_>) =
        programs.partition(|program| probe::find(program, root, search.as_deref()).is_some());
    let mut lacking: BTreeMap<_, _> =
        nowhere.into_iter().map(|program| (program, Lack::NotInstalled)).collect();
    if enclosure.is_closed() && !here.is_empty() {
        let audience = Audience { watch: &|_| (), ended: &|_| () };
        let enclosed = (enclosure, Packages::AsTheyAre);
        let said = gates_by_hand::run(project, enclosed, vec![look(&here)], &audience)?;
        let lines: BTreeSet<&str> = said.iter().flat_map(|report| report.output.lines()).collect();
        let hidden = here.into_iter().filter(|program| lines.contains(program.as_str()));
        lacking.extend(hidden.map(|program| (program, Lack::NotInSandbox)));
    }
    Ok(lacking)
}

/// Names those of the programs that a shell does not find.
fn look(programs: &[String]) -> GateSpec {
    let each = programs.join(" ");
    GateSpec {
        name: "programs".into(),
        slug: "programs".into(),
        command: format!("for it in {each}; do command -v $it >/dev/null || echo $it; done"),
        dir: String::new(),
        kind: GateKind::Custom,
        severity: Severity::Soft,
        fail_action: FailAction::Append,
        hint: String::new(),
        allow_empty: true,
        env: Vec::new(),
        soft_timeout: LONGEST,
        hard_timeout: LONGEST,
        network: Some(NetworkPreset::None),
    }
}

/// What the gates start.
pub(crate) fn of_gates(gates: &[GateSpec]) -> BTreeSet<String> {
    gates.iter().filter_map(|gate| preflight::program(&gate.command)).collect()
}

/// The gates whose program is among what is lacking.
pub(crate) fn missing(gates: &[GateSpec], lacking: &BTreeMap<String, Lack>) -> Vec<Missing> {
    let lacks = |gate: &GateSpec| {
        let program = preflight::program(&gate.command)?;
        let lack = *lacking.get(&program)?;
        let is_hard = gate.severity == Severity::Hard;
        Some(Missing { gate: gate.name.clone(), program, is_hard, lack })
    };
    gates.iter().filter_map(lacks).collect()
}

/// The gates of the settings whose program is not there.
pub(crate) fn missing_here(project: &Project) -> Vec<Missing> {
    let gates = pin::pin(&project.resolved.settings, &Plan::default()).unwrap_or_default();
    let lacking = lacking(of_gates(&gates), project, &enclosure(project));
    missing(&gates, &lacking.unwrap_or_default())
}

/// Refuses a run that a hard gate could never let pass, before anything is touched. Of a check it only warns: other
/// tasks can be done without.
pub(crate) fn check(
    start: &RunStart,
    project: &Project,
    enclosure: &Enclosure,
    context: &Context,
) -> Result<(), CommandError> {
    let checks = preflight::wanted(&start.plan).programs;
    let wanted = checks.iter().cloned().chain(of_gates(&start.gates)).collect();
    let lacking = lacking(wanted, project, enclosure)?;
    let (hard, soft): (Vec<_>, Vec<_>) =
        missing(&start.gates, &lacking).into_iter().partition(|one| one.is_hard);
    let checks = checks.iter().filter_map(|program| {
        let lack = lacking.get(program)?;
        Some(format!("a check needs {program}, which is {}", lack.words()))
    });
    for words in soft.iter().map(Missing::words).chain(checks) {
        context.warn(words)?;
    }
    match hard.split_first() {
        None => Ok(()),
        Some((first, more)) => {
            let more = more.iter().map(Missing::words).collect();
            Err(CommandError::usage(first.words(), first.help()).because(more))
        }
    }
}
