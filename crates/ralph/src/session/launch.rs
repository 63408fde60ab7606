//! From a request to a run: which one is meant, and what a new one begins with.

use ralph_core::{
    event::{RunStart, Source},
    gates::report::Severity,
    ids::TaskId,
    input::By,
    plan::{Plan, Status, Task},
    preflight::pin,
    run::{self as core, RunState, StartOptions},
    timeline::Timeline,
};
use ralph_engine::{
    clock, project_file,
    run::{self, Site},
};

use super::{
    branch_check, done_before, dry_run, enclosure, engine, installed, library, open_proposals,
    output,
    plan_commit::PlanCommit,
    plan_status, programs,
    project::Project,
    resume::{Again, asked, continue_run, end_others},
    resume_choice,
    run_store::redactor,
    situation, trust,
};
use crate::{
    args::run::{RunOptions, RunRequest, Work},
    context::{Context, variable},
    diagnostics::CommandError,
    exit, words,
};

/// What a completion instruction looks like in a prompt.
const SIGNAL: &str = "\n\nWhen everything above is done and verified, end your last message with \
                      `<promise>COMPLETE</promise>` alone on its last line.\n";

/// `run` and `prompt`.
pub(crate) fn run(
    request: &RunRequest,
    options: &RunOptions,
    context: &Context,
) -> Result<u8, CommandError> {
    let project = installed::open(context, &request.flags)?;
    project.name_settings(context)?;
    for warning in &project.resolved.warnings {
        context.warn(format!("{warning} ({})", warning.help))?;
    }
    if !options.dry_run {
        engine::check_nobody_works(&project.layout)?;
    }
    let may_go_on = !options.dry_run && !options.fresh;
    if may_go_on && let Some(code) = told_late(request, options, context, &project)? {
        return Ok(code);
    }
    if may_go_on
        && let Some(open) = resume_choice::open_run(&project)?
        && resume_choice::is_meant(&open, (request, options), (&project, context))?
    {
        let how = again((request, options), (&project, context), &open.state)?;
        return continue_run(project, &open.state, how, context);
    }
    if !options.dry_run {
        end_others(&project.layout, None, context)?;
    }
    let (source, plan) = work(request, options, &project)?;
    let plan_file = elsewhere(request, &project)?;
    let start_options = StartOptions {
        version: env!("CARGO_PKG_VERSION").into(),
        max_iterations: request.max_iterations,
        branch: request.branch.clone(),
        dirty: request.dirty,
        linked_worktree: options.worktree,
        proposals: open_proposals::proposals(
            &project.layout,
            &source,
            (plan_file.as_deref(), &plan),
        ),
        plan_file,
        ok_on_limit: options.held.ok_on_limit,
        library: library::read(&project, &plan, context)?,
        flags: request.flags.clone(),
        abilities: ralph_agents::abilities(),
    };
    let settings = project.resolved.settings.clone();
    let start = core::begin(source, plan, settings, start_options)
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    check_names(&start, request.branch.as_deref())?;
    for warning in core::heavy_tasks(&start) {
        context.warn(warning)?;
    }
    let id = run::new_id();
    let state = RunState::new(id.clone(), clock::now(), start.clone());
    let asked = plan_status::waiting(&project.layout)?.iter().any(|wish| state.takes(wish));
    if state.complete() && !asked {
        context.note(done_already(&state))?;
        return Ok(exit::DONE);
    }
    if options.dry_run {
        let chosen = enclosure::tried(&start.settings.sandbox)?;
        let isolation = enclosure::furnished(&project, chosen, start.settings.gates.room).isolation;
        return dry_run::show(&project, RunStart { isolation, ..start }, context);
    }
    let trial = enclosure::Trial::begin(&start.settings.sandbox);
    let root = project.repository.root();
    installed::check(&state, root, variable("PATH").as_deref())?;
    drop(state);
    situation::check_start(&project, &start)?;
    branch_check::check(&project, request, &start.branch, context)?;
    done_before::warn(&project, &start, context)?;
    trust::tell(&project.repository, context)?;
    let chosen = trial.chosen(context)?;
    let chosen = enclosure::furnished(&project, chosen, start.settings.gates.room);
    let enclosure = enclosure::of(&project, &chosen, &start.settings.sandbox)?.asking();
    programs::check(&start, &project, &enclosure, context)?;
    let start = RunStart { isolation: chosen.isolation, ..start };
    let plan_commit = PlanCommit::after((&start, &start.settings), &project.layout, &id);
    let shown = (context, options.held.show_progress, &Timeline::default());
    let share = options.share;
    let ended = output::shown(&id, (project, enclosure), shown, |site| {
        run::start(Site { share, ..site }, &id, start)
    })?;
    engine::closed(ended, options.held.ok_on_limit, (plan_commit, context))
}

/// The name of a branch goes wherever its commits go, and tasks are known by their ids.
fn check_names(start: &RunStart, named: Option<&str>) -> Result<(), CommandError> {
    let redactor = redactor(&start.settings);
    let is_secret = |text: &str| redactor.text(text) != text;
    let refused = |what: &str, help: &str| CommandError::usage(what, help);
    if start.plan.tasks.iter().any(|task| is_secret(task.id.as_str())) {
        let help = "give the task another id in the plan; ids appear in commits, refs and logs";
        return Err(refused("the id of a task looks like a secret", help));
    }
    // What is made of the project's name has small letters only, which hides nothing from people.
    if is_secret(&start.branch) || named.is_none() && is_secret(&start.plan.project) {
        let help =
            "choose another name with --branch NAME, or change the plan's `project` or `branch`";
        return Err(refused("the name of the run branch would contain a secret", help));
    }
    Ok(())
}

/// Why there is nothing to start.
fn done_already(state: &RunState) -> String {
    match &state.start.source {
        Source::Tasks { ids } => {
            let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
            let (names, verb) = (words::few(&names, 5), words::verb(&names));
            let others = match state.start.plan.open_tasks() {
                0 => String::new(),
                open => format!("; {}: ralph run", words::others_open(open)),
            };
            let is_skipped = |task: &Task| ids.contains(&task.id) && task.status == Status::Skipped;
            let has_skipped = state.start.plan.tasks.iter().any(is_skipped);
            let how = if has_skipped { "done or skipped" } else { "done" };
            format!("{names} {verb} already {how}; nothing was started{others}")
        }
        _ => "every task of the plan is already done; nothing was started".into(),
    }
}

/// What a request says about a run that it resumes.
fn again(
    (request, options): (&RunRequest, &RunOptions),
    (project, context): (&Project, &Context),
    state: &RunState,
) -> Result<Again, CommandError> {
    let held = &options.held;
    Ok(Again {
        max_iterations: request.max_iterations,
        reloaded: asked((&request.flags, held.reload_settings), project, state, context)?,
        is_reloaded: held.reload_settings,
        ok_on_limit: held.ok_on_limit,
        progress: held.show_progress,
        by: By::Person,
        share: options.share,
    })
}

/// The exit code of a run that came to its end, but was killed before it could say so.
fn told_late(
    request: &RunRequest,
    options: &RunOptions,
    context: &Context,
    project: &Project,
) -> Result<Option<u8>, CommandError> {
    let ended = match run::untold(&project.layout) {
        Ok(ended) => ended,
        Err(error) => return engine::code(Err(error), options.held.ok_on_limit).map(Some),
    };
    let Some(state) =
        ended.filter(|state| resume_choice::same_work(request, &project.layout, state))
    else {
        return Ok(None);
    };
    let Some(outcome) = state.outcome().filter(|outcome| !outcome.resumable()) else {
        return Ok(None);
    };
    let code = outcome.exit_code();
    let (id, meaning) = (&state.run, exit::meaning(code));
    let text = format!(
        "run {id} was killed after it had ended; exit {code}: {meaning}. ralph run starts a new one"
    );
    context.note(text)?;
    Ok(Some(code))
}

/// The file of `--plan`, if it is not the project's own.
fn elsewhere(request: &RunRequest, project: &Project) -> Result<Option<String>, CommandError> {
    let Some(file) = &request.plan else { return Ok(None) };
    let place = project_file::place(file).map_err(CommandError::file("read", file))?;
    let is_own = project_file::place(&project.layout.plan()).is_ok_and(|own| own == place);
    Ok((!is_own).then(|| place.to_string_lossy().into_owned()))
}

fn work(
    request: &RunRequest,
    options: &RunOptions,
    project: &Project,
) -> Result<(Source, Plan), CommandError> {
    Ok(match &request.work {
        Work::Plan => (Source::Plan, project.plan(request.plan.as_deref())?),
        Work::Tasks(ids) => {
            let ids = ids.iter().map(|id| TaskId::from(id.as_str())).collect();
            (Source::Tasks { ids }, project.plan(request.plan.as_deref())?)
        }
        Work::Text(text) => (prompt(None, text.clone(), options, project)?, Plan::default()),
        Work::File(file) => {
            let error = CommandError::file("read", file);
            let text = project_file::text(file, project_file::LARGEST_TEXT).map_err(&error)?;
            let path = project_file::place(file).map_err(&error)?.to_string_lossy().into_owned();
            (prompt(Some(path), text, options, project)?, Plan::default())
        }
    })
}

/// Gates must be there to tell whether a prompt is done, or the agent must be trusted and know how to say so.
fn prompt(
    file: Option<String>,
    mut text: String,
    options: &RunOptions,
    project: &Project,
) -> Result<Source, CommandError> {
    let settings = &project.resolved.settings;
    let tags = ["<promise>", "<response>"];
    let accepted = settings.claims.accept.iter().map(String::as_str);
    let signalled = tags.into_iter().chain(accepted).any(|tag| text.contains(tag));
    if options.add_signal && !signalled {
        text.push_str(SIGNAL);
    }
    let gates = pin::pin(settings, &Plan::default()).unwrap_or_default();
    let can_tell = gates.iter().any(|gate| gate.severity == Severity::Hard);
    let can_claim = signalled || options.add_signal;
    let is_trusted = can_claim && settings.claims.trust_agent;
    if !can_tell && !is_trusted {
        return Err(no_proof(can_claim));
    }
    let file = if options.add_signal && !signalled { None } else { file };
    Ok(Source::Prompt { file, text })
}

fn no_proof(can_claim: bool) -> CommandError {
    let flags = if can_claim { "--trust-agent" } else { "--trust-agent --add-signal" };
    let help = format!(
        "add a [[gate]] to .ralph/settings.toml, or start with {flags} (the result is then labelled unverified)"
    );
    let what = "no hard gate can tell whether the prompt is done";
    CommandError::usage(what, help)
}
