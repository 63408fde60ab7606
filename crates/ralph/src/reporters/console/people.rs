//! Lines about what agents ask of people, what people say, what becomes of the plan, and memory.

use ralph_core::{
    event::Event,
    ids::TaskId,
    plan::amend::{Ruled, Ruling},
    timeline::Timeline,
};

use crate::reporters::{
    block::{Block, Entry},
    line::{Line, Sign, Tone},
    record,
};

/// What an event about the plan, about people or about memory looks like; nothing for any other.
pub(crate) fn shown(event: &Event, timeline: &Timeline) -> Block {
    let said = |sign: Sign| -> Block {
        let lines = record::lines(event, timeline).into_iter();
        lines.map(|line| Entry::signed(sign, line)).collect()
    };
    match event {
        Event::AmendmentsProposed { unreadable, .. } => {
            let text = |one: &String| format!("a proposal for the plan could not be read: {one}");
            unreadable.iter().map(|one| Entry::signed(Sign::Warning, text(one))).collect()
        }
        Event::AmendmentsRuled { ruled, .. } => {
            let number = |number: Option<u32>| number.filter(|_| !timeline.is_elsewhere);
            record::numbered(ruled, timeline)
                .map(|(nth, one)| amendment(one, number(nth)))
                .collect()
        }
        Event::ProposalDecided { accepted: true, .. } => said(Sign::Ok),
        Event::ProposalDecided { .. }
        | Event::PlanChanged { .. }
        | Event::CompactionBegan(_)
        | Event::MemoryCompacted(_) => said(Sign::Neutral),
        Event::WorkReapplied { result, .. } => {
            said(if result.tree.is_some() { Sign::Neutral } else { Sign::Warning })
        }
        Event::TaskReset { task } => vec![about(Sign::Neutral, task, "starts over, as asked")],
        Event::QuestionAsked { task, question, in_passing } => {
            let mut block = asked(task, question, *in_passing);
            // On another machine it is answered in another way.
            block.truncate(if timeline.is_elsewhere { 1 } else { 2 });
            block
        }
        Event::AnswerGiven { task, answer } => {
            let lead = Line::signed(Sign::Ok).add(Tone::Bold, task.as_str());
            vec![Entry::led(lead.plain(" is answered: "), answer)]
        }
        Event::ApprovalGiven { task } => {
            let text = "is approved by a person; its work is restored and judged by the gates";
            vec![about(Sign::Ok, task, text)]
        }
        _ => Vec::new(),
    }
}

fn about(sign: Sign, task: &TaskId, text: &str) -> Entry {
    Entry::led(Line::signed(sign).add(Tone::Bold, task.as_str()).plain(" "), text)
}

fn asked(task: &TaskId, question: &str, in_passing: bool) -> Block {
    let lead = Line::new().add(Tone::Warn, "? ").add(Tone::Bold, task.as_str()).plain(" asks: ");
    let help = if in_passing {
        "no answer is needed; the question is kept with the task".to_owned()
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
            let how = number.map_or_else(String::new, |number| {
                format!(": ralph task proposals --accept {number} or --decline {number}")
            });
            (Sign::Warning, format!("{headline} · {reason} · waits, {why}{how}"))
        }
        Ruling::Refused { why } => (Sign::Bad, format!("{headline} · refused: {why}")),
    };
    let lead = Line::new().plain("    ").sign(sign).plain(" plan: ");
    Entry::Wrapped { lead, indent: 6, tone: Tone::Plain, text }
}
