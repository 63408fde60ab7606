//! Commands in the box that gates have, outside a run: over the worktree as it is, in a room where there is one. Nothing
//! that they write there stays.

use std::path::Path;

use ralph_core::{
    effect::RunGates,
    gates::{
        report::{GateReport, GateSpec},
        setup::Setup,
    },
    ids::TreeId,
    input::Failure,
};
use ralph_engine::{
    gates::{GateNotice, GatePlace, gate_environment, install, run_gates},
    process::{Nobody, Supervisor},
    run::new_id,
    sandbox::{Enclosure, Layers, SandboxRequest},
    secrets,
    sink::RedactedFiles,
};

use super::project::Project;
use crate::diagnostics::CommandError;

/// Whether the packages that gates need are installed first where they are missing, as a run would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packages {
    AsTheyAre,
    Installed,
}

/// Who is told while gates run.
pub(crate) struct Audience<'a> {
    /// What a gate that runs does.
    pub(crate) watch: &'a dyn Fn(GateNotice<'_>),
    /// How a gate ended, as soon as it has.
    pub(crate) ended: &'a dyn Fn(&GateReport),
}

/// Runs gates, one after the other, and says how each ended.
pub(crate) fn run(
    project: &Project,
    (enclosure, packages): (&Enclosure, Packages),
    gates: Vec<GateSpec>,
    audience: &Audience<'_>,
) -> Result<Vec<GateReport>, CommandError> {
    let (folder, id) = (tempfile::tempdir()?, new_id());
    let outside: Vec<_> = std::env::vars_os().collect();
    let settings = &project.resolved.settings;
    let redacted = RedactedFiles::new(folder.path(), secrets::redactor(&outside, settings));
    let top = project.repository.layers_folder(&Project::state_home()).join("by-hand");
    // Of its own, and removed: what these gates leave in caches must not decide about others.
    let workspace = enclosure.has_room();
    let layers = Layers { base: Vec::new(), top: top.join(id.as_str()), workspace };
    let root = project.repository.root();
    let (views, common_dir) = (project.layout.views(), project.repository.common_dir());
    let sandbox_request = SandboxRequest::work(root, common_dir, views).judging(views, common_dir);
    let mut sandbox_request =
        SandboxRequest { layers: Some(layers.clone()), ..sandbox_request.without_views(views) };
    let index = folder.path().join("index");
    if enclosure.is_closed() && project.repository.overlooking_ralphs(&index)? {
        sandbox_request.index = Some((index, project.repository.git_dir().join("index")));
    }
    let place = GatePlace {
        enclosure,
        ground: &sandbox_request,
        supervisor: &Supervisor::default(),
        run: &id,
        workspace: root,
        run_folder: folder.path(),
        logs: "gates",
        env: &enclosure.environment(&gate_environment(outside), |_| false),
        redacted: &redacted,
        watch: audience.watch,
    };
    let request = |gates| RunGates {
        iteration: 0,
        tree: TreeId::default(),
        gates,
        checks: Vec::new(),
        flaky_retries: 0,
        before: Vec::new(),
        truncate: settings.gates.output_truncate_chars,
    };
    let setup = if packages == Packages::Installed && workspace {
        missing_packages(root, &settings.gates.setup)
    } else {
        None
    };
    let setup =
        setup.map(|command| install(&command, &request(gates.clone()), &place, &mut Nobody));
    let (mut reports, failed) = match setup.transpose() {
        Ok(failed) => (Ok(Vec::new()), failed.flatten()),
        Err(error) => (Err(error), None),
    };
    for gate in gates {
        let Ok(done) = &mut reports else { break };
        match run_gates(&request(vec![gate]), &place, &mut Nobody) {
            Ok(mut results) => {
                // The cause comes last, where what is shown of a gate begins.
                let red = results.gates.iter_mut().filter(|gate| !gate.end.succeeded());
                for (gate, failed) in red.zip(failed.iter().cycle()) {
                    gate.output = format!("{}\n{}", gate.output, failed.words());
                }
                results.gates.iter().for_each(audience.ended);
                done.extend(results.gates);
            }
            Err(error) => reports = Err(error),
        }
    }
    layers.forget()?;
    Ok(reports.map_err(Failure::from)?)
}

/// What installs the packages that the project's lock files ask for, if they are not there.
fn missing_packages(root: &Path, own: &str) -> Option<String> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let setup = Setup::of(&names.map(|name| (name, String::new())).collect()).by(own);
    let is_there = setup.folders.iter().all(|folder| root.join(folder).is_dir());
    let is_due = !own.trim().is_empty() || !is_there;
    (is_due && !setup.command.is_empty()).then_some(setup.command)
}
