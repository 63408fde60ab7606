//! Lines about reviews and about work that makes no progress.

use ralph_core::{
    event::{Decision, Event, Reviewed},
    ids::TaskId,
    plan::Status,
    review::Finding,
    stuck::{Measures, Stuck},
    timeline::Timeline,
    vocabulary::Stage,
};

use super::options::Options;
use crate::{
    reporters::{
        block::{Block, Entry},
        line::{Line, Sign, Tone},
    },
    words,
};

/// What an event of a review, or of stuck work, looks like; nothing for any other.
pub(crate) fn shown(event: &Event, decision: &Decision, with: (&Timeline, &Options)) -> Block {
    match event {
        Event::Reviewed(one) => reviewed(one, decision, with),
        Event::ReviewUnusable { task, why, .. } => vec![unusable(task, why, decision)],
        Event::Escalated { task, stuck: is, measures } => vec![stuck(task, is, measures)],
        _ => Vec::new(),
    }
}

/// A review's verdict, what it found, and what follows.
fn reviewed(
    reviewed: &Reviewed,
    decision: &Decision,
    (timeline, options): (&Timeline, &Options),
) -> Block {
    let judgement = &reviewed.judgement;
    let (sign, verdict) = if judgement.approved {
        let seen = words::count_of(&judgement.rulings, "criterion");
        (Sign::Ok, format!("approved, {seen} with evidence"))
    } else {
        (Sign::Bad, words::count_of(&judgement.findings, "finding"))
    };
    let line = Line::signed(sign)
        .plain(format!("review {} of ", reviewed.review))
        .add(Tone::Bold, reviewed.task.as_str())
        .plain(format!(": {verdict}"));
    let mut block = vec![Entry::Cut(line)];
    block.extend(findings(&judgement.findings, Sign::Bad, options));
    block.extend(findings(&judgement.warnings, Sign::Warning, options));
    block.extend(follows(reviewed, decision, timeline).map(|text| Entry::text(4, Tone::Dim, text)));
    block
}

fn findings(findings: &[Finding], sign: Sign, options: &Options) -> Block {
    let most = options.display.max_output_lines.max(1);
    let mut block: Block =
        findings.iter().take(most).map(|finding| Entry::marked(sign, finding.line())).collect();
    if findings.len() > most {
        block.push(Entry::text(4, Tone::Dim, format!("and {} more", findings.len() - most)));
    }
    block
}

/// What the decision makes of a request for changes.
fn follows(reviewed: &Reviewed, decision: &Decision, timeline: &Timeline) -> Option<String> {
    if reviewed.judgement.approved {
        return None;
    }
    let cap = timeline.start().map_or(0, |start| start.settings.review.cap);
    decision.events.iter().find_map(|event| match event {
        Event::TaskMoved { to: Status::ChangesRequested, .. } => {
            Some("a fix follows and sees this verbatim".into())
        }
        Event::TaskMoved { to: Status::Done, .. } => {
            Some(format!("the cap of {cap} is reached, and the settings say to approve"))
        }
        Event::Proceeded { to: Stage::Park } => {
            let requests = words::count(cap.into(), "change request");
            Some(format!("the cap of {requests} is reached: a person must look"))
        }
        _ => None,
    })
}

/// A review that gave no verdict.
fn unusable(task: &TaskId, why: &str, decision: &Decision) -> Entry {
    let parks = |event: &Event| matches!(event, Event::Proceeded { to: Stage::Park });
    let next =
        if decision.events.iter().any(parks) { "a person must look" } else { "retrying once" };
    Entry::signed(Sign::Warning, format!("the review of {task} gave no verdict: {why}; {next}"))
}

/// A task that makes no progress, and what is done about it.
fn stuck(task: &TaskId, stuck: &Stuck, measures: &Measures) -> Entry {
    let taken = measures.describe();
    let taken = if taken.is_empty() { "nothing is left to try" } else { &taken };
    let lead = Line::signed(Sign::Warning)
        .add(Tone::Bold, task.as_str())
        .add(Tone::Warn, " is stuck")
        .plain(": ");
    Entry::led(lead, format!("{}; {taken}", stuck.describe()))
}
