//! Starting a run: what is pinned, how many iterations it may take, and whether it may start at all.

use crate::{
    effect::DirtyPolicy,
    event::{RunStart, Source},
    gates::{pin, report::Severity},
    ids::TaskId,
    plan::{Plan, Task},
    settings::{Settings, WorkspaceMode},
};

/// What the person said on the command line beyond settings.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    pub version: String,
    /// `-n`.
    pub max_iterations: Option<u32>,
    /// `--branch`.
    pub branch: Option<String>,
    pub dirty: DirtyPolicy,
    /// `--worktree`.
    pub linked_worktree: bool,
    pub ok_on_limit: bool,
}

/// Why a run must not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Preflight {
    #[error("the plan has no task")]
    NoTasks,
    #[error("the plan has no task called {0}")]
    UnknownTask(TaskId),
    #[error("nothing can verify the work: no hard gate, and not every task has a check")]
    NothingToVerifyWith,
    #[error(transparent)]
    Gates(#[from] pin::PinError),
}

impl Preflight {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoTasks => {
                "write tasks into .ralph/plan.json, or work on a prompt: ralph run -p \"…\""
            }
            Self::UnknownTask(_) => "ralph status lists the tasks",
            Self::Gates(error) => error.help(),
            Self::NothingToVerifyWith => {
                "add a [[gate]] to .ralph/settings.toml, or a check to each task, or start with --trust-agent (every result is then called unverified)"
            }
        }
    }
}

/// Pins everything a run is made of. An ad-hoc prompt becomes a plan of one task.
pub fn begin(
    source: Source,
    plan: Plan,
    settings: Settings,
    options: StartOptions,
) -> Result<RunStart, Preflight> {
    let plan = match &source {
        Source::Prompt { text, .. } => prompt_plan(plan, text),
        Source::Plan | Source::Tasks { .. } => plan,
    };
    if plan.tasks.is_empty() {
        return Err(Preflight::NoTasks);
    }
    if let Source::Tasks { ids } = &source
        && let Some(id) = ids.iter().find(|id| plan.position(id).is_none())
    {
        return Err(Preflight::UnknownTask(id.clone()));
    }
    let gates = pin::pin(&settings, &plan)?;
    let tested = gates.iter().any(|gate| gate.severity == Severity::Hard);
    let checked = open_tasks(&source, &plan).all(Task::has_check);
    if !tested && !checked && !settings.claims.trust_agent {
        return Err(Preflight::NothingToVerifyWith);
    }
    let (max_iterations, max_iterations_why) = max_iterations(&source, &plan, &settings, &options);
    Ok(RunStart {
        version: options.version,
        branch: branch(&plan, &settings, options.branch.as_deref()),
        linked_worktree: options.linked_worktree
            || settings.git.workspace == WorkspaceMode::Worktree,
        dirty: options.dirty,
        ok_on_limit: options.ok_on_limit,
        source,
        settings,
        plan,
        gates,
        max_iterations,
        max_iterations_why,
    })
}

/// `-n`, else the settings', else the plan's, else derived: twice the open tasks, at least 15.
fn max_iterations(
    source: &Source,
    plan: &Plan,
    settings: &Settings,
    options: &StartOptions,
) -> (u32, String) {
    if let Some(limit) = options.max_iterations {
        return (limit, "-n".into());
    }
    if settings.limits.max_iterations > 0 {
        return (settings.limits.max_iterations, "limits.max_iterations".into());
    }
    if let Some(limit) = plan.max_iterations {
        return (limit, "the plan".into());
    }
    match source {
        Source::Prompt { .. } => (10, "the default for a prompt".into()),
        Source::Plan | Source::Tasks { .. } => derived(open_tasks(source, plan).count()),
    }
}

/// The tasks this run is about that are not finished.
fn open_tasks<'a>(source: &'a Source, plan: &'a Plan) -> impl Iterator<Item = &'a Task> {
    plan.tasks.iter().filter(move |task| {
        let is_selected = match source {
            Source::Tasks { ids } => ids.contains(&task.id),
            Source::Plan | Source::Prompt { .. } => true,
        };
        is_selected && !task.status.satisfies()
    })
}

/// The limit that follows from the number of open tasks.
pub fn derived(open: usize) -> (u32, String) {
    let limit = u32::try_from(open.saturating_mul(2)).unwrap_or(u32::MAX).max(15);
    (limit, format!("2 for each of {open} open tasks, at least 15"))
}

fn branch(plan: &Plan, settings: &Settings, flag: Option<&str>) -> String {
    let named = [flag, Some(&settings.git.branch), Some(&plan.branch)];
    let named = named.into_iter().flatten().find(|name| !name.is_empty());
    named.map_or_else(|| format!("ralph/{}", ref_word(&plan.project)), str::to_owned)
}

/// A project's name as part of a branch name.
fn ref_word(project: &str) -> String {
    let words = project.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-").to_lowercase();
    if joined.is_empty() { "work".into() } else { joined }
}

fn prompt_plan(plan: Plan, text: &str) -> Plan {
    let title = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("prompt");
    let task = Task {
        id: "prompt".into(),
        title: title.trim().chars().take(72).collect(),
        description: text.to_owned(),
        ..Task::default()
    };
    Plan { tasks: vec![task], ..plan }
}
