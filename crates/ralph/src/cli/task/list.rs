//! `ralph task list`: where every task stands, why, and what people are asked.

use serde::Serialize;

use super::{
    ask,
    facts::{self, TaskLine},
};
use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry},
        line::{Line, Sign, Tone},
    },
    session::plan_status::{PlanStatus, Taker},
    words,
};

/// What `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ListView {
    v: u32,
    run: Option<String>,
    tasks: Vec<TaskLine>,
    /// How many proposals of agents wait for a person.
    proposals: usize,
    /// What people asked for and no run has taken yet.
    requests: Vec<String>,
}

/// Runs `ralph task list`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::find(&context.project_dir)?;
    let view = ListView {
        v: 1,
        run: standing.state.as_ref().map(|state| state.run.0.clone()),
        tasks: facts::lines(&standing),
        proposals: standing.state.as_ref().map_or(0, |state| state.proposals.len()),
        requests: standing.waiting.iter().map(ask::words).collect(),
    };
    if context.json {
        answer_json(&view)?;
    } else {
        context.answer(&render(&view, &standing.taker))?;
    }
    Ok(exit::DONE)
}

fn render(view: &ListView, taker: &Taker) -> Block {
    let mut block: Block = view.tasks.iter().flat_map(task).collect();
    if view.tasks.is_empty() {
        block.push(Entry::text(0, Tone::Plain, "the plan has no tasks; ralph task add adds one"));
    }
    if view.proposals > 0 {
        let waits = words::count(view.proposals as u64, "proposal");
        let verb = if view.proposals == 1 { "waits" } else { "wait" };
        let text = format!("{waits} for the plan {verb} for a decision: ralph task proposals");
        block.push(Entry::led(Line::signed(Sign::Warning), text));
    }
    block.extend(waiting(&view.requests, taker));
    block
}

/// Requests that wait, and for whom.
pub(crate) fn waiting(requests: &[String], taker: &Taker) -> Block {
    if requests.is_empty() {
        return Vec::new();
    }
    let when = match taker {
        Taker::Running(_) => "taken after this iteration",
        Taker::NextRun => "taken by the next ralph run or ralph resume",
        Taker::Resumed => "taken by ralph resume",
        Taker::File => "taken by the next ralph run",
    };
    let text = format!("{}: {when}", words::list(requests));
    vec![Entry::led(Line::signed(Sign::Waiting), text)]
}

fn task(task: &TaskLine) -> Block {
    let mut after = Line::new().dim(task.status.replace('_', " "));
    if task.attempts > 0 {
        after = after.dim(format!("  {}", words::count(task.attempts.into(), "attempt")));
    }
    if task.reviews > 0 {
        after = after.dim(format!("  {}", words::count(task.reviews.into(), "review")));
    }
    if let Some(on) = &task.waits_for {
        after = after.add(Tone::Warn, format!("  waits for {on}"));
    }
    if !task.labels.is_empty() && task.status == "done" {
        after = after.add(Tone::Warn, format!("  {}", task.labels.join(", ")));
    }
    let mut block = vec![Entry::Titled {
        before: Line::signed(sign(task.status)).add(Tone::Bold, format!("{} ", task.id)),
        title: task.title.clone(),
        after,
    }];
    block.extend(note(task).map(|text| Entry::text(4, Tone::Dim, text)));
    block
}

/// Why it stands where it does, where that is not plain.
fn note(task: &TaskLine) -> Option<String> {
    match (&task.question, task.status) {
        (Some(question), "parked") => Some(words::asked(question, task.status)),
        (_, "failed" | "parked" | "changes_requested" | "skipped") if !task.why.is_empty() => {
            Some(task.why.clone())
        }
        (Some(question), status) => Some(words::asked(question, status)),
        _ => None,
    }
}

/// The mark of a status.
pub(crate) fn sign(status: &str) -> Sign {
    match status {
        "done" => Sign::Ok,
        "failed" => Sign::Bad,
        "parked" => Sign::Warning,
        "in_progress" | "needs_review" | "changes_requested" => Sign::Going,
        _ => Sign::Neutral,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::line::Look;

    #[test]
    fn a_list_says_where_each_task_stands_why_and_what_waits() {
        let line = |id: &str, status, title: &str| TaskLine {
            id: id.into(),
            title: title.into(),
            status,
            attempts: 0,
            reviews: 0,
            why: String::new(),
            question: None,
            branch: None,
            labels: Vec::new(),
            waits_for: None,
            requests: Vec::new(),
        };
        let tasks = vec![
            TaskLine {
                attempts: 2,
                reviews: 1,
                labels: vec!["1 criterion unreviewed".into()],
                ..line("T-001", "done", "scaffold")
            },
            TaskLine {
                question: Some("which port?".into()),
                why: "it asks: which port?".into(),
                requests: vec!["answer"],
                ..line("T-002", "parked", "server")
            },
            TaskLine {
                why: "stuck: same failure 3 times, no progress".into(),
                attempts: 5,
                ..line("T-003", "failed", "client")
            },
            TaskLine { waits_for: Some("T-002".into()), ..line("T-004", "pending", "tests") },
        ];
        let requests = vec!["answer T-002".into(), "accept proposal 1".into()];
        let view = ListView { v: 1, run: None, tasks, proposals: 1, requests };
        let lines: Vec<String> = render(&view, &Taker::NextRun)
            .iter()
            .flat_map(|entry| entry.render(Look::default(), Some(100)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        ✓ T-001 scaffold                  done  2 attempts  1 review  1 criterion unreviewed
        ! T-002 server                    parked
            it asks: which port?
        ✗ T-003 client                    failed  5 attempts
            stuck: same failure 3 times, no progress
        · T-004 tests                     pending  waits for T-002
        ! 1 proposal for the plan waits for a decision: ralph task proposals
        … answer T-002 and accept proposal 1: taken by the next ralph run or ralph resume
        ");
    }
}
