//! Runs all gates, then all checks, each to its end, whatever the others gave. Judging the results is the core's.

use ralph_core::{
    effect::{CheckSpec, RunGates},
    gates::{
        baseline::may_be_flaky,
        report::{CheckReport, CommandEnd, FailedSetup, GateReport, GateResults, GateSpec},
    },
    time::Millis,
};

use super::{
    command::{GateError, Ran, ShellCommand, run_command},
    place::{GateNotice, GatePlace},
};
use crate::process::Attention;

/// Folder of the baseline's logs, below the run's.
pub const BASELINE_LOGS: &str = "baseline";

/// What installs the packages that gates need is called.
const SETUP: &str = "setup";

/// Folder of an iteration's logs, below the run's.
pub fn iteration_logs(iteration: u32) -> String {
    format!("iterations/{iteration:04}/gates")
}

/// Runs every gate and check of the request. After an interruption the rest is reported as interrupted.
pub fn run_gates(
    request: &RunGates,
    place: &GatePlace<'_>,
    attention: &mut dyn Attention,
) -> Result<GateResults, GateError> {
    let mut results = GateResults::default();
    let mut is_interrupted = false;
    for spec in &request.gates {
        let report = if is_interrupted {
            gate_report(spec, Ran::interrupted())
        } else {
            let mut ran = run_gate(spec, request, place, attention)?;
            results.traffic.append(&mut ran.0.traffic);
            note(&mut results, &ran.0);
            GateReport { flaky: ran.1, ..gate_report(spec, ran.0) }
        };
        is_interrupted |= report.end == CommandEnd::Interrupted;
        results.gates.push(report);
    }
    for spec in &request.checks {
        let mut ran = if is_interrupted {
            Ran::interrupted()
        } else {
            run_check(spec, request, place, attention)?
        };
        results.traffic.append(&mut ran.traffic);
        note(&mut results, &ran);
        is_interrupted |= ran.end == CommandEnd::Interrupted;
        results.checks.push(check_report(spec, ran));
    }
    Ok(results)
}

/// Notes what a command meddled with; it was put back.
fn note(results: &mut GateResults, ran: &Ran) {
    for file in ran.meddling.changed.iter().chain(&ran.meddling.made) {
        if !results.meddled.contains(file) {
            results.meddled.push(file.clone());
        }
    }
}

/// Runs the command that installs what gates need, where they will run; how it failed, if it did.
pub fn install(
    command: &str,
    request: &RunGates,
    place: &GatePlace<'_>,
    attention: &mut dyn Attention,
) -> Result<Option<FailedSetup>, GateError> {
    let longest = request.gates.iter().map(|gate| gate.hard_timeout).max().unwrap_or_default();
    let shell = ShellCommand {
        name: SETUP,
        command,
        dir: "",
        env: &[],
        network: None,
        soft_timeout: Millis::default(),
        hard_timeout: longest,
        log: format!("{SETUP}.log"),
        truncate: request.truncate,
    };
    (place.watch)(GateNotice::Started { gate: SETUP });
    let ran = run_command(&shell, place, attention)?;
    (place.watch)(GateNotice::Ended { gate: SETUP, end: ran.end, took: ran.took });
    let failed = FailedSetup { command: command.to_owned(), end: ran.end, output: ran.output };
    Ok((!ran.end.succeeded()).then_some(failed))
}

/// The results of gates that could not judge, because what they need could not be installed.
pub fn not_judged(request: &RunGates, failed: FailedSetup) -> GateResults {
    let FailedSetup { command, end, output } = &failed;
    let output =
        format!("not run: `{command}` failed, so its packages are not installed:\n{output}");
    let ran = || Ran { end: *end, output: output.clone(), ..Ran::interrupted() };
    GateResults {
        gates: request.gates.iter().map(|spec| gate_report(spec, ran())).collect(),
        checks: request.checks.iter().map(|spec| check_report(spec, ran())).collect(),
        failed_setup: Some(failed),
        ..GateResults::default()
    }
}

/// Runs one gate, and again if its failure may be flaky; whether that helped. The last run counts.
fn run_gate(
    spec: &GateSpec,
    request: &RunGates,
    place: &GatePlace<'_>,
    attention: &mut dyn Attention,
) -> Result<(Ran, bool), GateError> {
    let gate = spec.name.as_str();
    let mut command = ShellCommand {
        name: gate,
        command: &spec.command,
        dir: &spec.dir,
        env: &spec.env,
        network: spec.network,
        soft_timeout: spec.soft_timeout,
        hard_timeout: spec.hard_timeout,
        log: format!("{}.log", spec.slug),
        truncate: request.truncate,
    };
    (place.watch)(GateNotice::Started { gate });
    let mut ran = run_command(&command, place, attention)?;
    let before = request.before.iter().find(|report| report.gate == spec.name);
    let mut is_flaky = false;
    let mut traffic = std::mem::take(&mut ran.traffic);
    for retry in 1..=request.flaky_retries {
        if !may_be_flaky(spec, (ran.end, &ran.tests), before) {
            break;
        }
        (place.watch)(GateNotice::RunsAgain { gate, end: ran.end });
        command.log = format!("{}.retry{retry}.log", spec.slug);
        let name = gate.to_owned();
        place.ground.forget().map_err(|source| GateError::Ground { name, source })?;
        ran = run_command(&command, place, attention)?;
        traffic.append(&mut ran.traffic);
        is_flaky = ran.end.succeeded();
    }
    hand_on(gate, &spec.command, place)?;
    (place.watch)(GateNotice::Ended { gate, end: ran.end, took: ran.took });
    ran.traffic = traffic;
    Ok((ran, is_flaky))
}

fn run_check(
    spec: &CheckSpec,
    request: &RunGates,
    place: &GatePlace<'_>,
    attention: &mut dyn Attention,
) -> Result<Ran, GateError> {
    let gate = spec.command.as_str();
    let command = ShellCommand {
        name: gate,
        command: &spec.command,
        dir: "",
        env: &[],
        network: None,
        soft_timeout: Millis::default(),
        hard_timeout: spec.hard_timeout,
        log: format!("check-{}.log", spec.criterion + 1),
        truncate: request.truncate,
    };
    (place.watch)(GateNotice::Started { gate });
    let ran = run_command(&command, place, attention)?;
    hand_on(gate, &spec.command, place)?;
    (place.watch)(GateNotice::Ended { gate, end: ran.end, took: ran.took });
    Ok(ran)
}

fn hand_on(name: &str, command: &str, place: &GatePlace<'_>) -> Result<(), GateError> {
    let ground = |source| GateError::Ground { name: name.to_owned(), source };
    place.ground.hand_on(command).map_err(ground)
}

fn gate_report(spec: &GateSpec, ran: Ran) -> GateReport {
    GateReport {
        gate: spec.name.clone(),
        end: ran.end,
        took: ran.took,
        tests: ran.tests,
        flaky: false,
        output: ran.output,
        log: ran.log,
        changed: ran.meddling.changed,
    }
}

fn check_report(spec: &CheckSpec, ran: Ran) -> CheckReport {
    CheckReport {
        criterion: spec.criterion,
        command: spec.command.clone(),
        end: ran.end,
        took: ran.took,
        output: ran.output,
        log: ran.log,
        changed: ran.meddling.changed,
    }
}
