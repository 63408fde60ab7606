//! The project a command works on: its repository, its folders, its effective settings, its plan.

use std::path::{Path, PathBuf};

use ralph_core::{
    input::Failure,
    plan::{self, Plan, formats::plan_json},
    preflight,
    settings::{self, Fault, Flag, LayerText, Resolved, SandboxMode},
};
use ralph_engine::{git::Repository, layout::Layout, project_file};

use crate::{
    context::{Context, variable},
    diagnostics::{CommandError, Told},
    env_vars, exit,
    files::{self, Search},
};

/// A repository with settings.
pub(crate) struct Project {
    pub(crate) repository: Repository,
    pub(crate) layout: Layout,
    pub(crate) resolved: Resolved,
}

impl Project {
    /// Finds the repository around the project folder and resolves the settings, flags last.
    pub(crate) fn open(context: &Context, flags: &[Flag]) -> Result<Self, CommandError> {
        let repository = Repository::discover(&context.project_dir)
            .map_err(|error| told_failure(Failure::from(error)))?;
        let root = repository.main_root().to_owned();
        let layout = Layout::new(repository.common_dir(), &root);
        let user_dir = env_vars::user_settings_dir(|name| std::env::var_os(name));
        let search = Search {
            project_dir: &root,
            config: context.config.as_deref(),
            user_dir: user_dir.as_deref(),
            is_tracked: &|path| repository.tracks(&root.join(path)),
        };
        let mut layers = files::layers(&search)
            .map_err(|error| told(error.to_string(), Vec::new(), error.help(), exit::USAGE))?;
        layers.push(LayerText::Variables(env_vars::settings()));
        layers.push(LayerText::Flags(flags.to_vec()));
        let resolved = settings::resolve(layers, &[ralph_agents::check_settings])
            .map_err(|errors| unusable(&errors))?;
        let repository = repository.with_filters(&resolved.settings.git.filters);
        let repository = match resolved.settings.sandbox.mode {
            SandboxMode::Off | SandboxMode::Landlock | SandboxMode::Seatbelt => {
                repository.without_box()
            }
            SandboxMode::Auto | SandboxMode::Bubblewrap | SandboxMode::Sbx => repository,
        };
        Ok(Self { repository, layout, resolved })
    }

    /// The plan file, read and checked.
    pub(crate) fn plan(&self, named: Option<&Path>) -> Result<Plan, CommandError> {
        let path = named.map_or_else(|| self.layout.plan(), Path::to_owned);
        let plan = read_plan(&path)?;
        let broken = preflight::broken_commands(&plan);
        if !broken.is_empty() {
            let what = format!("{} has errors", path.display());
            let help = "fix the problems above; ralph plan --check shows the lines";
            return Err(told(what, broken, help.into(), exit::USAGE));
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

/// The text of a plan file.
pub(crate) fn plan_text(path: &Path) -> Result<String, CommandError> {
    project_file::text(path, project_file::LARGEST).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => no_plan(path),
        _ => CommandError::File { doing: "read", path: path.to_owned(), source },
    })
}

/// A plan file, read and checked.
pub(crate) fn read_plan(path: &Path) -> Result<Plan, CommandError> {
    let text = plan_text(path)?;
    let plan = plan_json::parse(&text).map_err(|error| {
        let what = format!("{}: {error}", path.display());
        told(what, Vec::new(), error.help.clone(), exit::USAGE)
    })?;
    let problems = plan::problems(&plan);
    if !problems.is_empty() {
        let why = problems.iter().map(|one| format!("{one} ({})", one.help())).collect();
        let what = format!("{} has errors", path.display());
        return Err(told(what, why, "fix the problems above".into(), exit::USAGE));
    }
    Ok(plan)
}

fn no_plan(path: &Path) -> CommandError {
    let what = format!("there is no plan at {}", path.display());
    let help = "run `ralph plan` first (ralph init --example-plan writes an example), \
                or work on a prompt: ralph run -p \"…\"";
    told(what, Vec::new(), help.into(), exit::USAGE)
}

/// All that is wrong with the settings at once, each with its help.
pub(crate) fn unusable(errors: &[settings::SettingsError]) -> CommandError {
    let why = errors.iter().map(|error| format!("{error} ({})", error.help)).collect();
    let help = "fix the problems above; docs/settings.md and ralph config schema list all settings";
    let is_policy = errors.iter().all(|error| matches!(error.fault, Fault::Loosens { .. }));
    let code = if is_policy { exit::REFUSED } else { exit::USAGE };
    told("the settings cannot be used".into(), why, help.into(), code)
}

/// An error of the engine's in its own words.
pub(crate) fn told_failure(failure: Failure) -> CommandError {
    let code = match failure.class {
        ralph_core::input::FailureClass::Workspace => exit::WORKSPACE,
        ralph_core::input::FailureClass::Agent => exit::AGENT,
        ralph_core::input::FailureClass::Preflight => exit::USAGE,
        ralph_core::input::FailureClass::Policy => exit::REFUSED,
        ralph_core::input::FailureClass::Bug => exit::BUG,
    };
    told(failure.what, Vec::new(), failure.help, code)
}

/// An error in somebody else's words.
pub(crate) fn told(what: String, why: Vec<String>, help: String, exit: u8) -> CommandError {
    CommandError::Told(Told { what, why, help, exit })
}
