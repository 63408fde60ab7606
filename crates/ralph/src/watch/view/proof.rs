//! What proves the chosen task, criterion by criterion, and what is weaker than proof.

use ralph_core::{ids::CommitId, report::TaskLine};

use super::title;
use crate::{
    cli::task::facts::{self, CriterionFacts},
    reporters::{
        line::{Line, Sign, Tone},
        plain,
    },
    watch::model::Model,
};

/// Characters of a tree that are shown.
const SHORT: usize = 7;

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let Some(state) = model.state() else { return Vec::new() };
    let (Some(task), Some(row)) = (state.task(model.chosen), TaskLine::at(state, model.chosen))
    else {
        return vec![Line::new().dim("no task")];
    };
    let detail = state.detail(model.chosen);
    let mut head =
        title::of_task(model).plain("  ").add(Tone::Bold, row.status.word().replace('_', " "));
    if let Some(commit) = detail.and_then(|detail| detail.commits.last()) {
        head = head.dim(format!("  commit {}", CommitId::short(commit)));
    }
    let mut lines = vec![head];
    if !row.labels.is_empty() {
        let text = format!("  weaker than proof: {}", row.labels.join(", "));
        lines.extend(wrapped(&text, columns, Tone::Warn));
    }
    if !row.why.is_empty() {
        lines.extend(wrapped(&format!("  {}", row.why), columns, Tone::Plain));
    }
    let evidence = detail.map(|detail| detail.evidence.as_slice()).unwrap_or_default();
    for (nth, one) in facts::criteria(task, evidence, Some(&model.run)).iter().enumerate() {
        lines.extend(criterion(nth + 1, one, columns));
    }
    for step in model.steps() {
        let result = if step.result.is_empty() { "under way" } else { &step.result };
        let text = format!("  iteration {} {}: {result}", step.iteration, step.kind);
        lines.push(Line::new().dim(text));
    }
    for finding in detail.iter().flat_map(|detail| &detail.findings) {
        let text = format!("    wants: {}", finding.line());
        lines.extend(wrapped(&text, columns, Tone::Plain));
    }
    lines
}

fn criterion(nth: usize, one: &CriterionFacts, columns: usize) -> Vec<Line> {
    let sign = match (one.met, one.judge) {
        (Some(true), _) => Sign::Ok,
        (Some(false), _) => Sign::Bad,
        (None, Some(_)) => Sign::Warning,
        (None, None) => Sign::Neutral,
    };
    let lead = Line::new().plain(format!("  {nth} ")).sign(sign).plain(" ");
    let judge = one.judge.map(|judge| match judge {
        "unreviewed" => "nobody",
        judge => judge,
    });
    let tree = one.tree.as_deref().and_then(|tree| tree.get(..SHORT));
    let tree = tree.map(|tree| format!("  tree {tree}")).unwrap_or_default();
    let mut lines = vec![lead.plain(&one.criterion)];
    let proof = match &one.check {
        Some(check) => format!("{}: {check}: {}", judge.unwrap_or("check"), one.proof),
        None => format!("{}: {}", judge.unwrap_or("nobody yet"), one.proof),
    };
    lines.extend(wrapped(&format!("      {proof}{tree}"), columns, Tone::Dim));
    lines
}

fn wrapped(text: &str, columns: usize, tone: Tone) -> Vec<Line> {
    let indent = text.len() - text.trim_start().len();
    let room = columns.saturating_sub(indent).max(10);
    let parts = plain::wrap(&plain::one_line(text.trim_start()), room, room);
    parts.into_iter().map(|part| Line::new().plain(" ".repeat(indent)).add(tone, part)).collect()
}
