//! `ralph task list`: every task's status, why it has it, and what people are asked.

use serde::Serialize;

use super::{
    ask,
    facts::{self, ListedTask},
};
use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry},
        line::{Line, Sign, Tone},
        task_entry::{self, Standing},
    },
    session::plan_status::{PlanStatus, Taker},
    words,
};

/// What `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ListView {
    v: u32,
    run: Option<String>,
    tasks: Vec<ListedTask>,
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
        tasks: facts::listed(&standing),
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
        block.push(Entry::signed(Sign::Warning, text));
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
        Taker::Running(_) => "applied after this iteration",
        Taker::NextRun => "applied by the next ralph run or ralph resume",
        Taker::Resumed => "applied by ralph resume",
        Taker::File => "applied by the next ralph run",
    };
    let text = format!("{}: {when}", words::list(requests));
    vec![Entry::signed(Sign::Waiting, text)]
}

fn task(task: &ListedTask) -> Block {
    let mut cells = Line::new();
    if let Some(on) = &task.waits_for {
        cells = cells.add(Tone::Warn, format!("  waits for {on}"));
    }
    let standing =
        Standing { attempts: task.line.attempts, is_dead: task.is_dead, requests: &task.requests };
    task_entry::lines(&task.line, &standing, cells)
}

#[cfg(test)]
mod tests {
    use ralph_core::{plan::Status, report::TaskLine};

    use super::*;
    use crate::reporters::line::Look;

    #[test]
    fn a_list_says_where_each_task_stands_why_and_what_waits() {
        let line = |id: &str, status, title: &str| TaskLine {
            id: id.into(),
            title: title.into(),
            status,
            ..TaskLine::default()
        };
        let listed = |line| ListedTask { line, ..ListedTask::default() };
        let tasks = vec![
            listed(TaskLine {
                attempts: 2,
                reviews: 1,
                labels: vec!["1 criterion unreviewed".into()],
                ..line("T-001", Status::Done, "scaffold")
            }),
            listed(TaskLine {
                question: Some("which port?".into()),
                why: "it asks: which port?".into(),
                ..line("T-002", Status::Parked, "server")
            }),
            listed(TaskLine {
                why: "stuck: same failure 3 times, no progress".into(),
                attempts: 5,
                ..line("T-003", Status::Failed, "client")
            }),
            ListedTask {
                waits_for: Some("T-002".into()),
                ..listed(line("T-004", Status::Pending, "tests"))
            },
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
        … answer T-002 and accept proposal 1: applied by the next ralph run or ralph resume
        ");
    }
}
