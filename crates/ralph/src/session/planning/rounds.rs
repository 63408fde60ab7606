//! Rounds of planning: a run that drafts, questions that a person answers, and a run again with the answers.

use ralph_core::{
    event::{RunStart, Source},
    ids::RunId,
    isolation::Isolation,
    next_command::Work,
    outcome::Outcome,
    plan::Plan,
    planning::{Asking, Draft, PlanRequest},
    run::{self as core, RunState, StartOptions},
    settings::Settings,
    timeline::Timeline,
};
use ralph_engine::{clock, journal, run, sandbox::Chosen};

use super::{
    decision::{self, Planned, Purpose},
    proposal::Drafted,
    questions,
    unfinished_planning::{self, Round},
};
use crate::{
    args::plan::PlanArgs,
    ask::Way,
    context::{Context, variable},
    diagnostics::CommandError,
    exit,
    session::{
        dry_run, enclosure, engine, installed, output, plan_status, project::Project,
        run_store::RunStore, situation,
    },
};

/// After so many rounds of questions the planner must decide by itself.
const MOST_ROUNDS: u32 = 5;

/// `ralph plan` from specifications, a sentence, or a wish for another plan.
pub(crate) fn plan(args: &PlanArgs, context: &Context) -> Result<u8, CommandError> {
    let purpose = Purpose {
        question: "Write this plan?",
        ways: [Way('y', "yes"), Way('e', "edit"), Way('r', "revise"), Way('n', "no")],
        facts: &|_| Ok(Vec::new()),
    };
    match settle(args, &purpose, context)? {
        Planned::Nothing(code) => return Ok(code),
        Planned::Written(plan) => {
            let obstacles = situation::before_start(context, &plan);
            context.tell(&[situation::next_line(Work::Planned, obstacles)])?;
        }
    }
    Ok(exit::DONE)
}

/// Drafts a plan, and writes what a person agrees to.
pub(crate) fn settle(
    args: &PlanArgs,
    purpose: &Purpose<'_>,
    context: &Context,
) -> Result<Planned, CommandError> {
    let project = installed::open(context, &args.flags())?;
    project.name_settings(context)?;
    plan_status::check_free(&project.layout)?;
    let can_ask = context.can_ask() && !args.no_questions && !args.yes;
    let can_offer = can_ask && !args.dry_run;
    let (mut request, open) = unfinished_planning::offered(args, &project, can_offer, context)?;
    request.asking = if can_ask { Asking::Allowed } else { Asking::Assume };
    if args.dry_run {
        let settings = project.resolved.settings.clone();
        let isolation = enclosure::tried(&settings.sandbox)?.isolation;
        let code = dry_run::show(&project, start(request, settings, isolation)?, context)?;
        return Ok(Planned::Nothing(code));
    }
    check_planner(request.clone(), &project)?;
    let chosen = enclosure::chosen(&project.resolved.settings.sandbox, context)?;
    if let Some(open) = open {
        request.answers.extend(questions::ask(open, &project.layout, context)?);
    }
    drop(project);
    let revision = PlanRequest {
        prd: request.prd.clone(),
        verify_commands: request.verify_commands.clone(),
        asking: request.asking,
        ..PlanRequest::default()
    };
    let drafted = match rounds(request, args, &chosen, context)? {
        Ok(drafted) => drafted,
        Err(code) => return Ok(Planned::Nothing(code)),
    };
    let revise = |wish, existing| {
        let request = PlanRequest { revise: Some(wish), existing, ..revision.clone() };
        rounds(request, args, &chosen, context)
    };
    decision::conclude(drafted, (args, purpose), &revise, context)
}

/// Drafts until there is one without questions; else the exit code of the run that gave none.
fn rounds(
    mut request: PlanRequest,
    args: &PlanArgs,
    chosen: &Chosen,
    context: &Context,
) -> Result<Result<Drafted, u8>, CommandError> {
    let mut round = 1;
    loop {
        let (run, draft) = match one_run(request.clone(), args, chosen, context)? {
            Ok(drafted) => drafted,
            Err(code) => return Ok(Err(code)),
        };
        if draft.questions.is_empty() {
            return Ok(Ok(Drafted { run, draft, existing: request.existing }));
        }
        let open = Round { run, questions: draft.questions, answers: Vec::new() };
        let layout = RunStore::find(&context.project_dir)?.layout;
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
    args: &PlanArgs,
    chosen: &Chosen,
    context: &Context,
) -> Result<Result<(RunId, Draft), u8>, CommandError> {
    let project = installed::open(context, &args.flags())?;
    let layout = project.layout.clone();
    let settings = project.resolved.settings.clone();
    let enclosure = enclosure::of(&project, chosen, &settings.sandbox)?.asking();
    let start = start(request, settings, chosen.isolation.clone())?;
    let id = run::new_planning_id();
    let shown = (context, args.show_progress, &Timeline::default());
    let ended =
        output::shown(&id, (project, enclosure), shown, |site| run::start(site, &id, start))?;
    let is_drafted = matches!(ended, Ok(Outcome::Drafted));
    let code = engine::code(ended, false)?;
    if !is_drafted {
        return Ok(Err(code));
    }
    let state = journal::recover(&layout.journal(&id))?.state;
    match state.planning.draft {
        Some(draft) => Ok(Ok((id, *draft))),
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
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    Ok(RunStart { isolation, ..start })
}
