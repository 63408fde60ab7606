//! `ralph task proposals`: changes of the plan that agents want and a person must decide on.

use ralph_core::plan::{
    amend::{Amendment, Ruled, Ruling},
    person::TaskWish,
};
use serde::Serialize;

use super::{ask, list};
use crate::{
    args::task::ProposalsArgs,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry},
        line::{Line, Tone},
    },
    session::plan_status::PlanStatus,
};

/// One proposal; what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ProposalView {
    number: u32,
    what: String,
    /// The agent's reason.
    reason: String,
    /// Why a person must decide.
    why: String,
    /// The change itself, as it is stored.
    change: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct ProposalsView {
    v: u32,
    proposals: Vec<ProposalView>,
}

/// Runs `ralph task proposals`.
pub(crate) fn exec(args: &ProposalsArgs, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::find(&context.project_dir)?;
    match (args.accept, args.decline) {
        (Some(proposal), _) => ask::ask(&standing, &TaskWish::Accept { proposal }, context),
        (_, Some(proposal)) => {
            let why = args.why.clone();
            ask::ask(&standing, &TaskWish::Decline { proposal, why }, context)
        }
        (None, None) => show(&standing, context),
    }
}

fn show(standing: &PlanStatus, context: &Context) -> Result<u8, CommandError> {
    let proposals = standing.state.iter().flat_map(|state| &state.proposals);
    let view = ProposalsView {
        v: 1,
        proposals: proposals.map(|(number, ruled)| of(*number, ruled)).collect(),
    };
    if context.json {
        answer_json(&view)?;
        return Ok(exit::DONE);
    }
    let mut block = render(&view);
    let decisions = standing.waiting.iter().filter(|wish| wish.task().is_none());
    let decisions: Vec<String> = decisions.map(ask::words).collect();
    block.extend(list::waiting(&decisions, &standing.taker));
    context.answer(&block)?;
    Ok(exit::DONE)
}

fn of(number: u32, ruled: &Ruled) -> ProposalView {
    let amendment = &ruled.proposal.amendment;
    ProposalView {
        number,
        what: amendment.headline(),
        reason: amendment.reason().to_owned(),
        why: match &ruled.ruling {
            Ruling::Waits { why } | Ruling::Refused { why } => why.clone(),
            Ruling::Applied => String::new(),
        },
        change: change(amendment),
    }
}

/// What it would make of what it is about, by field.
pub(crate) fn change(amendment: &Amendment) -> serde_json::Value {
    let value = match amendment {
        Amendment::Add { task, .. } => serde_json::to_value(task),
        Amendment::Modify { changes, .. } => serde_json::to_value(changes),
        Amendment::Plan { changes, .. } => serde_json::to_value(changes),
        Amendment::Remove { .. } => Ok(serde_json::Value::Null),
    };
    value.unwrap_or_default()
}

fn render(view: &ProposalsView) -> Block {
    if view.proposals.is_empty() {
        return vec![Entry::text(0, Tone::Plain, "no proposal is waiting for a decision")];
    }
    let mut block = Vec::new();
    for one in &view.proposals {
        let lead = Line::new().add(Tone::Bold, format!("{} ", one.number));
        block.push(Entry::led(lead, &one.what));
        block.push(Entry::text(4, Tone::Plain, format!("reason: {}", one.reason)));
        block.push(Entry::text(4, Tone::Dim, format!("waits because {}", one.why)));
        for (field, value) in one.change.as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            block.push(Entry::text(4, Tone::Dim, format!("{field}: {value}")));
        }
    }
    block.push(Entry::next(0, "ralph task proposals --accept N, or --decline N --why \"…\""));
    block
}
