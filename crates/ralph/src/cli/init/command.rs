//! Runs `ralph init`: look, show, write, say what comes next.

use std::path::{Path, PathBuf};

use clap::Args;
use ralph_core::settings::Settings;

use super::{
    detect::{self, FoundGate},
    folder::{self, Existing},
    settings_text,
};
use crate::{
    command_line::context::{Context, variable},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        line::{Line, Tone},
    },
    session::{
        agents::{self, Asked, Found},
        place::Place,
        probe::{self, GitState},
    },
    words,
};

/// `ralph init`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InitArgs {
    /// Agent to work with [default: the first that is installed]
    #[arg(long)]
    agent: Option<String>,
    /// Command that proves work good, instead of those that are found; may be repeated
    #[arg(long, value_name = "COMMAND")]
    gate: Vec<String>,
    /// Also write a small example plan
    #[arg(long)]
    example_plan: bool,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
    /// Replace existing settings
    #[arg(long)]
    force: bool,
}

/// Runs `ralph init`.
pub(crate) fn exec(args: &InitArgs, context: &Context) -> Result<u8, CommandError> {
    let project = project_folder(&context.project_dir)?;
    let views = project.join(".ralph");
    let plan = views.join("plan.json");
    if args.example_plan && !args.force && views.join("settings.toml").is_file() {
        return only_the_plan(&project, &plan, context);
    }
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    folder::check(&views, existing)?;
    let path = variable("PATH");
    let agents = agents::built_in(&project, path.as_deref(), Asked::Version);
    let gates = gates(args, &project, path.as_deref());
    let agent = args.agent.clone().unwrap_or_else(|| {
        let mut installed = agents.iter().filter(|found| found.path.is_some());
        let first = installed.clone().find(|found| !found.facts.is_experimental);
        first.or_else(|| installed.next()).map_or_else(default_agent, |found| found.name.clone())
    });
    let git = probe::git_state(&project);
    context.tell(&found(&git, &agents, &gates))?;
    if !args.yes && context.can_ask() && !Context::ask("write .ralph/settings.toml?")? {
        context.tell(&[Entry::text(0, Tone::Plain, "nothing was written")])?;
        return Ok(exit::DONE);
    }
    let mut wrote = vec![".ralph/settings.toml"];
    let text = settings_text::settings(&agent, &gates);
    let settings = views.join("settings.toml");
    if !folder::write(&settings, &text, existing)? {
        return Err(CommandError::SettingsExist { path: settings });
    }
    if folder::write(&views.join(".gitignore"), settings_text::GITIGNORE, Existing::Keep)? {
        wrote.push(".ralph/.gitignore");
    }
    let schema = views.join("settings.schema.json");
    if folder::write(&schema, &ralph_core::settings::schema(), Existing::Replace)? {
        wrote.push(".ralph/settings.schema.json");
    }
    if args.example_plan && folder::write(&plan, &example(&project), Existing::Keep)? {
        wrote.push(".ralph/plan.json");
    }
    context.tell(&closing(&wrote, &next(&git, &gates, &plan)))?;
    Ok(exit::DONE)
}

/// The settings are there already, so the example plan is all that was asked for.
fn only_the_plan(project: &Path, plan: &Path, context: &Context) -> Result<u8, CommandError> {
    if !folder::write(plan, &example(project), Existing::Keep)? {
        return Err(CommandError::PlanExists { path: plan.to_owned() });
    }
    context.tell(&closing(&[".ralph/plan.json"], "edit it, then ralph run"))?;
    Ok(exit::DONE)
}

fn example(project: &Path) -> String {
    format!("{:#}\n", settings_text::example_plan(&name(project)))
}

/// The main worktree, or the folder itself where there is no repository yet.
fn project_folder(folder: &Path) -> Result<PathBuf, CommandError> {
    if let Ok(place) = Place::find(folder)
        && let Some(root) = place.layout.views().parent()
    {
        return Ok(root.to_owned());
    }
    folder.canonicalize().map_err(|source| CommandError::File {
        doing: "read",
        path: folder.to_owned(),
        source,
    })
}

fn name(project: &Path) -> String {
    let name = project.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn gates(args: &InitArgs, project: &Path, path: Option<&str>) -> Vec<FoundGate> {
    if args.gate.is_empty() {
        detect::detect(project, &|program| !probe::find_all(program, path).is_empty())
    } else {
        let given = args.gate.iter().map(|command| FoundGate::given(command));
        detect::with_own_names(given.collect())
    }
}

fn default_agent() -> String {
    Settings::default().agent.command
}

/// What was found, one line per matter.
fn found(git: &GitState, agents: &[Found], gates: &[FoundGate]) -> Block {
    let absent = agents.iter().filter(|found| found.path.is_none());
    let absent: Vec<&str> = absent.map(|found| found.name.as_str()).collect();
    let mut agents: Vec<String> = agents.iter().filter_map(Found::with_version).collect();
    if !absent.is_empty() {
        agents.push(format!("not found: {}", absent.join(", ")));
    }
    let commands: Vec<&str> = gates.iter().map(|gate| gate.command.as_str()).collect();
    let mut from: Vec<&str> = gates.iter().map(|gate| gate.from).collect();
    from.dedup();
    let gates = if gates.is_empty() {
        "none found; name one with --gate, or add it to the settings".into()
    } else {
        format!("{}   from {}", dots(&commands), words::list(&from))
    };
    vec![
        matter("git", git_words(git)),
        matter("agents", agents.join("   ")),
        matter("gates", gates),
        matter("sandbox", "off in this version: the agent can do what you can do".into()),
    ]
}

fn matter(name: &str, text: String) -> Entry {
    Entry::Wrapped {
        lead: Line::new().add(Tone::Accent, format!("  {name:<9}")),
        indent: 11,
        tone: Tone::Plain,
        text,
    }
}

/// Where git stands, in words.
pub(crate) fn git_words(state: &GitState) -> String {
    match state {
        GitState::Missing => "not found".into(),
        GitState::NoRepository { .. } => "no repository here".into(),
        GitState::Bare => "a bare repository".into(),
        GitState::Repository { branch, changed, untracked, has_commits } => {
            let mut parts = vec![match changed {
                0 => "clean".to_owned(),
                n => format!("{} changed", words::count(*n as u64, "file")),
            }];
            if *untracked > 0 {
                parts.push(format!("{untracked} untracked"));
            }
            parts.push(match branch {
                Some(branch) => format!("branch {branch}"),
                None => "detached HEAD".into(),
            });
            if !has_commits {
                parts.push("no commit yet".into());
            }
            parts.join(", ")
        }
    }
}

/// Everything that is still missing before a run can start, and the run.
fn next(git: &GitState, gates: &[FoundGate], plan: &Path) -> String {
    let mut steps = Vec::new();
    match git {
        GitState::Missing => steps.push("install git"),
        GitState::NoRepository { .. } => steps.push("git init, commit what you have"),
        GitState::Repository { has_commits: false, .. } => steps.push("commit what you have"),
        GitState::Bare | GitState::Repository { .. } => {}
    }
    if gates.is_empty() {
        steps.push("add a gate to .ralph/settings.toml");
    }
    if !plan.is_file() {
        steps.push("write .ralph/plan.json (ralph init --example-plan makes one to edit)");
    }
    steps.push("ralph run");
    steps.join(", then ")
}

fn closing(wrote: &[&str], next: &str) -> Block {
    vec![
        Entry::text(0, Tone::Plain, format!("wrote {}", words::list(wrote))),
        Entry::Wrapped {
            lead: Line::new().add(Tone::Accent, "next: "),
            indent: 6,
            tone: Tone::Bold,
            text: next.to_owned(),
        },
    ]
}
