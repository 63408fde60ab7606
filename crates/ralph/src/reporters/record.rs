//! Events as lines of plain text, for logs that are read later and wherever the same words serve.

use ralph_core::{
    agent_facts::short_name,
    event::{Event, Reviewed},
    ids::TaskId,
    memory::compaction::{Compaction, Compactor},
    plan::{
        amend::{Amendment, Ruled, Ruling, Source},
        person::TaskWish,
    },
    timeline::Timeline,
};

use crate::words;

/// What an event says; nothing for events that are told elsewhere.
pub(crate) fn lines(event: &Event, timeline: &Timeline) -> Vec<String> {
    match event {
        Event::RunStarted(start) => vec![format!("sandbox: {}", start.isolation)],
        Event::IsolationChanged { isolation } => vec![format!("sandbox from here on: {isolation}")],
        Event::AmendmentsProposed { proposals, unreadable } => {
            let proposed = proposals.iter().map(|one| {
                format!("the agent proposes to {}{}", what(&one.amendment), from(one.from))
            });
            let odd = unreadable.iter().map(|text| format!("a proposal could not be read: {text}"));
            proposed.chain(odd).collect()
        }
        Event::AmendmentsRuled { ruled, .. } => numbered(ruled, timeline)
            .map(|(number, one)| format!("amendment {}", ruling(one, number)))
            .collect(),
        Event::ProposalDecided { number, accepted, why } => {
            vec![decided(*number, *accepted, why, timeline)]
        }
        Event::PlanChanged { wish } => vec![format!("a person changed the plan: {}", wished(wish))],
        Event::TaskReset { task } => vec![format!("{task} starts over, as a person asked")],
        Event::QuestionAsked { task, question, in_passing } => {
            let waits = if *in_passing { ", without waiting for an answer" } else { "" };
            vec![format!("{task} asks{waits}: {question}")]
        }
        Event::AnswerGiven { task, answer } => vec![format!("answer to {task}: {answer}")],
        Event::ApprovalGiven { task } => vec![format!("a person approved the work of {task}")],
        Event::WorkReapplied { task, result } => match result.tree {
            Some(_) => vec![format!("the parked work of {task} is back on the run branch")],
            None => vec![format!(
                "the parked work of {task} no longer applies: {}",
                result.notes.join("; ")
            )],
        },
        Event::Steered { word, ends_call } => {
            let to = word.task.as_ref().map_or("every agent", TaskId::as_str);
            let again = if *ends_call { " (the call under way restarts)" } else { "" };
            vec![format!("a person said to {to}{again}: {}", word.text)]
        }
        Event::PauseRequested { .. } => vec!["a person asked for a pause".into()],
        Event::Paused => vec!["paused".into()],
        Event::Unpaused => vec!["pause ended".into()],
        Event::CompactionBegan(start) => {
            let agent = short_name(&start.agent);
            vec![format!("compacting memory with {agent}: {}", start.why.describe())]
        }
        Event::MemoryCompacted(compaction) => vec![compacted(compaction)],
        Event::Reviewed(reviewed) => review(reviewed, timeline),
        Event::ReviewUnusable { task, nth, why } => {
            vec![format!("the review of {task} gave no verdict ({nth} in a row): {why}")]
        }
        Event::PlanDrafted(draft) => vec![format!("a plan was drafted: {}", draft.summary)],
        Event::DraftUnusable { nth, why, .. } => {
            vec![format!("draft {nth} cannot be used: {}", why.join("; "))]
        }
        Event::Escalated { task, stuck, measures } => {
            let taken = measures.describe();
            let taken = if taken.is_empty() { "nothing is left to try" } else { &taken };
            vec![format!("{task} is stuck: {}; {taken}", stuck.describe())]
        }
        _ => Vec::new(),
    }
}

/// `compacted memory: 12 handoffs → 2.1K tokens, 3 facts left out`.
fn compacted(compaction: &Compaction) -> String {
    let mut line = format!(
        "compacted memory: {} → {} tokens",
        words::count(compaction.records.into(), "handoff"),
        words::short(compaction.tokens.into()),
    );
    if compaction.left_out > 0 {
        let facts = words::count(compaction.left_out.into(), "fact");
        line = format!("{line}, {facts} left out");
    }
    if let Compactor::BuiltIn { why } = &compaction.by
        && !why.is_empty()
    {
        line = format!("{line} (by ralph itself: {why})");
    }
    line
}

/// The task that an event is about, beside that of the iteration it happened in.
pub(crate) fn about<'a>(event: &'a Event, timeline: &'a Timeline) -> Option<&'a TaskId> {
    match event {
        Event::ProposalDecided { number, .. } => {
            timeline.proposals.get(number).and_then(|one| one.proposal.amendment.task())
        }
        Event::PlanChanged { wish } => wish.task(),
        Event::Steered { word, .. } => word.task.as_ref(),
        Event::TaskReset { task }
        | Event::QuestionAsked { task, .. }
        | Event::AnswerGiven { task, .. }
        | Event::ApprovalGiven { task }
        | Event::WorkReapplied { task, .. }
        | Event::ReviewUnusable { task, .. }
        | Event::Escalated { task, .. }
        | Event::TaskMoved { task, .. }
        | Event::Committed { task, .. }
        | Event::WorkKept { task, .. }
        | Event::AmendmentsRuled { task, .. } => Some(task),
        Event::Reviewed(reviewed) => Some(&reviewed.task),
        _ => None,
    }
}

/// Rulings with the number that those which wait were given just now.
pub(crate) fn numbered<'a>(
    ruled: &'a [Ruled],
    timeline: &Timeline,
) -> impl Iterator<Item = (Option<u32>, &'a Ruled)> {
    let waits = |one: &Ruled| matches!(one.ruling, Ruling::Waits { .. });
    let waiting = ruled.iter().filter(|one| waits(one)).count();
    let last = timeline.proposals.last_key_value().map_or(0, |(number, _)| *number);
    let mut next = (last + 1).saturating_sub(u32::try_from(waiting).unwrap_or(u32::MAX));
    ruled.iter().map(move |one| {
        let number = waits(one).then_some(next);
        next += u32::from(number.is_some());
        (number, one)
    })
}

/// `accept`, `decline`, and what about.
pub(crate) fn decided(number: u32, accepted: bool, why: &str, timeline: &Timeline) -> String {
    let verb = if accepted { "accepted" } else { "declined" };
    let what = timeline.proposals.get(&number).map(|one| one.proposal.amendment.headline());
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!("proposal {number} {verb} by a person: {}{why}", what.unwrap_or_default())
}

/// A person's change of the plan in words.
pub(crate) fn wished(wish: &TaskWish) -> String {
    match wish {
        TaskWish::Add { task } => format!("{} added: {}", task.id, task.title),
        TaskWish::Edit { id, changes } => format!("{id} edited ({})", changes.names().join(", ")),
        other => format!("{} {}", other.word(), other.task().map_or("", TaskId::as_str)),
    }
}

/// `claude/opus`: an agent, and its model where one was chosen.
pub(crate) fn who(agent: &str, model: &str) -> String {
    if model.is_empty() { agent.to_owned() } else { format!("{agent}/{model}") }
}

fn ruling(one: &Ruled, number: Option<u32>) -> String {
    let what = what(&one.proposal.amendment);
    match &one.ruling {
        Ruling::Applied => format!("applied: {what}"),
        Ruling::Waits { why } => {
            let number = number.map(|number| format!(" as proposal {number}")).unwrap_or_default();
            format!("waits for a person{number} ({why}): {what}")
        }
        Ruling::Refused { why } => format!("refused ({why}): {what}"),
    }
}

fn what(amendment: &Amendment) -> String {
    format!("{}; reason: {}", amendment.headline(), amendment.reason())
}

fn from(source: Source) -> &'static str {
    match source {
        Source::Handoff => "",
        Source::PlanFile => " (by an edit of the plan file)",
    }
}

fn review(reviewed: &Reviewed, timeline: &Timeline) -> Vec<String> {
    let judgement = &reviewed.judgement;
    let who = who(&reviewed.agent, &reviewed.model);
    let verdict = if judgement.approved {
        "approved".to_owned()
    } else {
        format!("changes requested, {}", words::count_of(&judgement.findings, "finding"))
    };
    let (review, task) = (reviewed.review, &reviewed.task);
    let mut lines = vec![format!("review {review} of {task} by {who}: {verdict}")];
    let known = timeline.state().and_then(|state| state.task(state.position(task)?));
    let criteria = known.map(ralph_core::review::criteria_of).unwrap_or_default();
    for ruling in &judgement.rulings {
        let text = criteria.iter().find(|(at, _)| *at == ruling.criterion);
        let text = text.map_or("criterion", |(_, text)| text);
        let met = if ruling.met { "met" } else { "not met" };
        let said = [ruling.evidence.as_str(), ruling.comment.as_str()];
        let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
        lines.push(format!("  {met}: {text}: {}", said.join("; ")));
    }
    lines.extend(judgement.findings.iter().map(|one| format!("  finding: {}", one.line())));
    lines.extend(judgement.warnings.iter().map(|one| format!("  warning: {}", one.line())));
    if !reviewed.summary.trim().is_empty() {
        lines.push(format!("  summary: {}", reviewed.summary.trim()));
    }
    lines
}
