//! The project a command works on: its repository, its folders, its effective settings, its plan.

use std::path::{Path, PathBuf};

use ralph_core::{
    plan::{self, Plan, formats::plan_json},
    preflight,
    settings::{self, Fault, Flag, Layer, LayerText, Resolved, SandboxMode},
};
use ralph_engine::{git::Repository, layout::Layout, project_file};

use super::foreign_plans;
use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
    env_vars, exit,
    files::{self, Search},
};

/// A repository with settings.
pub(crate) struct Project {
    pub(crate) repository: Repository,
    pub(crate) layout: Layout,
    pub(crate) resolved: Resolved,
    /// The project has settings, or will have once the user agrees.
    pub(crate) is_set_up: bool,
    /// Files, variables and flags with settings, by name, a later one wins.
    read: Vec<String>,
}

impl Project {
    /// Finds the repository around the project folder and resolves the settings, flags last.
    pub(crate) fn open(context: &Context, flags: &[Flag]) -> Result<Self, CommandError> {
        let repository = Repository::discover(&context.project_dir)?;
        let root = repository.main_root().to_owned();
        let layout = Layout::new(repository.common_dir(), &root);
        let is_tracked = |path: &Path| repository.tracks(&root.join(path));
        let mut layers = settings_files(&root, &is_tracked, context)?;
        let is_set_up = layers.iter().any(|layer| layer.layer() == Layer::Project);
        layers.push(LayerText::Variables(env_vars::settings()));
        layers.push(LayerText::Flags(flags.to_vec()));
        let read = settings::sources(&layers);
        let resolved = settings::resolve(layers, &[ralph_agents::check_settings])
            .map_err(|errors| unusable(&errors))?;
        let git = &resolved.settings.git;
        let repository = repository.with_filters(&git.filters).with_signing(git.sign);
        let repository = match resolved.settings.sandbox.mode {
            SandboxMode::Off | SandboxMode::Seatbelt => repository.without_box(),
            SandboxMode::Auto | SandboxMode::Bubblewrap => repository,
        };
        Ok(Self { repository, layout, resolved, is_set_up, read })
    }

    /// With `--verbose`, names what settings were read from.
    pub(crate) fn name_settings(&self, context: &Context) -> Result<(), CommandError> {
        let read =
            if self.read.is_empty() { "built-in values only" } else { &self.read.join(", ") };
        if context.verbose {
            context.note(format!("settings, a later one wins: {read}"))?;
        }
        Ok(())
    }

    /// The plan file, read and checked.
    pub(crate) fn plan(&self, named: Option<&Path>) -> Result<Plan, CommandError> {
        let path = named.map_or_else(|| self.layout.plan(), Path::to_owned);
        let plan = read_plan(&path)?;
        let broken = preflight::broken_commands(&plan);
        if !broken.is_empty() {
            let what = format!("{} has errors", path.display());
            let help = "fix the problems above; ralph plan --check shows the lines";
            return Err(CommandError::usage(what, help).because(broken));
        }
        Ok(plan)
    }

    /// Folder for linked worktrees.
    pub(crate) fn state_home() -> PathBuf {
        let absolute = |text: String| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
        variable("XDG_STATE_HOME").and_then(absolute).unwrap_or_else(|| {
            PathBuf::from(variable(env_vars::HOME).unwrap_or_default()).join(".local/state")
        })
    }
}

/// The settings files for a project, as layers.
pub(crate) fn settings_files(
    root: &Path,
    is_tracked: &dyn Fn(&Path) -> bool,
    context: &Context,
) -> Result<Vec<LayerText>, CommandError> {
    let user_dir = env_vars::user_settings_dir(|name| std::env::var_os(name));
    let search = Search {
        project_dir: root,
        config: context.config.as_deref(),
        user_dir: user_dir.as_deref(),
        is_tracked,
    };
    let mut layers = files::layers(&search)
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    if let Some(text) = &context.proposed {
        layers.push(files::proposed(text));
    }
    Ok(layers)
}

/// The text of a plan file, and the plan that it describes.
pub(crate) fn plan_text(path: &Path) -> Result<(String, Plan), CommandError> {
    let text = project_file::text(path, project_file::LARGEST);
    let text = text.map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => no_plan(path),
        _ => CommandError::file("read", path)(source),
    })?;
    let plan = plan_json::parse(&text).map_err(|error| {
        let what = format!("{}: {error}", path.display());
        CommandError::usage(what, error.help.clone())
    })?;
    Ok((text, plan))
}

/// A plan file, read and checked.
pub(crate) fn read_plan(path: &Path) -> Result<Plan, CommandError> {
    let (_, plan) = plan_text(path)?;
    let problems = plan::problems(&plan);
    if !problems.is_empty() {
        let why = problems.iter().map(|one| format!("{one} ({})", one.help())).collect();
        let what = format!("{} has errors", path.display());
        return Err(CommandError::usage(what, "fix the problems above").because(why));
    }
    Ok(plan)
}

fn no_plan(path: &Path) -> CommandError {
    let what = format!("there is no plan at {}", path.display());
    let help = "run `ralph plan` first (ralph init --example-plan writes an example), \
                or work on a prompt: ralph run -p \"…\"";
    let root = path.parent().and_then(Path::parent).unwrap_or(path);
    match foreign_plans::find(root) {
        Some(found) => {
            let import =
                format!("ralph plan --import {found} takes over the plan that is here; or {help}");
            CommandError::usage(what, import)
        }
        None => CommandError::usage(what, help),
    }
}

/// All that is wrong with the settings at once, each with its help.
pub(crate) fn unusable(errors: &[settings::SettingsError]) -> CommandError {
    let why = errors.iter().map(|error| format!("{error} ({})", error.help)).collect();
    let help = "fix the problems above; docs/settings.md and ralph config schema list all settings";
    let is_policy = errors.iter().all(|error| matches!(error.fault, Fault::Loosens { .. }));
    let code = if is_policy { exit::REFUSED } else { exit::USAGE };
    CommandError::new(code, "the settings cannot be used", help).because(why)
}

/// An error in somebody else's words.
pub(crate) fn told(what: String, why: Vec<String>, help: String, exit: u8) -> CommandError {
    CommandError::new(exit, what, help).because(why)
}
