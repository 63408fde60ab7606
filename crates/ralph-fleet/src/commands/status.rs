//! `ralph fleet status ID`: how a loop is, by the server, by itself, and by the stint under way.

use serde_json::json;
use temporalio_client::WorkflowExecutionDescription;

use super::{
    context::Context,
    list::dollars,
    reach::{self, Reached, is_open},
    result,
};
use crate::{
    cli::LoopArg,
    error::{CommandError, exit},
    print,
    wire::{Progress, Status, StintEnd, StintReport},
};

/// Runs `ralph fleet status`.
pub(super) async fn exec(args: &LoopArg, context: &Context) -> Result<u8, CommandError> {
    let reached = Reached::new(&context.client().await?, &args.id);
    let description = reached.describe().await?;
    if !is_open(&description) {
        let ended = result::of(&reached).await?;
        result::say(&reached, &ended, context)?;
        return Ok(exit::DONE);
    }
    let status = reached.status().await?;
    let progress = reach::progress(&description);
    if context.printer.is_json {
        print::answer_json(&json!({
            "v": 1, "loop": reached.id, "state": state(status.as_ref(), progress.as_ref()),
            "history_events": description.history_length(), "status": status, "progress": progress,
        }))?;
    } else {
        print::answer(
            &lines(&reached.id, &description, status.as_ref(), progress.as_ref()).join("\n"),
        )?;
    }
    Ok(exit::DONE)
}

/// One word for how it is.
fn state(status: Option<&Status>, progress: Option<&Progress>) -> &'static str {
    let Some(status) = status else { return "unknown" };
    match status.last.as_ref().map(|last| &last.end) {
        _ if status.place.is_some() || progress.is_some() => "working",
        Some(StintEnd::NeedsPerson { .. }) if status.waiting.is_some() => "needs_person",
        Some(StintEnd::Wait { .. }) if status.waiting.is_some() => "waiting",
        _ => "queued",
    }
}

fn lines(
    id: &str,
    description: &WorkflowExecutionDescription,
    status: Option<&Status>,
    progress: Option<&Progress>,
) -> Vec<String> {
    let mut lines = vec![format!("{id}: {}", state(status, progress))];
    if let Some(Progress { host, phase, task, iteration, done, tasks, .. }) = progress {
        let task = if task.is_empty() { String::new() } else { format!(", task {task}") };
        lines.push(format!(
            "  on {host}: {phase}, iteration {iteration}{task}; {done} of {tasks} tasks done"
        ));
    }
    let Some(status) = status else {
        lines.push("  no worker answers for it: is a brain up?".into());
        return lines;
    };
    lines.extend(status.waiting.iter().map(|why| format!("  waits: {}", print::harmless(why))));
    lines.extend(status.last.iter().map(last));
    if !status.pending.is_empty() {
        lines.push(format!("  {} of your wishes are still to be delivered", status.pending.len()));
    }
    if status.failures > 0 {
        lines.push(format!("  {} stints in a row gave no report", status.failures));
    }
    let trouble = status.trouble.iter();
    lines.extend(
        trouble.map(|why| format!("  the last one: {}; another follows", print::harmless(why))),
    );
    let spec = &status.spec;
    lines.push(format!(
        "  {} on {}, account {}, tenant {}",
        spec.branch, spec.repo, spec.account, spec.tenant
    ));
    lines.push(format!(
        "  {} stints, {} events of history",
        status.stints,
        description.history_length()
    ));
    lines
}

fn last(report: &StintReport) -> String {
    let StintReport { done, tasks, iterations, cost_micro_usd, host, .. } = report;
    let cost = dollars(i64::try_from(*cost_micro_usd).unwrap_or(i64::MAX));
    format!(
        "  after its last stint on {host}: {done} of {tasks} tasks done, {iterations} iterations, {cost}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{LoopSpec, Times};

    fn status() -> Status {
        let spec = LoopSpec {
            repo: "r".into(),
            branch: "b".into(),
            tenant: "t".into(),
            account: "a".into(),
            limits: crate::wire::Limits::default(),
            times: Times::default(),
        };
        Status {
            spec,
            stints: 0,
            place: None,
            waiting: None,
            pending: Vec::new(),
            last: None,
            failures: 0,
            trouble: None,
        }
    }

    fn after(end: &StintEnd) -> Status {
        let facts = serde_json::json!({ "end": end, "done": 1, "tasks": 2, "iterations": 1, "cost_micro_usd": 0,
            "truth": "", "host": "h", "took_over": false, "warm": false, "delivered": [] });
        let last = serde_json::from_value(facts).unwrap();
        Status { last: Some(last), waiting: Some("…".into()), ..status() }
    }

    #[test]
    fn one_word_says_how_it_is() {
        assert_eq!(state(None, None), "unknown");
        assert_eq!(state(Some(&status()), None), "queued");
        assert_eq!(state(Some(&status()), Some(&Progress::default())), "working");
        assert_eq!(state(Some(&after(&StintEnd::Wait { until_ms: 1 })), None), "waiting");
        assert_eq!(
            state(Some(&after(&StintEnd::NeedsPerson { why: "?".into() })), None),
            "needs_person"
        );
        assert_eq!(
            state(Some(&Status { waiting: None, ..after(&StintEnd::Boundary) }), None),
            "queued"
        );
    }
}
