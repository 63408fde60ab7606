//! `ralph gate list|run`: the gates as a run would pin them, and what they say about the working tree now.

use ralph_core::{
    gates::{
        baseline::ran_no_test,
        report::{GateReport, GateSpec, Severity},
    },
    plan::Plan,
    preflight::pin,
};
use ralph_engine::{gates::GateNotice, journal::Lock};

use crate::{
    args::commands::GateCommand,
    context::{Context, Entry, Line, Sign, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    session::{
        enclosure,
        gates_by_hand::{self, Audience, Packages},
        project::Project,
    },
};

/// What to do where there are no gates.
const ADD_ONE: &str = "add a [[gate]] to .ralph/settings.toml";

/// Runs `ralph gate`.
pub(crate) fn exec(command: &GateCommand, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let plan = if project.layout.plan().exists() { project.plan(None)? } else { Plan::default() };
    let gates = pin::pin(&project.resolved.settings, &plan)
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    match command {
        GateCommand::List => list(&gates, context),
        GateCommand::Run { names } => {
            if Lock::peek(&project.layout.lock()).is_some() {
                let what = "a run is active here, and gates would disturb its worktree";
                let help = "wait for it, or stop it with ralph stop";
                return Err(CommandError::new(exit::LOCKED, what, help));
            }
            run(&project, chosen(gates, names)?, context)
        }
    }
}

fn list(gates: &[GateSpec], context: &Context) -> Result<u8, CommandError> {
    if context.json {
        answer_json(&serde_json::json!({ "v": 1, "gates": gates }))?;
        return Ok(exit::DONE);
    }
    let mut entries: Vec<_> = gates
        .iter()
        .map(|gate| {
            let severity = if gate.severity == Severity::Hard { "hard" } else { "soft" };
            let text = format!("{:<16} {severity}  {}", gate.name, gate.line());
            Entry::text(0, Tone::Plain, text)
        })
        .collect();
    if entries.is_empty() {
        entries.push(Entry::text(0, Tone::Plain, format!("no gates; {ADD_ONE}")));
    }
    context.answer(&entries)?;
    Ok(exit::DONE)
}

fn chosen(gates: Vec<GateSpec>, names: &[String]) -> Result<Vec<GateSpec>, CommandError> {
    let known: Vec<_> = gates.iter().map(|gate| gate.name.clone()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let what = format!("there is no gate called {unknown}");
        return Err(CommandError::unknown(what, ("gates", &known), ADD_ONE));
    }
    let wanted = |gate: &GateSpec| names.is_empty() || names.contains(&gate.name);
    Ok(gates.into_iter().filter(wanted).collect())
}

/// Runs gates on the working tree as it is.
fn run(project: &Project, gates: Vec<GateSpec>, context: &Context) -> Result<u8, CommandError> {
    let watch = |notice: GateNotice<'_>| {
        if let GateNotice::Started { gate } = notice {
            let _ = context.note(format!("running {gate}"));
        }
    };
    let settings = &project.resolved.settings.sandbox;
    let chosen = enclosure::chosen(settings, context)?;
    let chosen = enclosure::furnished(project, chosen, project.resolved.settings.gates.room);
    let isolation = &chosen.isolation;
    let words = if context.verbose { isolation.to_string() } else { isolation.summary() };
    context.tell(&[Entry::text(0, Tone::Dim, format!("sandbox: {words}"))])?;
    let enclosure = enclosure::of(project, &chosen, settings)?;
    let specs = gates.clone();
    let ended = |report: &GateReport| {
        let spec = specs.iter().find(|spec| spec.name == report.gate);
        if let Some(spec) = spec.filter(|_| !context.json) {
            // Whoever stopped reading has seen enough; the exit code still tells.
            let _ = context.answer(&shown(report, spec));
        }
    };
    let audience = Audience { watch: &watch, ended: &ended };
    let reports = gates_by_hand::run(project, (&enclosure, Packages::Installed), gates, &audience)?;
    let judged: Vec<_> = reports.iter().zip(&specs).collect();
    if context.json {
        answer_json(&serde_json::json!({ "v": 1, "gates": reports }))?;
    }
    let is_red = |(report, spec): &(&GateReport, &GateSpec)| {
        spec.severity == Severity::Hard && !passed(report, spec)
    };
    let red = judged.iter().any(is_red);
    Ok(if red { exit::UNFINISHED } else { exit::DONE })
}

fn passed(report: &GateReport, spec: &GateSpec) -> bool {
    report.end.succeeded() && !ran_no_test(report, spec)
}

fn shown(report: &GateReport, spec: &GateSpec) -> Vec<Entry> {
    let sign = if passed(report, spec) { Sign::Ok } else { Sign::Bad };
    let empty = if ran_no_test(report, spec) { ", ran no tests" } else { "" };
    let text = format!("{} exit {} in {}{empty}", report.gate, report.end.exit_code(), report.took);
    let mut entries = vec![Entry::led(Line::signed(sign), text)];
    if !passed(report, spec) {
        entries.extend(
            report.output.lines().map(|line| Entry::text(0, Tone::Plain, format!("    {line}"))),
        );
    }
    entries
}
