//! What proves each criterion, task by task.

use ralph_text::markdown::{list, words};

use super::phrases::{LISTED, code, said};
use crate::{
    evidence::{Evidence, Judged},
    plan::Status,
    report::{Report, TaskReport},
};

/// Most tasks whose evidence is shown; the JSON has all of it.
const TASKS: usize = 200;

pub(super) fn section(report: &Report) -> String {
    let with: Vec<&TaskReport> =
        report.tasks.iter().filter(|task| !task.evidence.is_empty()).collect();
    if with.is_empty() {
        return String::new();
    }
    let tasks: Vec<String> = with.iter().take(TASKS).map(|task| of_task(task)).collect();
    let hidden = with.len().saturating_sub(TASKS);
    let rest = if hidden > 0 { format!("\n\nand {hidden} more tasks") } else { String::new() };
    format!("## Evidence\n\n{}{rest}", tasks.join("\n\n"))
}

fn of_task(task: &TaskReport) -> String {
    let records = task.evidence.iter().map(record);
    let in_spite_of = task.setback.iter().filter(|_| task.status == Status::Done);
    let findings = in_spite_of.flat_map(|setback| &setback.reasons);
    let findings = findings.take(LISTED).map(|one| format!("open finding: {}", said(one)));
    let warnings = task.warnings.iter().take(LISTED).map(|one| format!("warning: {}", said(one)));
    let lines = list(records.chain(findings).chain(warnings));
    format!("### {}: {}\n\n{lines}", words(task.id.as_str()), said(&task.title))
}

fn record(evidence: &Evidence) -> String {
    let tree = evidence.tree.as_str().get(..10).unwrap_or(evidence.tree.as_str());
    let met = if evidence.by.met() { "met" } else { "NOT MET" };
    let proof = match &evidence.by {
        Judged::Check { command, exit_code, log } => {
            format!("{met}. Check {}, exit {exit_code}, log {}", code(command), code(log))
        }
        Judged::Reviewer { agent, iteration, evidence, comment, .. } => {
            let comment = match comment.trim() {
                "" => String::new(),
                comment => format!("; comment: {}", said(comment)),
            };
            let who = code(agent);
            format!("{met}. Reviewer {who}, iteration {iteration}: {}{comment}", said(evidence))
        }
        Judged::Person => "met. A person approved it".into(),
        Judged::Unreviewed => "NOT JUDGED. Unreviewed".into(),
    };
    format!("{}: {proof} (tree {})", said(&evidence.criterion), code(tree))
}
