//! Rounds of planning: a run that drafts, questions that a person answers, and a run again with the answers.

use ralph_core::{
    event::{RunStart, Source},
    ids::RunId,
    isolation::Isolation,
    outcome::Outcome,
    plan::Plan,
    planning::{Asking, Draft, PlanRequest},
    run::{self as core, RunState, StartOptions},
    settings::Settings,
    timeline::Timeline,
};
use ralph_engine::{clock, journal, layout::Layout, run, sandbox::Chosen};

use super::{
    questions, sources,
    unfinished_planning::{self, Round},
    wish::PlanWish,
    write::{self, Drafted},
};
use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
    exit,
    session::{
        dry_run, enclosure, engine, installed,
        output::Outputs,
        plan_status,
        project::{Project, told},
    },
};

/// After so many rounds of questions the planner must decide by itself.
const MOST_ROUNDS: u32 = 5;

/// What one planning run came to.
struct Planned {
    run: RunId,
    draft: Draft,
    layout: Layout,
}

/// `ralph plan` from specifications, a sentence, or a wish for another plan.
pub(crate) fn plan(wish: &PlanWish, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &wish.flags)?;
    plan_status::check_free(&project.layout)?;
    let can_ask = context.can_ask() && !wish.no_questions && !wish.yes;
    let (mut request, open) = if can_ask && !wish.dry_run {
        unfinished_planning::offered(wish, &project, context)?
    } else {
        (sources::request(wish, &project, context)?, None)
    };
    request.asking = if can_ask { Asking::Allowed } else { Asking::Assume };
    if wish.dry_run {
        let settings = project.resolved.settings.clone();
        let isolation = enclosure::tried(&settings.sandbox)?.isolation;
        return dry_run::show(&project, start(request, settings, isolation)?, context);
    }
    check_planner(request.clone(), &project)?;
    let chosen = enclosure::chosen(&project.resolved.settings.sandbox, context)?;
    if let Some(open) = open {
        request.answers.extend(questions::ask(open, &project.layout, context)?);
    }
    drop(project);
    let drafted = match rounds(request, wish, &chosen, context)? {
        Ok(drafted) => drafted,
        Err(code) => return Ok(code),
    };
    write::conclude(&drafted, wish, context)
}

/// Drafts until there is one without questions; else the exit code of the run that gave none.
fn rounds(
    mut request: PlanRequest,
    wish: &PlanWish,
    chosen: &Chosen,
    context: &Context,
) -> Result<Result<Drafted, u8>, CommandError> {
    let mut round = 1;
    loop {
        let Planned { run, draft, layout } = match one_run(request.clone(), wish, chosen, context)?
        {
            Ok(drafted) => drafted,
            Err(code) => return Ok(Err(code)),
        };
        if draft.questions.is_empty() {
            return Ok(Ok(Drafted { run, draft, existing: request.existing }));
        }
        let open = Round { run, questions: draft.questions, answers: Vec::new() };
        request.answers.extend(questions::ask(open, &layout, context)?);
        if round >= MOST_ROUNDS {
            request.asking = Asking::Assume;
        }
        round += 1;
    }
}

/// One planning run, with all that belongs to a run.
fn one_run(
    request: PlanRequest,
    wish: &PlanWish,
    chosen: &Chosen,
    context: &Context,
) -> Result<Result<Planned, u8>, CommandError> {
    let project = Project::open(context, &wish.flags)?;
    let layout = project.layout.clone();
    let settings = project.resolved.settings.clone();
    let display = settings.display.clone();
    let enclosure = enclosure::of(&project, chosen, &settings.sandbox)?;
    let start = start(request, settings, chosen.isolation.clone())?;
    let id = run::new_planning_id();
    let faces =
        Outputs::start(context, (display, wish.progress), (&layout, &id), &Timeline::default())?;
    let site = engine::site(project, faces.publish(), enclosure);
    let ended = run::start(site, &id, start);
    faces.finish();
    let is_drafted = matches!(ended, Ok(Outcome::Drafted));
    let code = engine::code(ended, false)?;
    if !is_drafted {
        return Ok(Err(code));
    }
    let state = journal::recover(&layout.journal(&id))
        .map_err(|error| plan_status::unreadable(&error))?
        .state;
    match state.planning.draft {
        Some(draft) => Ok(Ok(Planned { run: id, draft: *draft, layout })),
        None => Ok(Err(exit::BUG)),
    }
}

/// Refuses before a run is begun if there is nobody to call.
fn check_planner(request: PlanRequest, project: &Project) -> Result<(), CommandError> {
    let start = start(request, project.resolved.settings.clone(), Isolation::off())?;
    let state = RunState::new(run::new_planning_id(), clock::now(), start);
    installed::check(&state, project.repository.root(), variable("PATH").as_deref())
}

fn start(
    request: PlanRequest,
    settings: Settings,
    isolation: Isolation,
) -> Result<RunStart, CommandError> {
    let options = StartOptions {
        version: env!("CARGO_PKG_VERSION").into(),
        abilities: ralph_agents::abilities(),
        ..StartOptions::default()
    };
    let source = Source::Planning { request: Box::new(request) };
    let start = core::begin(source, Plan::default(), settings, options)
        .map_err(|error| told(error.to_string(), Vec::new(), error.help().into(), exit::USAGE))?;
    Ok(RunStart { isolation, ..start })
}
