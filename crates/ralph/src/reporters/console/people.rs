//! Lines about what agents ask of people, what people say, and what becomes of the plan.

use ralph_core::{
    event::Event,
    ids::TaskId,
    input::Reapplied,
    plan::amend::{Ruled, Ruling},
};

use super::call;
use crate::reporters::{
    block::{Block, Entry},
    line::{Line, Sign, Tone},
    record,
    tally::Tally,
};

/// What an event about the plan or a person's word looks like.
pub(crate) fn shown(event: &Event, tally: &Tally) -> Block {
    match event {
        Event::AmendmentsProposed { unreadable, .. } => unreadable
            .iter()
            .map(|text| call::warning(format!("a proposal for the plan cannot be read: {text}")))
            .collect(),
        Event::AmendmentsRuled { ruled, .. } => {
            record::numbered(ruled, tally).map(|(number, one)| amendment(one, number)).collect()
        }
        Event::ProposalDecided { number, accepted, why } => {
            let text = record::decided(*number, *accepted, why, tally);
            let sign = if *accepted { Sign::Ok } else { Sign::Neutral };
            vec![Entry::led(Line::signed(sign), text)]
        }
        Event::PlanChanged { wish } => {
            vec![call::neutral(format!("plan changed by a person: {}", record::wished(wish)))]
        }
        Event::TaskReset { task } => vec![about(Sign::Neutral, task, "begins again, as asked")],
        Event::QuestionAsked { task, question, in_passing } => asked(task, question, *in_passing),
        Event::AnswerGiven { task, answer } => {
            let lead = Line::signed(Sign::Ok).add(Tone::Bold, task.as_str());
            vec![Entry::led(lead.plain(" is answered: "), answer)]
        }
        Event::ApprovalGiven { task } => {
            let text = "is approved by a person; its work is brought back, and the gates judge it";
            vec![about(Sign::Ok, task, text)]
        }
        Event::WorkReapplied { task, result } => vec![reapplied(task, result)],
        _ => Vec::new(),
    }
}

fn about(sign: Sign, task: &TaskId, text: &str) -> Entry {
    Entry::led(Line::signed(sign).add(Tone::Bold, task.as_str()).plain(" "), text)
}

fn asked(task: &TaskId, question: &str, in_passing: bool) -> Block {
    let lead = Line::new().add(Tone::Warn, "? ").add(Tone::Bold, task.as_str()).plain(" asks: ");
    let help = if in_passing {
        "nothing waits for an answer; the question is kept with the task".to_owned()
    } else {
        format!("answer it: ralph task answer {task} \"…\"")
    };
    vec![Entry::led(lead, question), Entry::text(4, Tone::Dim, help)]
}

fn amendment(one: &Ruled, number: Option<u32>) -> Entry {
    let amendment = &one.proposal.amendment;
    let (headline, reason) = (amendment.headline(), amendment.reason());
    let (sign, text) = match &one.ruling {
        Ruling::Applied => (Sign::Ok, format!("{headline} · {reason}")),
        Ruling::Waits { why } => {
            let number = number.unwrap_or_default();
            let how = format!("ralph task proposals --accept {number} or --decline {number}");
            (Sign::Warning, format!("{headline} · {reason} · waits, {why}: {how}"))
        }
        Ruling::Refused { why } => (Sign::Bad, format!("{headline} · refused: {why}")),
    };
    let lead = Line::new().plain("    ").sign(sign).plain(" plan: ");
    Entry::Wrapped { lead, indent: 6, tone: Tone::Plain, text }
}

fn reapplied(task: &TaskId, result: &Reapplied) -> Entry {
    match result.tree {
        Some(_) => call::neutral(format!("the parked work of {task} is back on the run branch")),
        None => call::warning(format!(
            "the parked work of {task} does not fit any more: {}",
            result.notes.join("; ")
        )),
    }
}
