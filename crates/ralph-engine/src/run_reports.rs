//! What a run leaves for people to read beside its logs: the report when it ends, a state file for each task
//! that met a setback. Rendered from the state, without secrets; a file that
//! cannot be written changes nothing.

use std::{io, path::Path};

use jiff::tz::TimeZone;
use ralph_core::{
    event::{Decision, Event, Source},
    ids::{RunId, TaskId},
    memory::lasting,
    plan::formats::plan_json,
    planning::Draft,
    report::{
        Diffstat, Live, Report, Rules, commits_at, html, markdown, range, state_file,
        state_file_name,
    },
    run::RunState,
    timeline::Iterations,
};

use crate::{git::Repository, journal, layout::Layout, project_file, sink::RedactedFiles};

/// Files in which projects keep rules for every agent, the one that most agents read first.
const RULE_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Largest such file that is read.
const MAX_RULE_FILE_BYTES: u64 = 1 << 20;

/// Writes what a decision made worth reading.
pub(crate) fn after(
    layout: &Layout,
    (redacted, repository): (&RedactedFiles, Option<&Repository>),
    state: &RunState,
    decision: &Decision,
) {
    for event in &decision.events {
        if let Some(task) = setback(event) {
            let _ = write_state_file(layout, redacted, state, task);
        } else if let Event::PlanDrafted(draft) = event {
            write_draft(layout, redacted, state, draft);
        } else if matches!(event, Event::RunFinished { .. }) {
            write_report(layout, (redacted, repository), state);
        }
    }
}

/// The report as far as the run has come, for people and for programs.
pub(crate) fn write_report(
    layout: &Layout,
    (redacted, repository): (&RedactedFiles, Option<&Repository>),
    state: &RunState,
) {
    let report = whole(state, timeline(layout, &state.run), repository)
        .with_rules(rules_here(layout, state));
    // One after the other: each may be as large as the plan.
    let write = |path: &Path, text: &[u8]| drop(redacted.replace(path, text));
    write(&layout.report(&state.run), markdown(&report).as_bytes());
    let json = layout.run_views(&state.run).join("report.json");
    write(&json, &serde_json::to_vec_pretty(&report).unwrap_or_default());
    write(&layout.report_page(&state.run), page(&report, None).as_bytes());
}

/// A report with everything that the journal and git tell, as far as git can be asked.
pub fn whole(state: &RunState, timeline: Iterations, repository: Option<&Repository>) -> Report {
    let report = Report::of(state).in_time(timeline);
    let Some(repository) = repository else { return report };
    let changed = range(state).and_then(|(base, head)| repository.numstat(base, head).ok());
    let commits_at = repository.origin().and_then(|remote| commits_at(&remote));
    report.with_changes(changed.map(Diffstat::of), commits_at)
}

/// The project's own file for agents, if it has one.
pub fn rule_file(layout: &Layout) -> Option<&'static str> {
    let root = layout.views().parent()?;
    RULE_FILES.into_iter().find(|file| root.join(file).is_file())
}

/// Lasting rules for the project's own file for agents; a project without one gets none.
pub fn rules_here(layout: &Layout, state: &RunState) -> Option<Rules> {
    rules(layout, state, rule_file(layout)?)
}

/// Lasting rules that this file of the project does not have yet.
pub fn rules(layout: &Layout, state: &RunState, file: &str) -> Option<Rules> {
    let path = layout.views().parent()?.join(file);
    let text = project_file::text(&path, MAX_RULE_FILE_BYTES).unwrap_or_default();
    let mut lines = lasting(&state.memory);
    lines.retain(|line| !text.contains(line.as_str()));
    (!lines.is_empty()).then(|| Rules { file: file.to_owned(), lines })
}

/// Adds rules to their file, below a heading of their own.
pub fn add_rules(layout: &Layout, rules: &Rules) -> io::Result<()> {
    let path = layout.views().parent().unwrap_or(layout.views()).join(&rules.file);
    let text = match project_file::text(&path, MAX_RULE_FILE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    project_file::replace(&path, rules.added_to(&text).as_bytes())
}

/// The report as one HTML file, with times as this machine's clock shows them.
pub fn page(report: &Report, live: Option<Live>) -> String {
    html(report, live, &|at| {
        let local = |at: jiff::Timestamp| at.to_zoned(TimeZone::system());
        let shown = jiff::Timestamp::from_millisecond(at.0).map(local);
        shown.map_or_else(|_| at.to_string(), |at| at.strftime("%Y-%m-%d %H:%M %Z").to_string())
    })
}

/// A run's iterations in time, as far as its journal can be read.
pub fn timeline(layout: &Layout, run: &RunId) -> Iterations {
    let (mut timeline, path) = (Iterations::default(), layout.journal(run));
    let _ = journal::read_after_start(&path, |decision| timeline.apply(&decision));
    timeline
}

/// A planner's draft, so that nothing paid for is lost: as a plan file that can be imported, and its requirements.
fn write_draft(layout: &Layout, redacted: &RedactedFiles, state: &RunState, draft: &Draft) {
    let Source::Planning { request } = &state.start.source else {
        return;
    };
    let folder = layout.run_views(&state.run);
    let plan = plan_json::render(&draft.incoming(&request.existing));
    let plan = (!draft.tasks.is_empty() || !draft.remove.is_empty()).then_some(plan);
    let prd = (!draft.prd.is_empty()).then(|| draft.prd.clone());
    for (name, text) in [("draft.json", plan), ("prd.md", prd)] {
        if let Some(text) = text {
            let _ = redacted.replace(&folder.join(name), text.as_bytes());
        }
    }
}

fn write_state_file(
    layout: &Layout,
    redacted: &RedactedFiles,
    state: &RunState,
    task: &TaskId,
) -> io::Result<()> {
    let Some(text) = state_file(state, task) else {
        return Ok(());
    };
    let folder = layout.run_views(&state.run).join("tasks");
    redacted.replace(&folder.join(state_file_name(task)), text.as_bytes())
}

/// The task that a setback is about.
fn setback(event: &Event) -> Option<&TaskId> {
    match event {
        Event::AttemptRejected(rejection) => Some(&rejection.task),
        Event::Reviewed(reviewed) if !reviewed.judgement.approved => Some(&reviewed.task),
        Event::ReviewUnusable { task, .. } | Event::Escalated { task, .. } => Some(task),
        _ => None,
    }
}
