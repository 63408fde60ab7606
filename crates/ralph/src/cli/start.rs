//! `ralph start`, the one-command start: sets the project up with what is found, drafts a plan, shows everything on one
//! screen, and runs it once a person agrees. Each step is another command's; nothing happens here that they would not do.

use ralph_core::{
    event::Source,
    plan::Plan,
    preflight,
    run::{self as core, StartOptions},
    settings::Settings,
};

use super::init::{self, Proposed, folder::Existing};
use crate::{
    args::{
        limits::LimitArgs,
        run::{RunArgs, RunRequest},
        start::StartArgs,
    },
    ask::Way,
    context::{Block, Context, variable},
    diagnostics::CommandError,
    reporters::console,
    session::{
        agents::{self, Asked},
        enclosure, installed, launch, past_runs,
        planning::{self, Planned, Purpose},
        run_store::RunStore,
        situation,
    },
};

/// Runs `ralph start`.
pub(crate) fn exec(args: &StartArgs, context: &Context) -> Result<u8, CommandError> {
    if !args.yes && !args.options.dry_run && !context.can_ask() {
        let what = "there is no terminal to show the plan on before it runs";
        let help =
            "add --yes to run the plan as it is drafted, or use ralph plan and then ralph run";
        return Err(CommandError::usage(what, help));
    }
    let run = RunArgs { options: args.options.clone(), ..RunArgs::default() };
    let request = run.request()?;
    if !args.options.dry_run {
        situation::check_folder(&context.project_dir, request.dirty, args.options.worktree)?;
    }
    let proposed = set_up(args, context)?;
    let text = proposed.as_ref().map(|proposed| proposed.text.clone());
    let planning = &Context { proposed: text, ..context.clone() };
    let purpose = Purpose {
        question: "Run this plan?",
        ways: [
            Way('y', "runs it"),
            Way('e', "edits it"),
            Way('r', "revises it"),
            Way('q', "leaves"),
        ],
        // Where nobody is asked, the run itself says it a moment later.
        facts: &|plan| if args.yes { Ok(Vec::new()) } else { facts(&request, plan, planning) },
    };
    match planning::settle(&args.plan(), &purpose, planning)? {
        Planned::Written(_) => {
            proposed.map(|proposed| proposed.write(context)).transpose()?;
            launch::run(&request, &args.options, context)
        }
        Planned::Nothing(code) => Ok(code),
    }
}

/// Settings from what is found, unless there are some; refuses before that if no agent is installed. Writes nothing:
/// the user has not agreed yet.
fn set_up(args: &StartArgs, context: &Context) -> Result<Option<Proposed>, CommandError> {
    let layout = RunStore::find(&context.project_dir)?.layout;
    let views = layout.views();
    if init::folder::settings(views)?.is_some() || args.options.dry_run {
        return Ok(None);
    }
    let (root, path) = (views.parent().unwrap_or(views), variable("PATH"));
    let found = agents::built_in(root, path.as_deref(), Asked::Version);
    if args.options.held.agent.is_none() && found.iter().all(|agent| agent.path.is_none()) {
        installed::check_named(&Settings::default(), root, path.as_deref())?;
    }
    // Drafts are kept there, and must not show up as changes of a project that ralph has not set up.
    init::folder::write(&views.join("runs/.gitignore"), "*\n", Existing::Keep)?;
    let LimitArgs { max_cost, max_tokens, max_duration } = &args.options.held.limits;
    let is_limited = max_cost.is_some() || max_tokens.is_some() || max_duration.is_some();
    let asks_limits = context.can_ask() && !args.yes && !is_limited;
    init::propose(args.options.held.agent.clone(), asks_limits, context).map(Some)
}

/// Everything but the plan that a person should see before it runs; nothing of a run that would be refused.
fn facts(request: &RunRequest, plan: &Plan, context: &Context) -> Result<Block, CommandError> {
    let project = installed::open(context, &request.flags)?;
    let settings = project.resolved.settings.clone();
    let (limit, past) = (request.max_iterations, past_runs::runs(&project.layout));
    let estimate = preflight::estimate(plan, settings.review.mode, &past);
    let isolation = enclosure::tried(&settings.sandbox)?.isolation;
    let options = StartOptions { max_iterations: limit, ..StartOptions::default() };
    let Ok(start) = core::begin(Source::Plan, plan.clone(), settings, options) else {
        return Ok(Vec::new());
    };
    let gates: Vec<&str> = start.gates.iter().map(|gate| gate.command.as_str()).collect();
    let matters = [
        ("agent", console::worker(&start)),
        ("gates", if gates.is_empty() { "none".to_owned() } else { gates.join(" · ") }),
        ("sandbox", isolation.summary()),
        ("limits", console::limits(&start)),
        ("estimate", past_runs::words(&estimate)),
    ];
    Ok(matters.into_iter().map(|(name, text)| init::matter(name, text)).collect())
}
