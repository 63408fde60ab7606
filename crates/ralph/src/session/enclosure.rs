//! The box of this project's processes: chosen by the settings, tried, and refused in plain words where none works.

use std::{
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use ralph_core::settings::{GateRoom, Layer, Sandbox as SandboxSettings};
use ralph_engine::{
    git::agents_folders,
    sandbox::{self, Chosen, Enclosure, Machine, Refusal},
};

use super::project::Project;
use crate::{
    ask::Lean,
    context::{Context, variable},
    diagnostics::{self, CommandError},
    env_vars, exit,
};

/// A backend that is being tried while other things are looked at. Waited for in any case: a box that is tried leaves
/// nothing behind.
pub(crate) struct Trial {
    settings: SandboxSettings,
    trial: Option<JoinHandle<Result<Chosen, Refusal>>>,
}

impl Trial {
    /// Begins to try the backend that the settings name.
    pub(crate) fn begin(settings: &SandboxSettings) -> Self {
        let tried = settings.clone();
        let trial = thread::spawn(move || sandbox::choose(&tried));
        Self { settings: settings.clone(), trial: Some(trial) }
    }

    /// How it went. Where none works and a person is there, they are asked once whether to continue without.
    pub(crate) fn chosen(mut self, context: &Context) -> Result<Chosen, CommandError> {
        let tried = self.trial.take().and_then(|trial| trial.join().ok());
        confirmed(tried.unwrap_or_else(|| sandbox::choose(&self.settings)), context)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        let _ = self.trial.take().map(JoinHandle::join);
    }
}

/// The backend that the settings name, after it was tried. Where none works and a person is there, they are asked
/// once whether to continue without.
pub(crate) fn chosen(
    settings: &SandboxSettings,
    context: &Context,
) -> Result<Chosen, CommandError> {
    confirmed(sandbox::choose(settings), context)
}

fn confirmed(tried: Result<Chosen, Refusal>, context: &Context) -> Result<Chosen, CommandError> {
    let refusal = match tried {
        Ok(chosen) => return Ok(chosen),
        Err(refusal) => refused(&refusal),
    };
    if !context.can_ask() {
        return Err(refusal);
    }
    diagnostics::print(&refusal, &mut std::io::stderr().lock(), &context.stderr())?;
    let question = "Continue without a sandbox this time (--sandbox=off)? The agent can then do everything you can.";
    if context.asker()?.confirm(question, Lean::No)? {
        return Ok(sandbox::not_isolated());
    }
    let help = "nothing was started; the help above says how to install or enable a sandbox";
    Err(CommandError::new(
        exit::REFUSED,
        "no sandbox works here and --sandbox=off was not given",
        help,
    ))
}

/// The same without asking anybody.
pub(crate) fn tried(settings: &SandboxSettings) -> Result<Chosen, CommandError> {
    sandbox::choose(settings).map_err(|refusal| refused(&refusal))
}

/// The settings of the sandbox for a run that is resumed: as it began, unless this command itself says otherwise.
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
    kept_apart(&Project::state_home(), project.repository.root())?;
    let state_home = Project::state_home();
    // Agents can write there too.
    let writable = settings.writable.iter().map(|text| match text.strip_prefix("~/") {
        Some(rest) => PathBuf::from(variable(env_vars::HOME).unwrap_or_default()).join(rest),
        None => PathBuf::from(text),
    });
    let agents = agents_folders(project.repository.root(), &state_home);
    let shut_out = agents.into_iter().chain(writable);
    let machine = Machine {
        home: PathBuf::from(variable(env_vars::HOME).unwrap_or_default()),
        ralph: std::env::current_exe()?,
        cache: project.repository.cache_folder(&state_home),
        environment: std::env::vars_os().collect(),
        git_settings: project.repository.identity_settings(),
        shut_out: shut_out.collect(),
    };
    Ok(Enclosure::new(chosen.backend, machine, settings.clone()).with_room(chosen.has_room))
}

/// The same backend, with a room for the gates where one can be made, and with all that makes it weaker here.
pub(crate) fn furnished(project: &Project, chosen: Chosen, room: GateRoom) -> Chosen {
    let layers = project.repository.layers_folder(&Project::state_home());
    chosen.with_room(room, &layers).with_git(project.repository.is_enclosed())
}

/// What ralph keeps must lie where no agent writes: boxes and rooms are made of it.
fn kept_apart(state: &Path, root: &Path) -> Result<(), CommandError> {
    let there = state.ancestors().find_map(|above| above.canonicalize().ok()).unwrap_or_default();
    if !state.starts_with(root) && !there.starts_with(root) {
        return Ok(());
    }
    Err(CommandError::new(
        exit::REFUSED,
        format!("ralph would keep its own state in {}, where agents can write", state.display()),
        "set XDG_STATE_HOME to a folder outside the worktree, or use a clone elsewhere",
    )
    .because(vec![format!("it is inside the worktree {}", root.display())]))
}

fn refused(refusal: &Refusal) -> CommandError {
    CommandError::new(exit::REFUSED, refusal.to_string(), refusal.help()).because(refusal.why())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn state_in_the_worktree_is_refused_with_its_cause() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = folder.path().canonicalize()?;
        let root = base.join("repo");
        fs::create_dir_all(root.join("inner"))?;
        symlink(root.join("inner"), base.join("link"))?;
        for state in [root.join(".state/new"), root.clone(), base.join("link/state")] {
            let said = kept_apart(&state, &root).err().map(|error| error.to_string());
            assert!(said.is_some_and(|said| said.contains("where agents can write")));
        }
        assert!(kept_apart(&base.join("home/.local/state"), &root).is_ok());
        assert!(kept_apart(&base.join("repo-state"), &root).is_ok());
        Ok(())
    }
}
