//! The box of this project's processes: chosen by the settings, tried, and refused in plain words where none works.

use std::path::PathBuf;

use ralph_core::settings::{Layer, Sandbox as SandboxSettings};
use ralph_engine::sandbox::{self, Chosen, Enclosure, Machine, Refusal};

use super::project::{Project, told};
use crate::{
    ask::Lean,
    command_line::context::{Context, variable},
    diagnostics::{self, CommandError},
    env_vars, exit,
};

/// The backend that the settings name, after it was tried. Where none works and a person is there, they are asked
/// once whether to go on without.
pub(crate) fn chosen(
    settings: &SandboxSettings,
    context: &Context,
) -> Result<Chosen, CommandError> {
    let refusal = match sandbox::choose(settings) {
        Ok(chosen) => return Ok(chosen),
        Err(refusal) => refused(&refusal),
    };
    if !context.can_ask() {
        return Err(refusal);
    }
    diagnostics::print(&refusal, &mut std::io::stderr().lock(), &context.stderr())?;
    let question =
        "Go on without isolation this time (--sandbox=off)? The agent can then do what you can do.";
    if context.asker()?.confirm(question, Lean::No)? {
        return Ok(sandbox::not_isolated());
    }
    let help = "nothing was started; what is named above installs or allows the sandbox".into();
    Err(told("there is no isolation, and none was waived".into(), Vec::new(), help, exit::REFUSED))
}

/// The same without asking anybody.
pub(crate) fn tried(settings: &SandboxSettings) -> Result<Chosen, CommandError> {
    sandbox::choose(settings).map_err(|refusal| refused(&refusal))
}

/// The settings of the sandbox for a run that is taken up: as it began, unless this command itself says otherwise.
pub(crate) fn settings_of(project: &Project, pinned: &SandboxSettings) -> SandboxSettings {
    let now = &project.resolved;
    let is_said = now
        .origins
        .get("sandbox.mode")
        .is_some_and(|origin| matches!(origin.layer, Layer::Env | Layer::Flags));
    let mode = if is_said { now.settings.sandbox.mode } else { pinned.mode };
    SandboxSettings { mode, ..pinned.clone() }
}

/// The box by that backend.
pub(crate) fn of(
    project: &Project,
    chosen: &Chosen,
    settings: &SandboxSettings,
) -> Result<Enclosure, CommandError> {
    if !chosen.isolation.is_isolated() {
        return Ok(Enclosure::none());
    }
    let machine = Machine {
        home: PathBuf::from(variable(env_vars::HOME).unwrap_or_default()),
        ralph: std::env::current_exe()?,
        cache: project.repository.cache_folder(&Project::state_home()),
        environment: std::env::vars_os().collect(),
        git_settings: project.repository.identity_settings(),
        shut_out: vec![project.repository.root().to_owned()],
    };
    Ok(Enclosure::new(chosen.backend, machine, settings.clone()))
}

fn refused(refusal: &Refusal) -> CommandError {
    told(refusal.to_string(), refusal.why(), refusal.help(), exit::REFUSED)
}
