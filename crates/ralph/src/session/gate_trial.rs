//! Runs the gates that were found once, in the box that gates have, before they become settings: what is red here
//! would reject all work, and what is missing could never judge any. Leaves nothing in the working tree.

use std::collections::BTreeMap;

use ralph_core::{
    gates::{
        baseline::ran_no_test,
        report::{CommandEnd, GateKind, GateReport, GateSpec, Severity},
    },
    plan::Plan,
    preflight::{self, pin},
    settings::{Gate, Length, Settings, Timeout},
    time::Millis,
};
use ralph_engine::gates::GateNotice;

use super::{
    gate_detection::FoundGate,
    gates_by_hand::{self, Audience, Packages},
    programs::{self, Lack},
    project::Project,
};
use crate::{
    context::{Context, Entry, Line, Sign, Tone},
    diagnostics::CommandError,
    words,
};

/// The longest that one gate is waited for.
const LONGEST: Millis = Millis(300_000);

/// What became of the gates that were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tried {
    /// Those to use, with notes where they were not green.
    pub(crate) gates: Vec<FoundGate>,
    /// Those that cannot run here; their notes say why.
    pub(crate) left_out: Vec<FoundGate>,
}

/// Runs each gate once, shows how it goes, and sorts out what does not work here.
pub(crate) fn run(
    project: &Project,
    found: Vec<FoundGate>,
    context: &Context,
) -> Result<Tried, CommandError> {
    let enclosure = programs::enclosure(project);
    if found.is_empty() || !enclosure.has_room() {
        if !found.is_empty() {
            context.note("the gates were not run: no sandbox here keeps them off your files")?;
        }
        return Ok(Tried { gates: found, left_out: Vec::new() });
    }
    let longest = LONGEST.min(project.resolved.settings.timeouts.gate.hard.0);
    let specs = specs(&found, longest);
    let lacking = programs::lacking(programs::of_gates(&specs), project, &enclosure)?;
    let (runnable, missing): (Vec<_>, Vec<_>) =
        found.into_iter().zip(specs).partition(|(_, spec)| lack_of(spec, &lacking).is_none());
    let left_out = missing.into_iter().map(|(gate, spec)| {
        let (program, lack) = lack_of(&spec, &lacking).unwrap_or_default();
        FoundGate { note: format!("it needs {program}, which is {lack}"), ..gate }
    });
    let mut tried = Tried { gates: Vec::new(), left_out: left_out.collect() };
    if !runnable.is_empty() {
        let text = format!(
            "running each gate once in the sandbox, {longest} at most (--no-try skips this)"
        );
        context.note(text)?;
        let specs: Vec<GateSpec> = runnable.iter().map(|(_, spec)| spec.clone()).collect();
        let watch = |notice: GateNotice<'_>| show(notice, &specs, context);
        let with = (&enclosure, Packages::Installed);
        let audience = Audience { watch: &watch, ended: &|_| () };
        let reports = gates_by_hand::run(project, with, specs.clone(), &audience)?;
        for ((gate, spec), report) in runnable.into_iter().zip(reports) {
            sort(gate, &spec, &report, &mut tried);
        }
    }
    tell(&tried, context)?;
    Ok(tried)
}

/// The gates as a run would pin them, each bounded by this time.
fn specs(found: &[FoundGate], longest: Millis) -> Vec<GateSpec> {
    let timeout = Timeout { soft: Length::default(), hard: Length(longest) };
    let gate = |found: &FoundGate| Gate {
        name: found.name.clone(),
        command: found.command.clone(),
        dir: found.dir.clone(),
        kind: if found.is_test() { GateKind::Test } else { GateKind::Custom },
        timeout: Some(timeout),
        ..Gate::default()
    };
    let settings = Settings { gate: found.iter().map(gate).collect(), ..Settings::default() };
    pin::pin(&settings, &Plan::default()).unwrap_or_default()
}

fn lack_of(spec: &GateSpec, lacking: &BTreeMap<String, Lack>) -> Option<(String, &'static str)> {
    let program = preflight::program(&spec.command)?;
    let lack = lacking.get(&program)?.words();
    Some((program, lack))
}

fn show(notice: GateNotice<'_>, specs: &[GateSpec], context: &Context) {
    let line = |name: &str| {
        let spec = specs.iter().find(|spec| spec.name == name);
        spec.map_or_else(|| name.to_owned(), GateSpec::line)
    };
    // What cannot be shown is no reason to stop.
    let _ = match notice {
        GateNotice::Started { gate } => context.note(format!("  running {}", line(gate))),
        GateNotice::Ended { gate, end, took } => {
            let sign = if end.succeeded() { Sign::Ok } else { Sign::Warning };
            let text = format!("{gate}: {} in {took}", ended(end));
            context.tell(&[Entry::led(Line::new().plain("  ").sign(sign).plain(" "), text)])
        }
        GateNotice::Slow { .. } | GateNotice::RunsAgain { .. } => Ok(()),
    };
}

fn ended(end: CommandEnd) -> String {
    match end {
        CommandEnd::Exited { code: 0 } => "green".into(),
        CommandEnd::TimedOut => "not finished".into(),
        other => format!("red (exit {})", other.exit_code()),
    }
}

/// Decides about one gate by what it gave.
fn sort(gate: FoundGate, spec: &GateSpec, report: &GateReport, tried: &mut Tried) {
    let failing = report.tests.failing.as_deref().unwrap_or_default();
    let noted = |note: String, severity| FoundGate { severity, note, ..gate.clone() };
    let kept = match report.end {
        _ if ran_no_test(report, spec) => {
            noted("it ran no test yet, which counts as a failure".into(), Severity::Hard)
        }
        CommandEnd::Exited { code: 0 } => gate,
        // What a shell says about a program that it does not find or cannot start.
        CommandEnd::Exited { code: 126 | 127 } => {
            let said = report.output.lines().rfind(|line| !line.trim().is_empty());
            let note = format!("a program that it needs is missing: {}", said.unwrap_or_default());
            tried.left_out.push(noted(note, gate.severity));
            return;
        }
        CommandEnd::TimedOut => {
            let note = format!(
                "it did not finish within {}; its limit is timeouts.gate",
                spec.hard_timeout
            );
            noted(note, Severity::Hard)
        }
        // A run compares names with those from before, so old failures reject nothing.
        _ if !failing.is_empty() => {
            let names = words::few(failing, 3);
            noted(format!("{names} failed when it was tried; nothing new may fail"), Severity::Hard)
        }
        end => {
            let note = format!(
                "red when it was tried (exit {}), so it is only reported; remove severity once it is green",
                end.exit_code()
            );
            noted(note, Severity::Soft)
        }
    };
    tried.gates.push(kept);
}

fn tell(tried: &Tried, context: &Context) -> Result<(), CommandError> {
    for gate in tried.gates.iter().filter(|gate| !gate.note.is_empty()) {
        context.tell(&[Entry::text(2, Tone::Warn, format!("{}: {}", gate.name, gate.note))])?;
    }
    for gate in &tried.left_out {
        let text = format!(
            "left out: {} ({}); once that is there, remove the # before it in .ralph/settings.toml",
            gate.line(),
            gate.note
        );
        context.tell(&[Entry::text(2, Tone::Warn, text)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ralph_core::gates::report::TestSummary;

    use super::*;

    fn sorted(end: CommandEnd, ran: Option<u64>, failing: &[&str]) -> (Vec<FoundGate>, usize) {
        let gate = FoundGate::given("cargo test");
        let spec = specs(std::slice::from_ref(&gate), Millis::secs(300)).remove(0);
        let failing = failing.iter().map(ToString::to_string).collect();
        let report = GateReport {
            gate: gate.name.clone(),
            end,
            took: Millis(1),
            tests: TestSummary::new(ran, Some(failing)),
            flaky: false,
            output: "sh: 1: mocha: not found\n".into(),
            log: String::new(),
            changed: Vec::new(),
        };
        let mut tried = Tried::default();
        sort(gate, &spec, &report, &mut tried);
        (tried.gates, tried.left_out.len())
    }

    #[test]
    fn what_is_red_without_names_only_reports_and_what_cannot_start_is_left_out() {
        let exited = |code| CommandEnd::Exited { code };
        let of = |(gates, left_out): (Vec<FoundGate>, usize)| {
            let kept = gates.first().map(|gate| (gate.severity, gate.note.clone()));
            let (severity, note) = kept.unwrap_or_default();
            (severity, note.split(' ').take(4).collect::<Vec<_>>().join(" "), left_out)
        };
        let hard = Severity::Hard;
        assert_eq!(of(sorted(exited(0), Some(3), &[])), (hard, String::new(), 0));
        assert_eq!(of(sorted(exited(0), Some(0), &[])), (hard, "it ran no test".into(), 0));
        assert_eq!(of(sorted(exited(1), None, &[])), (Severity::Soft, "red when it was".into(), 0));
        assert_eq!(of(sorted(exited(1), Some(9), &["a"])), (hard, "a failed when it".into(), 0));
        assert_eq!(
            of(sorted(CommandEnd::TimedOut, None, &[])),
            (hard, "it did not finish".into(), 0)
        );
        assert_eq!(of(sorted(exited(127), None, &[])), (hard, String::new(), 1));
    }
}
