//! What the gates said of the shown try, and which one runs.

use ralph_agents::live_event::Said;
use ralph_core::{
    gates::report::{CommandEnd, GateReport, GateResults},
    time::{Millis, Timestamp},
};

use super::title;
use crate::{
    reporters::{
        clock,
        line::{Line, Sign, Tone},
        plain,
    },
    watch::model::Model,
    words,
};

/// Names of failing tests, and lines of output, that are shown below a gate.
const BELOW: usize = 10;

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let mut lines = vec![title::of_try(model)];
    let reports = results(model);
    for (gate, ran) in ran(&model.shown.gates) {
        let report = reports.and_then(|all| all.gates.iter().find(|one| one.gate == gate));
        lines.push(row(model, &gate, &ran));
        if let Some(report) = report.filter(|report| !model.timeline.passed(report)) {
            lines.extend(below(report, columns));
        }
    }
    for check in reports.iter().flat_map(|all| &all.checks) {
        let sign = if check.end.succeeded() { Sign::Ok } else { Sign::Bad };
        let lead = Line::new().plain("  ").sign(sign).plain(" check ");
        lines.push(lead.plain(&check.command).dim(format!("  {}", how(check.end, check.took))));
    }
    if lines.len() == 1 {
        let begun = model.step().is_some();
        lines.push(Line::new().dim(if begun { "  no gate has run yet" } else { "  not begun" }));
    }
    lines
}

/// One gate as its notices tell it.
struct Ran {
    began: Timestamp,
    end: Option<(CommandEnd, Millis)>,
    is_again: bool,
}

/// Each gate's last run, in the order of their first.
fn ran(notices: &[(Timestamp, Said)]) -> Vec<(String, Ran)> {
    let mut all: Vec<(String, Ran)> = Vec::new();
    for (at, said) in notices {
        match said {
            Said::GateStarted { gate } => {
                all.retain(|(name, _)| name != gate);
                all.push((gate.clone(), Ran { began: *at, end: None, is_again: false }));
            }
            Said::GateRunsAgain { gate, .. } => {
                if let Some((_, ran)) = all.iter_mut().find(|(name, _)| name == gate) {
                    (ran.began, ran.is_again) = (*at, true);
                }
            }
            Said::GateFinished { gate, end, took } => {
                if let Some((_, ran)) = all.iter_mut().find(|(name, _)| name == gate) {
                    ran.end = Some((*end, *took));
                }
            }
            _ => {}
        }
    }
    all
}

/// What is known of the shown iteration's gates, with their output.
fn results(model: &Model) -> Option<&GateResults> {
    let current = model.timeline.current.as_ref();
    let step = model.step()?;
    if let Some(current) = current.filter(|current| current.start.iteration == step.iteration) {
        return Some(&current.gates);
    }
    let detail = model.state()?.detail(model.chosen)?;
    let mut tried = detail.feedback.iter().rev();
    tried.find(|record| Some(record.attempt) == step.attempt).map(|record| &record.results)
}

fn row(model: &Model, gate: &str, ran: &Ran) -> Line {
    let spec = model.timeline.start();
    let spec = spec.and_then(|start| start.gates.iter().find(|spec| spec.name == gate));
    let command = spec.map(|spec| spec.command.as_str()).unwrap_or_default();
    let (sign, after) = match ran.end {
        Some((end, took)) if end.succeeded() => (Sign::Ok, Line::new().dim(took.to_string())),
        Some((end, took)) => (Sign::Bad, Line::new().add(Tone::Bad, how(end, took))),
        None if model.is_live() => {
            let took = clock::running(model.now.since(ran.began));
            (Sign::Waiting, Line::new().plain(format!("{took}  running")))
        }
        None => (Sign::Warning, Line::new().add(Tone::Warn, "did not finish")),
    };
    let again = if ran.is_again { "  ran again: is it flaky?" } else { "" };
    Line::new()
        .plain("  ")
        .sign(sign)
        .plain(" ")
        .add(Tone::Bold, gate)
        .dim(format!("  {command}  "))
        .join(after)
        .add(Tone::Warn, again)
}

fn how(end: CommandEnd, took: Millis) -> String {
    match end {
        CommandEnd::Exited { code: 0 } => took.to_string(),
        CommandEnd::Exited { code } => format!("{took}  exit {code}"),
        CommandEnd::Signalled { signal } => format!("{took}  signal {signal}"),
        CommandEnd::TimedOut => format!("timed out after {took}"),
        CommandEnd::Interrupted => "interrupted".into(),
    }
}

fn below(report: &GateReport, columns: usize) -> Vec<Line> {
    let failing = report.tests.failing.as_deref().unwrap_or_default();
    let mut lines = Vec::new();
    if let Some(count) = report.tests.ran {
        let text = format!("{}, {} failing", words::count(count, "test"), failing.len());
        lines.push(Line::new().dim(format!("      {text}")));
    }
    let names = failing.iter().take(BELOW);
    lines.extend(names.map(|name| Line::new().plain("      ").add(Tone::Bad, name)));
    let (shown, hidden) = plain::head(&report.output, BELOW, BELOW * columns.max(40));
    let quoted = shown.iter().filter(|line| !line.is_empty());
    lines.extend(quoted.map(|line| Line::new().dim("      │ ").dim(line)));
    if hidden > 0 {
        lines.push(Line::new().dim(format!(
            "      ({}: {})",
            words::count(hidden as u64, "more line"),
            report.log
        )));
    }
    lines
}
