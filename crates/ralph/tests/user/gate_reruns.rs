//! When a red gate is run a second time, and what a time limit is called.
use std::error::Error;

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// A gate that notes each of its runs, then does this.
fn project(then: &str) -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; touch work/$TASK")?;
    let runs = run.path("state/gate-runs");
    let gate = format!("#!/bin/sh\necho run >> {}\n{then}\n", runs.display());
    run.program("work/gate.sh", &gate)?;
    run.set("[limits]\nmax_attempts = 1")?;
    run.amend()?;
    Ok(run)
}

fn gate_runs(run: &TestRun) -> usize {
    run.read("state/gate-runs").lines().count()
}

/// What `cargo test` prints where these tests fail.
fn failing(names: &str) -> String {
    let number = names.split_whitespace().count();
    format!(
        "n={number}; echo \"running $n tests\"; echo; echo failures:; for t in {names}; do echo \"    $t\"; done; echo; \
         echo \"test result: FAILED. 0 passed; $n failed; 0 ignored\"; exit 101"
    )
}

#[test]
fn failures_that_were_there_before_are_not_asked_again() -> Tested {
    let run = project(&failing("old::one old::two"))?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(gate_runs(&run), 2, "before the run, and after the work: {}", said(&output));
    assert!(!said(&output).contains("retrying"), "{}", said(&output));
    Ok(())
}

#[test]
fn a_new_failure_is_asked_again() -> Tested {
    let new = failing("old::one new::two");
    let then = format!("if test -f work/T-1; then {new}; else {}; fi", failing("old::one"));
    let run = project(&then)?;
    let output = run.ralph(&["run"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(gate_runs(&run), 3, "{}", said(&output));
    assert!(said(&output).contains("new::two"), "{}", said(&output));
    Ok(())
}

#[test]
fn a_gate_at_its_time_limit_names_the_setting_and_is_not_asked_again() -> Tested {
    let run = project("test -f work/T-1 || exit 0; sleep 60")?;
    run.set("[timeouts]\ngate = { soft = \"1s\", hard = \"2s\" }")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(gate_runs(&run), 2, "{}", said(&output));
    assert!(said(&output).contains("timed out at timeouts.gate"), "{}", said(&output));
    Ok(())
}
