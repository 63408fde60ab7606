//! Gates as real commands under the real supervisor.
#![cfg(target_os = "linux")]

use std::{cell::RefCell, error::Error, ffi::OsString, fs, os::fd::BorrowedFd, path::Path};

use ralph_core::{
    effect::{CheckSpec, How, RunGates},
    gates::{
        baseline::{Standing, compare},
        report::{CommandEnd, FailAction, GateKind, GateReport, GateResults, GateSpec, Severity},
    },
    ids::RunId,
    time::Millis,
};
use ralph_engine::{
    gates::{GateNotice, GatePlace, iteration_logs, run_gates},
    process::{Attention, Nobody, Supervisor},
    sandbox::{Enclosure, SandboxRequest},
    sink::RedactedFiles,
};
use ralph_text::redact::Redactor;
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn Error>>;

const SHIM: &str = env!("CARGO_BIN_EXE_fake-agent");

fn gate(slug: &str, command: &str) -> GateSpec {
    GateSpec {
        name: slug.into(),
        slug: slug.into(),
        command: command.into(),
        dir: String::new(),
        kind: GateKind::Custom,
        severity: Severity::Hard,
        fail_action: FailAction::Append,
        hint: String::new(),
        allow_empty: false,
        env: Vec::new(),
        soft_timeout: Millis::default(),
        hard_timeout: Millis::secs(600),
        network: None,
    }
}

fn request(gates: Vec<GateSpec>) -> RunGates {
    RunGates {
        iteration: 7,
        tree: "tree".into(),
        gates,
        checks: Vec::new(),
        flaky_retries: 1,
        before: Vec::new(),
        truncate: 5000,
    }
}

/// A workspace and a run's folder that are gone after the test.
struct Ground {
    folder: TempDir,
    notices: RefCell<Vec<String>>,
}

impl Ground {
    fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("work"))?;
        Ok(Self { folder, notices: RefCell::default() })
    }

    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn run(
        &self,
        request: &RunGates,
        attention: &mut dyn Attention,
    ) -> Result<GateResults, Box<dyn Error>> {
        let watch = |notice: GateNotice<'_>| {
            let word = match notice {
                GateNotice::Started { gate } => format!("started {gate}"),
                GateNotice::Slow { gate, .. } => format!("slow {gate}"),
                GateNotice::RunsAgain { gate, .. } => format!("again {gate}"),
                GateNotice::Ended { gate, .. } => format!("ended {gate}"),
            };
            self.notices.borrow_mut().push(word);
        };
        let env: Vec<(OsString, OsString)> =
            vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
        let (enclosure, sandbox_request) = (Enclosure::none(), SandboxRequest::default());
        let place = GatePlace {
            enclosure: &enclosure,
            ground: &sandbox_request,
            supervisor: &Supervisor { shim: SHIM.into(), ..Supervisor::default() },
            run: &RunId::from("gates-test"),
            workspace: &self.work(),
            run_folder: &self.folder.path().join("run"),
            logs: &iteration_logs(request.iteration),
            env: &env,
            redacted: &RedactedFiles::new(self.folder.path(), Redactor::default()),
            watch: &watch,
        };
        Ok(run_gates(request, &place, attention)?)
    }

    fn log(&self, name: &str) -> Result<String, Box<dyn Error>> {
        let path = self.folder.path().join("run/iterations/0007/gates").join(name);
        Ok(fs::read_to_string(path)?)
    }
}

fn ends(results: &GateResults) -> Vec<CommandEnd> {
    results.gates.iter().map(|report| report.end).collect()
}

#[test]
fn all_gates_and_checks_run_even_after_one_failed() -> Outcome {
    let ground = Ground::new()?;
    let soft = GateSpec { severity: Severity::Soft, ..gate("soft", "exit 3") };
    let mut request = request(vec![soft, gate("signal", "kill -9 $$"), gate("good", "pwd")]);
    let check = |criterion, command: &str| CheckSpec {
        criterion,
        command: command.into(),
        hard_timeout: Millis::secs(600),
    };
    request.checks = vec![check(0, "test -f missing"), check(2, "echo proved")];
    let results = ground.run(&request, &mut Nobody)?;
    assert_eq!(
        ends(&results),
        [
            CommandEnd::Exited { code: 3 },
            CommandEnd::Signalled { signal: 9 },
            CommandEnd::Exited { code: 0 }
        ]
    );
    let work = fs::canonicalize(ground.work())?;
    assert_eq!(Path::new(&results.gates[2].output), work);
    assert_eq!(results.gates[2].log, "iterations/0007/gates/good.log");
    let checks: Vec<_> = results
        .checks
        .iter()
        .map(|c| (c.criterion, c.end.exit_code(), c.output.as_str(), c.log.as_str()))
        .collect();
    assert_eq!(
        checks,
        [
            (0, 1, "", "iterations/0007/gates/check-1.log"),
            (2, 0, "proved", "iterations/0007/gates/check-3.log")
        ]
    );
    Ok(())
}

#[test]
fn both_streams_arrive_in_order_and_the_whole_output_is_in_the_log() -> Outcome {
    let ground = Ground::new()?;
    let command = "i=0; while [ $i -lt 300 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
    let results = ground.run(&request(vec![gate("loud", command)]), &mut Nobody)?;
    let expected: Vec<_> =
        (0..300).flat_map(|n| [format!("out {n}"), format!("err {n}")]).collect();
    assert_eq!(ground.log("loud.log")?.lines().collect::<Vec<_>>(), expected);
    let output = &results.gates[0].output;
    assert!(
        output.starts_with("out 0\nerr 0\n") && output.ends_with("out 299\nerr 299"),
        "{output}"
    );
    assert!(output.contains("[... 500 lines, "), "{output}");
    assert!(output.contains("/iterations/0007/gates/loud.log ...]"));
    Ok(())
}

#[test]
fn a_hard_gate_that_passes_when_run_again_is_flaky_and_keeps_both_logs() -> Outcome {
    let ground = Ground::new()?;
    let command = "if [ -f seen ]; then echo fine; else touch seen; echo broken; exit 1; fi";
    let results = ground.run(&request(vec![gate("flaky", command)]), &mut Nobody)?;
    let report = &results.gates[0];
    assert!(report.flaky && report.end.succeeded());
    assert_eq!(report.log, "iterations/0007/gates/flaky.retry1.log");
    assert_eq!(
        (ground.log("flaky.log")?, ground.log("flaky.retry1.log")?),
        ("broken\n".into(), "fine\n".into())
    );
    assert_eq!(*ground.notices.borrow(), ["started flaky", "again flaky", "ended flaky"]);
    Ok(())
}

#[test]
fn a_gate_that_keeps_failing_runs_as_often_as_asked_and_a_soft_one_once() -> Outcome {
    let ground = Ground::new()?;
    let soft = GateSpec { severity: Severity::Soft, ..gate("soft", "echo x >> soft-runs; exit 1") };
    let mut request = request(vec![gate("hard", "echo x >> runs; exit 1"), soft]);
    request.flaky_retries = 2;
    let results = ground.run(&request, &mut Nobody)?;
    assert!(results.gates.iter().all(|report| !report.flaky && !report.end.succeeded()));
    assert_eq!(fs::read_to_string(ground.work().join("runs"))?, "x\nx\nx\n");
    assert_eq!(fs::read_to_string(ground.work().join("soft-runs"))?, "x\n");
    Ok(())
}

#[test]
fn time_limits_warn_first_and_then_end_the_gate() -> Outcome {
    let ground = Ground::new()?;
    let slow = GateSpec {
        soft_timeout: Millis(50),
        hard_timeout: Millis(400),
        ..gate("slow", "echo begun; sleep 600")
    };
    let mut request = request(vec![slow, gate("after", "true")]);
    request.flaky_retries = 0;
    let results = ground.run(&request, &mut Nobody)?;
    assert_eq!(ends(&results), [CommandEnd::TimedOut, CommandEnd::Exited { code: 0 }]);
    let expected = ["started slow", "slow slow", "ended slow", "started after", "ended after"];
    assert_eq!(*ground.notices.borrow(), expected);
    Ok(())
}

/// Asks for an end once the gate has begun.
struct AskOnceBegun(std::path::PathBuf);

impl Attention for AskOnceBegun {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>> {
        Ok(self.0.exists().then_some(How::Kill))
    }
}

#[test]
fn an_interruption_leaves_the_rest_unrun() -> Outcome {
    let ground = Ground::new()?;
    let gates = vec![
        gate("first", "true"),
        gate("long", "touch begun; sleep 600"),
        gate("never", "touch never"),
    ];
    let mut request = request(gates);
    request.checks = vec![CheckSpec {
        criterion: 0,
        command: "touch never".into(),
        hard_timeout: Millis::secs(600),
    }];
    let results = ground.run(&request, &mut AskOnceBegun(ground.work().join("begun")))?;
    assert_eq!(
        ends(&results),
        [CommandEnd::Exited { code: 0 }, CommandEnd::Interrupted, CommandEnd::Interrupted]
    );
    assert_eq!(results.checks[0].end, CommandEnd::Interrupted);
    assert!(!ground.work().join("never").exists());
    Ok(())
}

#[test]
fn a_gate_sees_the_given_environment_its_own_and_nothing_else() -> Outcome {
    let ground = Ground::new()?;
    let own = GateSpec {
        env: vec![("COLOUR".into(), "blue".into())],
        ..gate("env", "echo \"$COLOUR ${HOME-none} $RALPH_RUN_ID\"")
    };
    let results = ground.run(&request(vec![own]), &mut Nobody)?;
    assert_eq!(results.gates[0].output, "blue none gates-test");
    Ok(())
}

#[test]
fn a_runner_behind_another_command_is_read_from_its_output() -> Outcome {
    let ground = Ground::new()?;
    let script = "printf 'running 0 tests\\n\\ntest result: ok. 0 passed; 0 failed; 0 ignored\\n'";
    fs::write(ground.work().join("check.sh"), script)?;
    let spec = GateSpec { kind: GateKind::Test, ..gate("tests", "sh check.sh") };
    let results = ground.run(&request(vec![spec.clone()]), &mut Nobody)?;
    let report: &GateReport = &results.gates[0];
    assert_eq!(report.tests.ran, Some(0));
    assert_eq!(compare(report, &spec, None), Standing::NoTests);
    Ok(())
}

#[test]
fn a_workspace_that_is_not_there_is_an_error_of_ralph() -> Outcome {
    let ground = Ground::new()?;
    fs::remove_dir(ground.work())?;
    let result = ground.run(&request(vec![gate("any", "true")]), &mut Nobody);
    assert!(result.is_err_and(|error| error.to_string().starts_with("cannot start `any`")));
    Ok(())
}
