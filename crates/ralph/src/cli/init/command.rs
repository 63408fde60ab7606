//! Runs `ralph init`: look, ask where a person is there, write, say what comes next.

use std::path::Path;

use ralph_engine::git::Repository;

use super::{
    args::InitArgs,
    choices::Choices,
    folder::{self, Existing},
    found,
    place::Place,
    settings_text,
    wizard::{self, Known},
    write::{self, Wanted},
};
use crate::{
    ask::{Asker, Lean},
    cli::config::{self, Origins, Style},
    context::{Context, Entry, Line, Tone, variable},
    diagnostics::CommandError,
    exit,
    session::{
        agents::{self, Asked, Found},
        gate_detection::{self, FoundGate},
        gate_trial::{self, Tried},
        installed,
        probe::{self, GitState},
        programs,
        project::Project,
    },
};

/// Runs `ralph init`.
pub(crate) fn exec(args: &InitArgs, context: &Context) -> Result<u8, CommandError> {
    let place = Place::find(&context.project_dir)?;
    match set_up(args, &place, context) {
        Err(CommandError::Cancelled) => {
            nothing_written(context)?;
            Ok(exit::INTERRUPTED)
        }
        other => other,
    }
}

/// Settings for a project that has none, not written yet.
pub(crate) struct Proposed {
    place: Place,
    args: InitArgs,
    choices: Choices,
    /// The text of the settings file.
    pub(crate) text: String,
}

/// Works out settings from what is found, as the first step of another command, and asks for limits where no flag
/// gives any. Writes nothing.
pub(crate) fn propose(
    agent: Option<String>,
    asks_limits: bool,
    context: &Context,
) -> Result<Proposed, CommandError> {
    let args = InitArgs { agent, yes: true, ..InitArgs::default() };
    let place = Place::find(&context.project_dir)?;
    let seen = look(&args, &place, context)?;
    let mut choices = seen.choices;
    if asks_limits {
        wizard::ask_limits(&mut context.asker()?, &mut choices)?;
    }
    let text = settings_text::settings(&choices);
    Ok(Proposed { place, args, choices, text })
}

impl Proposed {
    /// Writes them.
    pub(crate) fn write(&self, context: &Context) -> Result<(), CommandError> {
        let wrote = written(&self.args, &self.place, (&self.choices, &self.text))?;
        let closing = found::closing(&wrote, self.place.elsewhere(), "");
        context.tell(closing.get(..1).unwrap_or_default())?;
        warn_of_missing(context)
    }
}

/// What is there, and what follows from it.
struct Seen {
    agents: Vec<Found>,
    git: GitState,
    choices: Choices,
}

/// Looks, and says what is found.
fn look(args: &InitArgs, place: &Place, context: &Context) -> Result<Seen, CommandError> {
    let agents = agents::built_in(&place.main, variable("PATH").as_deref(), Asked::Version);
    let git = probe::git_state(&place.here);
    let gates = gates(args, place);
    context.tell(&found::block(&git, (&agents, args.agent.as_deref()), &gates))?;
    if let Some(words) = place.words() {
        context.note(words)?;
    }
    let choices = Choices::new(args, &agents, tried(args, gates, context)?);
    Ok(Seen { agents, git, choices })
}

fn written(
    args: &InitArgs,
    place: &Place,
    settings: (&Choices, &str),
) -> Result<Vec<&'static str>, CommandError> {
    let root = place.main.as_path();
    let wanted = Wanted { project: &name(args, root), plan: plan_text(args, root) };
    write::all(root, settings, &wanted)
}

fn warn_of_missing(context: &Context) -> Result<(), CommandError> {
    if let Ok(project) = Project::open(context, &[]) {
        for missing in programs::missing_here(&project) {
            context.warn(missing.words())?;
        }
    }
    Ok(())
}

fn set_up(args: &InitArgs, place: &Place, context: &Context) -> Result<u8, CommandError> {
    let root = place.main.as_path();
    let views = root.join(".ralph");
    let plan = views.join("plan.json");
    let settings = folder::settings(&views)?;
    if let Some(settings) = settings.as_deref().filter(|_| !args.force) {
        if args.example_plan || args.name.is_some() {
            return only_the_plan(args, place, context);
        }
        if args.yes || !context.can_ask() {
            return Err(settings_exist(settings));
        }
    }
    // Both formats in one layer would be an error, so the other one is not silently joined by ours.
    if let Some(json) = settings.as_deref().filter(|path| !path.ends_with("settings.toml")) {
        return Err(settings_exist(json));
    }
    let mut asker = (context.can_ask() && !args.yes).then(|| context.asker()).transpose()?;
    if let (Some(asker), Some(settings), false) = (&mut asker, &settings, args.force)
        && !may_replace(settings, asker, context)?
    {
        nothing_written(context)?;
        return Ok(exit::DONE);
    }
    let Seen { agents, git, mut choices } = look(args, place, context)?;
    if let Some(asker) = &mut asker {
        context.note("")?;
        let known = Known { args, git: &git, agents: &agents, has_remote: has_remote(root) };
        choices = wizard::ask(asker, &known, choices)?;
    }
    let text = settings_text::settings(&choices);
    if let Some(asker) = &mut asker
        && !agrees(asker, &text, context)?
    {
        nothing_written(context)?;
        return Ok(exit::DONE);
    }
    drop(asker);
    let wrote = written(args, place, (&choices, &text))?;
    let has_agent = Project::open(context, &[]).as_ref().map_or(true, |project| {
        let settings = &project.resolved.settings;
        installed::check_named(settings, root, variable("PATH").as_deref()).is_ok()
    });
    let next = found::next(root, (has_agent, !choices.gates.is_empty()), &plan);
    context.tell(&found::closing(&wrote, place.elsewhere(), &next))?;
    warn_of_missing(context)?;
    Ok(exit::DONE)
}

/// Shows the settings that are in force and asks whether new ones may take their place.
fn may_replace(path: &Path, asker: &mut Asker, context: &Context) -> Result<bool, CommandError> {
    let mut block = vec![Entry::text(0, Tone::Plain, format!("{} already exists", path.display()))];
    match Project::open(context, &[]) {
        Ok(project) => {
            let text = config::show(&project.resolved, Origins::OnlySet, Style::Toml);
            block.extend(text.lines().map(quoted));
        }
        Err(error) => {
            block.push(Entry::text(2, Tone::Warn, error.to_string()));
            block.extend(error.why().into_iter().map(|why| Entry::text(2, Tone::Plain, why)));
        }
    }
    context.tell(&block)?;
    asker.confirm("Replace these settings? The old file is kept beside the new one.", Lean::No)
}

/// A line of a settings file.
fn quoted(line: &str) -> Entry {
    Entry::Cut(Line::new().dim(format!("  {line}")))
}

/// Shows what would be written and asks once.
fn agrees(asker: &mut Asker, text: &str, context: &Context) -> Result<bool, CommandError> {
    let mut block = vec![Entry::text(0, Tone::Plain, "")];
    block.extend(settings_text::spoken(text).into_iter().map(quoted));
    block.push(Entry::text(0, Tone::Plain, ""));
    context.tell(&block)?;
    asker.confirm("Write this to .ralph/settings.toml?", Lean::Yes)
}

fn settings_exist(path: &Path) -> CommandError {
    let what = format!("{} already exists", path.display());
    CommandError::usage(what, "edit it, or replace it with ralph init --force")
}

fn nothing_written(context: &Context) -> Result<(), CommandError> {
    context.note("nothing was written")
}

/// The settings are there already, so a plan is all that was asked for.
fn only_the_plan(args: &InitArgs, place: &Place, context: &Context) -> Result<u8, CommandError> {
    let root = place.main.as_path();
    let plan = root.join(".ralph/plan.json");
    let text = plan_text(args, root).unwrap_or_default();
    if !folder::write(&plan, &text, Existing::Keep)? {
        let what = format!("{} already exists", plan.display());
        return Err(CommandError::usage(what, "edit it, or remove it first"));
    }
    let next = found::next_of_plan(root, args.example_plan);
    context.tell(&found::closing(&[".ralph/plan.json"], place.elsewhere(), &next))?;
    Ok(exit::DONE)
}

/// The plan that was asked for, if one was.
fn plan_text(args: &InitArgs, root: &Path) -> Option<String> {
    let template = match (args.example_plan, &args.name) {
        (true, _) => settings_text::EXAMPLE_PLAN,
        (false, Some(_)) => settings_text::EMPTY_PLAN,
        (false, None) => return None,
    };
    let branch = args.name.as_deref().map(branch).unwrap_or_default();
    Some(settings_text::plan(template, &name(args, root), &branch))
}

/// The branch of a feature, in letters that git takes.
fn branch(feature: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = feature.trim().chars().map(word).collect();
    format!("ralph/{}", name.trim_matches('-'))
}

fn name(args: &InitArgs, project: &Path) -> String {
    let folder = || project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    args.name.clone().unwrap_or_else(folder)
}

fn gates(args: &InitArgs, place: &Place) -> Vec<FoundGate> {
    if args.gate.is_empty() {
        gate_detection::detect(&place.worktree, &place.here, &probe::is_installed)
    } else {
        let given = args.gate.iter().map(|command| FoundGate::given(command));
        gate_detection::with_own_names(given.collect())
    }
}

/// What a person named is written as it is; what was found has to show that it works here.
fn tried(args: &InitArgs, gates: Vec<FoundGate>, context: &Context) -> Result<Tried, CommandError> {
    let project = Project::open(context, &[]).ok();
    match project.filter(|_| args.gate.is_empty() && !args.no_try) {
        Some(project) => gate_trial::run(&project, gates, context),
        None => Ok(Tried { gates, left_out: Vec::new() }),
    }
}

fn has_remote(root: &Path) -> bool {
    Repository::discover(root).is_ok_and(|repository| repository.has_remote())
}
