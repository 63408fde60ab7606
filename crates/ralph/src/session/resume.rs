//! Resuming a run that an earlier process left: to continue it, or only to leave its workspace in order.

use std::sync::{Arc, Mutex};

use ralph_agents::live_event::News;
use ralph_core::{
    event::Event,
    ids::RunId,
    input::{By, CheckpointTaken, Reloaded, Resumption},
    outcome::Outcome,
    preflight::pin,
    run::{RunState, Share},
    settings::{self, Flag, Settings},
};
use ralph_engine::{
    journal,
    layout::Layout,
    run::{self, Site},
    runs,
    sandbox::Enclosure,
};

use super::{
    enclosure, engine, installed, iteration_limit, library, output,
    plan_commit::PlanCommit,
    project::{Project, unusable},
    resume_choice,
    run_store::RunStore,
    situation, trust,
};
use crate::{
    args::run::ResumeArgs,
    context::{Context, Entry, Line, Sign, Tone, variable},
    diagnostics::CommandError,
    reporters::console::Progress,
};

/// What may differ when a run is resumed.
pub(super) struct Again {
    pub(super) max_iterations: Option<u32>,
    pub(super) reloaded: Option<Box<Reloaded>>,
    /// The settings were read anew, and it is said what that changes.
    pub(super) is_reloaded: bool,
    pub(super) ok_on_limit: bool,
    pub(super) progress: Progress,
    pub(super) by: By,
    pub(super) share: Option<Share>,
}

/// `resume`.
pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    let options = &args.options;
    let flags = options.flags()?;
    let project = installed::open(context, &flags)?;
    project.name_settings(context)?;
    let state = resume_choice::to_resume(&project, args.run.as_deref())?;
    let how = Again {
        max_iterations: options.iterations(None)?,
        reloaded: asked((&flags, options.reload_settings), &project, &state, context)?,
        is_reloaded: options.reload_settings,
        ok_on_limit: options.ok_on_limit,
        progress: options.show_progress,
        by: By::Person,
        share: None,
    };
    continue_run(project, &state, how, context)
}

/// The settings that a resumed run continues with, where the command line asks for others than it had.
pub(super) fn asked(
    (flags, is_reloaded): (&[Flag], bool),
    project: &Project,
    state: &RunState,
    context: &Context,
) -> Result<Option<Box<Reloaded>>, CommandError> {
    match (is_reloaded, flags) {
        (true, _) => reloaded(flags, project, state, context).map(Some),
        (false, []) => Ok(None),
        (false, _) => amended(flags, state).map(Some),
    }
}

/// Settings and texts as they are now, for a run that continues with them. What the command line said when it began
/// was said of this run, and holds.
pub(super) fn reloaded(
    flags: &[Flag],
    project: &Project,
    state: &RunState,
    context: &Context,
) -> Result<Box<Reloaded>, CommandError> {
    let flags = all_said(flags, state);
    let settings = settings::amended(&project.resolved.settings, &flags)
        .map_err(|errors| unusable(&errors))?;
    let library = library::read(project, &state.plan_view(), context)?;
    Ok(Box::new(Reloaded { settings, library, flags }))
}

/// What the run began with, and what the command line says now.
pub(super) fn amended(flags: &[Flag], state: &RunState) -> Result<Box<Reloaded>, CommandError> {
    let start = &state.start;
    let settings = settings::amended(&start.settings, flags).map_err(|errors| unusable(&errors))?;
    let (library, flags) = (start.library.clone(), all_said(flags, state));
    Ok(Box::new(Reloaded { settings, library, flags }))
}

/// What opens the box, as this machine's own settings say, for a run that came from elsewhere; nothing if it is so.
pub(super) fn kept_in(
    project: &Project,
    state: &RunState,
) -> Result<Option<Box<Reloaded>>, CommandError> {
    let start = &state.start;
    let settings = settings::kept_in(&start.settings, &project.resolved.settings);
    // Without a reload the journal's own would hold.
    let gates = pin::pin(&settings, &start.plan)
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    if settings == start.settings && gates == start.gates {
        return Ok(None);
    }
    let (library, flags) = (start.library.clone(), start.flags.clone());
    Ok(Some(Box::new(Reloaded { settings, library, flags })))
}

/// What the command line said before and is not said otherwise now, and what it says now.
fn all_said(now: &[Flag], state: &RunState) -> Vec<Flag> {
    let is_said_anew = |flag: &&Flag| now.iter().any(|one| one.key == flag.key);
    let before = state.start.flags.iter().filter(|flag| !is_said_anew(flag));
    before.chain(now).cloned().collect()
}

/// Goes on with a run. Whatever else died here leaves its workspace in order first.
pub(super) fn continue_run(
    project: Project,
    state: &RunState,
    how: Again,
    context: &Context,
) -> Result<u8, CommandError> {
    let id = state.run.clone();
    check_agents(&project, state, how.reloaded.as_deref())?;
    let given = iteration_limit::given(state, how.max_iterations, how.reloaded.as_deref());
    iteration_limit::check(state, given)?;
    situation::check_resume(&project, state)?;
    let used = how.reloaded.as_ref().map_or(&state.start.settings, |one| &one.settings);
    let said = how.reloaded.as_ref().map_or(&state.start.flags, |one| &one.flags);
    if how.is_reloaded {
        let applied = changed(&state.start.settings, used);
        context.note(match applied.as_slice() {
            [] => "the settings have not changed since the run started".to_owned(),
            some => {
                format!("the settings as they are now apply: changed in [{}]", some.join("], ["))
            }
        })?;
    }
    let changed = changed_since(&project, said, used);
    if !changed.is_empty() {
        let text = format!(
            "[{}] changed in the settings since the run started and does not apply to it; \
             --reload-settings applies it",
            changed.join("], [")
        );
        context.warn(text)?;
    }
    end_others(&project.layout, Some(&id), context)?;
    let settled = how.reloaded.as_ref().map_or(&state.start.settings, |one| &one.settings);
    let settings = enclosure::settings_of(&project, &settled.sandbox);
    let chosen = enclosure::chosen(&settings, context)?;
    let room = settled.gates.room;
    let chosen = enclosure::furnished(&project, chosen, room);
    let enclosure = enclosure::of(&project, &chosen, &settings)?.asking();
    let past = RunStore { layout: project.layout.clone() }.timeline(&id)?;
    trust::tell(&project.repository, context)?;
    let plan_commit = PlanCommit::after((&state.start, settled), &project.layout, &id);
    let resumption = Resumption {
        version: env!("CARGO_PKG_VERSION").into(),
        by: how.by,
        max_iterations: given.or_else(|| iteration_limit::more(state)),
        is_limit_given: given.is_some(),
        reloaded: how.reloaded,
        isolation: Some(chosen.isolation),
        ..Resumption::default()
    };
    let shown = (context, how.progress, &past);
    let share = how.share;
    let ended = output::shown(&id, (project, enclosure), shown, |site| {
        run::resume(Site { share, ..site }, &id, resumption)
    })?;
    let ok_on_limit = how.ok_on_limit || state.start.ok_on_limit;
    engine::closed(ended, ok_on_limit, (plan_commit, context))
}

/// The sections of the settings that decide how a run goes, and differ now from what it continues with.
fn changed_since(project: &Project, said: &[Flag], used: &Settings) -> Vec<&'static str> {
    let Ok(now) = settings::amended(&project.resolved.settings, said) else {
        return Vec::new();
    };
    changed(used, &now)
}

/// The sections of the settings that decide how a run goes, and differ.
fn changed(used: &Settings, now: &Settings) -> Vec<&'static str> {
    let sections = [
        ("agent", now.agent != used.agent || now.agents != used.agents),
        ("gate", now.gate != used.gate),
        ("gates", now.gates != used.gates),
        ("limits", now.limits != used.limits),
        ("review", now.review != used.review),
    ];
    sections.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
}

/// Whoever the run would call by the settings that it continues with must be there.
fn check_agents(
    project: &Project,
    state: &RunState,
    reloaded: Option<&Reloaded>,
) -> Result<(), CommandError> {
    let mut state = state.clone();
    if let Some(reloaded) = reloaded {
        state.start.settings = reloaded.settings.clone();
    }
    installed::check(&state, project.repository.root(), variable("PATH").as_deref())
}

/// Ends every run that died and was never left in order, but for one: two runs never share a workspace, and what an
/// agent left there is not taken for the user's.
pub(crate) fn end_others(
    layout: &Layout,
    but: Option<&RunId>,
    context: &Context,
) -> Result<(), CommandError> {
    for run in runs::holding(layout).iter().filter(|run| Some(*run) != but) {
        end(run, context)?;
    }
    Ok(())
}

/// Leaves the workspace of a run that died in order and says where everything is. Nobody is called.
pub(crate) fn end(run: &RunId, context: &Context) -> Result<(), CommandError> {
    let project = Project::open(context, &[])?;
    let layout = project.layout.clone();
    if let Some(why) = lost(run, &project)? {
        return release(run, &why, &project, context);
    }
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let publish = move |news: News| {
        if let (News::Decided(decision), Ok(mut heard)) = (news, ear.lock()) {
            heard.extend(decision.events.iter().flat_map(said));
        }
    };
    let how = Resumption { version: env!("CARGO_PKG_VERSION").into(), ..Resumption::default() };
    let ended = run::end(engine::site(project, Arc::new(publish), Enclosure::none()), run, how);
    let exit = engine::code(ended, false)?;
    let notes = heard.lock().map(|mut heard| std::mem::take(&mut *heard)).unwrap_or_default();
    if runs::holding(&layout).contains(run) {
        let help = "fix the problems above, then try again";
        return Err(
            CommandError::new(exit, format!("run {run} could not be ended"), help).because(notes)
        );
    }
    let text = format!(
        "run {run} had been interrupted and is closed now; ralph resume {run} continues it"
    );
    let mut block = vec![Entry::led(Line::signed(Sign::Ok), text)];
    block.extend(notes.into_iter().map(|note| Entry::text(2, Tone::Plain, note)));
    context.tell(&block)?;
    Ok(())
}

/// Why nobody can go on with a run, if so.
fn lost(run: &RunId, project: &Project) -> Result<Option<String>, CommandError> {
    let Ok(recovered) = journal::recover(&project.layout.journal(run)) else {
        return Ok(Some("its journal cannot be read".into()));
    };
    let head = recovered.state.head;
    let is_there =
        head.as_str().is_empty() || project.repository.commit_at(head.as_str())?.is_some();
    Ok((!is_there)
        .then(|| format!("its last commit {} is no longer in the repository", head.short())))
}

/// A run that nobody can go on with is left by what git knows of it.
fn release(
    run: &RunId,
    why: &str,
    project: &Project,
    context: &Context,
) -> Result<(), CommandError> {
    let notes = match run::release(&project.repository, &project.layout, run) {
        Ok(notes) => notes,
        Err(error) => return engine::code(Err(error), false).map(drop),
    };
    let text = format!("run {run} is closed for good: {why}");
    let mut block = vec![Entry::led(Line::signed(Sign::Ok), text)];
    block.extend(notes.into_iter().map(|note| Entry::text(2, Tone::Plain, note)));
    context.tell(&block)
}

/// What a person must hear of a run that only ends.
fn said(event: &Event) -> Vec<String> {
    match event {
        Event::RunFinished { outcome, notes } => {
            let why = outcome.resumable() && !matches!(outcome, Outcome::Stopped);
            why.then(|| outcome.describe()).into_iter().chain(notes.iter().cloned()).collect()
        }
        Event::CheckpointTaken(CheckpointTaken { kept: Some(kept), .. }) => {
            vec![
                format!("uncommitted changes, whoever made them, are saved as {kept}"),
                format!(
                    "git diff HEAD {kept} shows them; git checkout {kept} -- FILE restores a file"
                ),
            ]
        }
        Event::WorkspaceOpened(workspace) => workspace.notes.clone(),
        Event::Warned { text } => vec![text.clone()],
        _ => Vec::new(),
    }
}
