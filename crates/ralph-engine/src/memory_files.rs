//! What a run remembers, as files for people and for the next run: `memory/context.json`, `memory/history/`,
//! `progress.md`. Rendered from the state; what is edited there during a run is overwritten.
//!
//! Read once, when a run starts, as data: bounded, and never as instructions.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use ralph_core::{
    event::{Decision, Event, Reviewed, RunStart, Source},
    memory::{
        bound,
        context::{Context, Statement},
        merge, read_stored, show,
    },
    run::RunState,
};
use serde_json::{Value, json};

use crate::{layout::Layout, project_file::read_plain, safe_files, sink::RedactedFiles};

/// Most bytes of a stored context that are read.
const MAX_STORED: usize = 1 << 20;
/// Most bytes of entries that the log shows; older ones stay with their runs.
const MAX_ENTRIES: usize = 256 << 10;
/// Most patterns that are curated.
const MAX_PATTERNS: usize = 40;
const PATTERNS: &str = "## Codebase Patterns";
const RULE: &str = "\n---\n";

/// What the last run of the same project left, for a new one.
pub(crate) fn remembered(layout: &Layout, start: &RunStart) -> Context {
    if matches!(start.source, Source::Prompt { .. } | Source::Planning { .. }) {
        return Context::default();
    }
    let text = read_plain(&stored(layout)).filter(|text| text.len() <= MAX_STORED);
    let stored: Value =
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    if stored.get("project").and_then(Value::as_str) != Some(start.plan.project.as_str()) {
        return Context::default();
    }
    let mut context = read_stored(&stored["context"]);
    if let Some(patterns) = read_plain(&layout.progress()).and_then(|text| curated(&text)) {
        context.patterns = patterns;
    }
    bound(&mut context, start.settings.memory.context_budget_tokens, 0);
    context
}

/// The patterns as a person left them: whatever stands in their section.
fn curated(text: &[u8]) -> Option<Vec<Statement>> {
    let text = String::from_utf8_lossy(text.get(..MAX_STORED.min(text.len()))?).into_owned();
    let (_, section) = text.split_once(PATTERNS)?;
    let section = section.split(RULE).next()?.split("\n## ").next()?;
    let lines = section.lines().filter_map(|line| line.trim().strip_prefix("- "));
    let lines = lines.filter(|line| !line.starts_with('(') && !line.trim().is_empty());
    let cut = |line: &str| line.chars().take(300).collect::<String>();
    Some(lines.take(MAX_PATTERNS).map(|line| Statement::new(cut(line), 0)).collect())
}

/// Writes what a decision made worth remembering.
pub(crate) fn after(
    layout: &Layout,
    redacted: &RedactedFiles,
    state: &RunState,
    decision: &Decision,
) {
    let is_prompt = matches!(state.start.source, Source::Prompt { .. });
    if state.is_planning() || (is_prompt && state.memory.records.is_empty()) {
        return;
    }
    for event in &decision.events {
        match event {
            Event::RunStarted(_) => {
                let _ = begin(layout, redacted, state);
            }
            Event::MemoryCompacted(compaction) => {
                let text = document(state, &compaction.context);
                let name = format!("{}-{:04}.json", state.run, compaction.number);
                let history = layout.memory().join("history");
                let _ = redacted.replace(&history.join(name), &text);
                if !is_prompt {
                    let _ = redacted.replace(&stored(layout), &text);
                }
            }
            Event::RunFinished { .. } => finish(layout, redacted, state),
            Event::IterationClosed => {
                if let Some(entry) = entry(state, decision) {
                    let _ = append(layout, redacted, state, &entry);
                }
            }
            _ => {}
        }
    }
}

/// Keeps what came after the last compaction for the next run too.
pub(crate) fn finish(layout: &Layout, redacted: &RedactedFiles, state: &RunState) {
    let has_plan = matches!(state.start.source, Source::Plan | Source::Tasks { .. });
    if has_plan && !state.memory.records.is_empty() {
        let text = document(state, &folded(state));
        let _ = redacted.replace(&stored(layout), &text);
    }
}

/// What is known with all that iterations left since the last compaction.
fn folded(state: &RunState) -> Context {
    let mut context = state.memory.context.clone();
    merge(&mut context, &state.memory.records);
    let budget = state.start.settings.memory.context_budget_tokens;
    bound(&mut context, budget, state.counters.iterations);
    context
}

fn document(state: &RunState, context: &Context) -> Vec<u8> {
    let document = json!({
        "project": state.start.plan.project,
        "run": state.run,
        "compaction": state.memory.compactions,
        "after_iteration": state.counters.iterations,
        "context": context.document(),
    });
    serde_json::to_vec_pretty(&document).unwrap_or_default()
}

fn stored(layout: &Layout) -> PathBuf {
    layout.memory().join("context.json")
}

fn entries(layout: &Layout, state: &RunState) -> PathBuf {
    layout.run(&state.run).join("progress.md")
}

/// The log goes on after what earlier runs of the project left in it.
fn begin(layout: &Layout, redacted: &RedactedFiles, state: &RunState) -> io::Result<()> {
    let before = read_plain(&layout.progress()).unwrap_or_default();
    let before = String::from_utf8_lossy(&before).into_owned();
    let before = before.split_once(RULE).map_or("", |(_, entries)| entries.trim());
    let kept = ralph_text::cut::tail(before, MAX_ENTRIES);
    let started = format!("{kept}\n\n# Run {} started {}\n", state.run, state.started_at);
    let path = entries(layout, state);
    safe_files::replace(layout.base_of(&path), &path, started.trim_start().as_bytes())?;
    render(layout, redacted, state)
}

fn append(
    layout: &Layout,
    redacted: &RedactedFiles,
    state: &RunState,
    entry: &str,
) -> io::Result<()> {
    let path = entries(layout, state);
    let mut file = safe_files::append(layout.base_of(&path), &path)?;
    file.write_all(format!("\n{entry}\n").as_bytes())?;
    render(layout, redacted, state)
}

/// Header, curated patterns, then one entry per iteration.
fn render(layout: &Layout, redacted: &RedactedFiles, state: &RunState) -> io::Result<()> {
    let entries = read_plain(&entries(layout, state)).unwrap_or_default();
    let entries = String::from_utf8_lossy(&entries).into_owned();
    let shown = ralph_text::cut::tail(&entries, MAX_ENTRIES);
    let missing = entries.len() - shown.len();
    let missing = if missing > 0 {
        format!("({missing} bytes of older entries are not shown)\n\n")
    } else {
        String::new()
    };
    let patterns = show::patterns(&state.memory, MAX_PATTERNS);
    let patterns = if patterns.is_empty() { "- (none yet)".into() } else { patterns };
    let text = format!(
        "# Progress\n\nStarted: {}\nProject: {}\n\nralph writes this file. Only the patterns are read again, when the next run starts: edit those.\n\n\
         {PATTERNS}\n\n{patterns}\n{RULE}\n{missing}{}\n",
        state.started_at,
        show::line(&state.start.plan.project),
        shown.trim()
    );
    redacted.replace(&layout.progress(), text.as_bytes())
}

/// What the iteration that closed leaves in the log.
fn entry(state: &RunState, decision: &Decision) -> Option<String> {
    let reviewed = decision.events.iter().find_map(|event| match event {
        Event::Reviewed(reviewed) => Some(&**reviewed),
        _ => None,
    });
    if let Some(reviewed) = reviewed {
        return Some(review(state, reviewed));
    }
    let now = state.counters.iterations;
    let record = state.memory.records.last().filter(|record| record.iteration == now)?;
    let detail = state.current.and_then(|task| state.detail(task));
    let gates = detail.filter(|_| record.accepted).map(|detail| {
        let line = |one: &ralph_core::gates::report::GateReport| {
            format!("gate {} exit {}", one.gate, one.end.exit_code())
        };
        detail.proof.iter().map(line).collect::<Vec<_>>().join(", ")
    });
    Some(show::entry(record, &gates.unwrap_or_default()))
}

fn review(state: &RunState, reviewed: &Reviewed) -> String {
    let verdict = if reviewed.judgement.approved { "approved" } else { "changes requested" };
    let findings = reviewed
        .judgement
        .findings
        .iter()
        .map(|one| format!("- Finding: {}", show::line(&one.line())));
    let mut lines = vec![
        format!("## Iteration {} (review): {}", state.counters.iterations, reviewed.task),
        format!("- {}", show::line(&reviewed.summary)),
        format!("- Verdict: {verdict}"),
    ];
    lines.extend(findings);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_patterns_are_taken_over_and_nothing_else_of_the_log() {
        let text = "# Progress\n\n## Codebase Patterns\n\n- use bun\n- (none yet)\nwords\n- \n-   tests live in t/\n\n---\n\n- no pattern\n";
        let patterns = curated(text.as_bytes()).unwrap_or_default();
        let texts: Vec<&str> = patterns.iter().map(|one| one.text.trim()).collect();
        assert_eq!(texts, ["use bun", "tests live in t/"]);
        assert_eq!(curated(b"no section"), None);
    }
}
