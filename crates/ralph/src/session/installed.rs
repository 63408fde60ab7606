//! Refuses a run if an agent that it would call is nowhere: before anything of the user's is touched.

use std::path::Path;

use ralph_agents::Agent;
use ralph_core::{
    run::{Callable, NamedBy, RunState, listed},
    settings::{Flag, Layer, Policy, Resolved, Settings},
};

use super::{agents, probe, project::Project};
use crate::{context, diagnostics::CommandError, exit};

/// Opens the project to start work. Where the settings say nothing of agents, one that is installed works: as `ralph init`
/// would choose it.
pub(crate) fn open(context: &context::Context, flags: &[Flag]) -> Result<Project, CommandError> {
    let mut project = Project::open(context, flags)?;
    let Resolved { settings, origins, .. } = &mut project.resolved;
    let says = |key: &str, layer: Layer| key.starts_with("agent.") && layer != Layer::BuiltIn;
    if !origins.iter().any(|(key, origin)| says(key, origin.layer)) {
        let (root, path) = (project.repository.root(), context::variable("PATH"));
        let found = |agent: &dyn Agent| {
            let program = agents::program_of(agent.name(), agent, None);
            program.is_some_and(|program| probe::find(&program, root, path.as_deref()).is_some())
        };
        agents::best(&found).clone_into(&mut settings.agent.command);
    }
    Ok(project)
}

/// Refuses if nobody is there for a call that the run would make.
pub(crate) fn check(
    state: &RunState,
    folder: &Path,
    path: Option<&str>,
) -> Result<(), CommandError> {
    let mut calls = state.callable().into_iter();
    calls.try_for_each(|call| check_one_of(&call, &state.start.settings, (folder, path)))
}

/// The same for the agents that the settings name, where no run is known yet.
pub(crate) fn check_named(
    settings: &Settings,
    folder: &Path,
    path: Option<&str>,
) -> Result<(), CommandError> {
    let mut names = vec![settings.agent.command.clone()];
    if settings.endings.not_found == Some(Policy::Fallback) {
        let name = |entry: &String| entry.split(':').next().unwrap_or(entry).to_owned();
        names.extend(settings.agent.fallback.iter().map(name));
    }
    let call = Callable { by: NamedBy::Setting("agent.command"), names };
    check_one_of(&call, settings, (folder, path))?;
    check_listed(settings, folder, path)
}

/// The same for those that are only called while another rests, or for a task that is stuck.
pub(crate) fn check_listed(
    settings: &Settings,
    folder: &Path,
    path: Option<&str>,
) -> Result<(), CommandError> {
    listed(settings).iter().try_for_each(|call| check_one_of(call, settings, (folder, path)))
}

/// Refuses if none of these is there, in words about the first.
fn check_one_of(
    call: &Callable,
    settings: &Settings,
    (folder, path): (&Path, Option<&str>),
) -> Result<(), CommandError> {
    let missing = |name: &String| {
        let agent = ralph_agents::of_name(name, settings);
        let program = agents::program_of(name, &*agent, Some(settings))?;
        probe::find(&program, folder, path).is_none().then_some((agent, program))
    };
    let absent: Vec<_> = call.names.iter().map_while(|name| Some((name, missing(name)?))).collect();
    match absent.first() {
        Some((name, (agent, program))) if absent.len() == call.names.len() => {
            Err(not_there(name, &**agent, program, &call.by))
        }
        _ => Ok(()),
    }
}

fn not_there(name: &str, agent: &dyn Agent, program: &str, by: &NamedBy) -> CommandError {
    let place = place(by);
    let help = match agent.facts().package {
        "" => format!("name an installed program {place}"),
        package => format!("npm install -g {package}, or name another agent {place}"),
    };
    let why = if program.contains('/') { "does not exist" } else { "is not on PATH" };
    let what = format!("cannot start agent {name}: {program} {why}");
    CommandError::new(exit::AGENT, what, help)
}

/// Where an agent like this is named.
fn place(by: &NamedBy) -> String {
    match by {
        NamedBy::Setting("agent.command") => {
            "with --agent, or as agent.command in the settings".into()
        }
        NamedBy::Setting(list @ ("agent.fallback" | "escalation.agents")) => {
            format!("in {list} of the settings, or remove it")
        }
        NamedBy::Setting(key) => format!("as {key} in the settings"),
        NamedBy::Task(id) => format!("as agent of {id} in the plan"),
    }
}
