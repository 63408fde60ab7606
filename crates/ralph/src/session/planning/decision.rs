//! What a person decides about a proposed plan: agrees, edits it, has it revised, or leaves it.

use ralph_core::{
    event::Source,
    ids::RunId,
    plan::Plan,
    run::{self as core, StartOptions},
};
use ralph_engine::layout::Layout;

use super::{
    edit,
    proposal::{Drafted, Proposal},
    shown, write,
};
use crate::{
    args::plan::PlanArgs,
    ask::{Text, Way},
    context::{Block, Context, Entry, Line, Sign},
    diagnostics::CommandError,
    exit,
    session::project::Project,
};

/// What became of a planning.
#[derive(Debug)]
pub(crate) enum Planned {
    /// The plan file says what was agreed to.
    Written(Box<Plan>),
    /// There is none; the exit code that says why.
    Nothing(u8),
}

/// What a plan is wanted for.
pub(crate) struct Purpose<'a> {
    /// Asked about the plan.
    pub(crate) question: &'static str,
    /// Agree, edit, revise, leave.
    pub(crate) ways: [Way; 4],
    /// Shown between the plan and the question.
    pub(crate) facts: &'a dyn Fn(&Plan) -> Result<Block, CommandError>,
}

/// Drafts the plan that is proposed once more, with the changes that were asked for.
pub(super) type Revise<'a> = &'a dyn Fn(String, Plan) -> Result<Result<Drafted, u8>, CommandError>;

/// Shows what is proposed, asks, and writes what was agreed to.
pub(super) fn conclude(
    drafted: Drafted,
    (args, purpose): (&PlanArgs, &Purpose<'_>),
    revise: Revise<'_>,
    context: &Context,
) -> Result<Planned, CommandError> {
    let project = Project::open(context, &args.flags())?;
    let mut proposal = Proposal::new(drafted);
    loop {
        let writes_prd = !proposal.draft.prd.is_empty() && write::prd_is_free(&project)?;
        let Proposal { draft, merged, on_disk, .. } = &proposal;
        context.tell(&shown::draft(draft, merged, on_disk))?;
        context.tell(&notes(&proposal, &project, writes_prd))?;
        if !merged.changes_anything() && !writes_prd {
            context.done("nothing to change: the plan already says all of it")?;
            return Ok(Planned::Written(Box::new(proposal.merged.plan)));
        }
        context.tell(&(purpose.facts)(&merged.plan)?)?;
        match decided(&proposal, (args, purpose), context)? {
            Decision::Agreed => {
                write::write(&proposal, (&project, writes_prd), context)?;
                return Ok(Planned::Written(Box::new(proposal.merged.plan)));
            }
            Decision::Edit => {
                let file = draft_file(&project.layout, &proposal.run);
                if let Some(plan) = edit::edited(&file, project.repository.root(), context)? {
                    proposal.edited(plan, context)?;
                }
            }
            Decision::Revise(wish) => match revise(wish, proposal.merged.plan.clone())? {
                Ok(drafted) => proposal.revised(drafted),
                Err(exit::INTERRUPTED) => return Ok(Planned::Nothing(exit::INTERRUPTED)),
                Err(_) => context.warn("there is no new draft; this is the one before it")?,
            },
        }
    }
}

/// Where every draft is kept.
fn draft_file(layout: &Layout, run: &RunId) -> std::path::PathBuf {
    layout.views().join("runs").join(run.as_str()).join("draft.json")
}

/// What a person should know before deciding.
fn notes(proposal: &Proposal, project: &Project, writes_prd: bool) -> Block {
    let mut block = Vec::new();
    let mut note = |text: String| block.push(Entry::led(Line::signed(Sign::Warning), text));
    if !proposal.draft.prd.is_empty() && !writes_prd {
        note(
            ".ralph/prd.md has content and is kept; the drafted version is in the run's folder"
                .into(),
        );
    }
    let settings = project.resolved.settings.clone();
    let plan = proposal.merged.plan.clone();
    if let Err(error) = core::begin(Source::Plan, plan, settings, StartOptions::default()) {
        note(format!("ralph run would refuse this: {error} ({})", error.help()));
    }
    block
}

enum Decision {
    Agreed,
    Edit,
    Revise(String),
}

/// What a person decides. Without a terminal and without `--yes`, only a plan that replaces nothing is agreed to.
fn decided(
    proposal: &Proposal,
    (args, purpose): (&PlanArgs, &Purpose<'_>),
    context: &Context,
) -> Result<Decision, CommandError> {
    let replaces = !proposal.on_disk.tasks.is_empty();
    if args.yes || (!context.can_ask() && !replaces) {
        return Ok(Decision::Agreed);
    }
    let import = proposal.import();
    if !context.can_ask() {
        let what = "the existing plan would change, and there is no terminal to confirm on";
        let help = format!("confirm with --yes; this draft is saved: {import} --yes");
        return Err(CommandError::usage(what, help));
    }
    let mut asker = context.asker()?;
    let chosen = match asker.choose(purpose.question, &purpose.ways) {
        Err(left) => {
            context.note(saved(&import))?;
            return Err(left);
        }
        Ok(chosen) => chosen,
    };
    match chosen {
        0 => Ok(Decision::Agreed),
        1 => Ok(Decision::Edit),
        2 => {
            let is_there = |answer: &str| match answer {
                "" => Err("say what the agent should change".to_owned()),
                _ => Ok(()),
            };
            let wish = Text { check: &is_there, ..Text::new("What should change?") };
            Ok(Decision::Revise(asker.text(&wish)?))
        }
        _ => Err(CommandError::new(exit::UNFINISHED, "nothing was written", saved(&import))),
    }
}

fn saved(import: &str) -> String {
    format!("the draft is saved: {import} uses it later")
}
