//! What a run remembers, as files for people and for the next run: `memory/context.json`, `memory/history/`,
//! `progress.md`. Rendered from the state, but for what people noted in the last, which no run changes.
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

use crate::{
    layout::Layout, progress_file::Progress, project_file::read_plain, safe_files,
    sink::RedactedFiles,
};

/// Most bytes of a stored context that are read.
const MAX_STORED: usize = 1 << 20;
/// Most bytes of entries that the log shows; older ones stay with their runs.
const MAX_ENTRIES: usize = 256 << 10;
/// Most patterns of agents that are curated.
const MAX_PATTERNS: usize = 40;
/// Most lines of people's that a run carries.
const MAX_NOTES: usize = 200;

/// What the last run of the same project left, for a new one.
pub(crate) fn remembered(layout: &Layout, start: &RunStart) -> Context {
    if matches!(start.source, Source::Prompt { .. } | Source::Planning { .. }) {
        return Context { notes: notes(&progress(layout)), ..Context::default() };
    }
    let progress = progress(layout);
    let mut context = match read_plain(&stored(layout)).filter(|text| text.len() <= MAX_STORED) {
        None => Context { patterns: curated(&progress), ..Context::default() },
        Some(text) => {
            let stored: Value = serde_json::from_slice(&text).unwrap_or_default();
            let project = stored.get("project").and_then(Value::as_str);
            if project == Some(start.plan.project.as_str()) {
                Context { patterns: curated(&progress), ..read_stored(&stored["context"]) }
            } else {
                Context::default()
            }
        }
    };
    bound(&mut context, start.settings.memory.context_budget_tokens, 0);
    context.notes = notes(&progress);
    context
}

/// The file as it is now.
fn progress(layout: &Layout) -> Progress {
    let text = read_plain(&layout.progress()).unwrap_or_default();
    Progress::read(&String::from_utf8_lossy(&text))
}

/// What agents found, as a person left it.
fn curated(progress: &Progress) -> Vec<Statement> {
    progress.patterns.iter().map(|text| Statement::new(text.as_str(), 0)).collect()
}

/// What people noted, as far as a prompt can hold it; the rest stays in its file.
fn notes(progress: &Progress) -> Vec<String> {
    progress.noted().take(MAX_NOTES).map(show::line).collect()
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
    let before = progress(layout).log;
    let kept = ralph_text::cut::tail(&before, MAX_ENTRIES);
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
    let before = shown(&read_plain(&path).unwrap_or_default());
    let mut file = safe_files::append(layout.base_of(&path), &path)?;
    file.write_all(format!("\n{entry}\n").as_bytes())?;
    let mut progress = progress(layout);
    if progress.log != before {
        progress.note_what_is_not_in(&redacted.redactor().text(&before));
    }
    write(layout, redacted, state, progress)
}

fn render(layout: &Layout, redacted: &RedactedFiles, state: &RunState) -> io::Result<()> {
    write(layout, redacted, state, progress(layout))
}

/// What people noted stays as it is in the file at this moment.
fn write(
    layout: &Layout,
    redacted: &RedactedFiles,
    state: &RunState,
    mut progress: Progress,
) -> io::Result<()> {
    progress.log = shown(&read_plain(&entries(layout, state)).unwrap_or_default());
    // A prompt has no memory of its own that could replace the project's.
    if !matches!(state.start.source, Source::Prompt { .. }) {
        progress.patterns = show::patterns(&state.memory, MAX_PATTERNS);
    }
    let text = progress.render(&state.started_at, &show::line(&state.start.plan.project));
    redacted.replace(&layout.progress(), text.as_bytes())
}

/// As much of the entries as the file shows.
fn shown(entries: &[u8]) -> String {
    let entries = String::from_utf8_lossy(entries);
    let shown = ralph_text::cut::tail(&entries, MAX_ENTRIES);
    match entries.len() - shown.len() {
        0 => shown.trim().to_owned(),
        missing => {
            format!("({missing} bytes of older entries are not shown)\n\n{}", shown.trim())
        }
    }
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
