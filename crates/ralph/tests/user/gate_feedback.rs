//! What a gate's output becomes: what the agent reads of it, and what it says about tests.
use std::error::Error;

use testkit::{
    test_run::{Because, TestRun},
    told::said,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// A gate that is green before the work, and after it does this.
fn project(then: &str) -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; touch work/$TASK; echo again >> work/$TASK")?;
    run.program("work/gate.sh", &format!("#!/bin/sh\ntest -f work/T-1 || exit 0\n{then}\n"))?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn of_a_long_output_the_agent_reads_what_failed() -> Tested {
    let count = "n=0; while [ $n -lt 3000 ]; do n=$((n+1)); echo \"ok $n - passes\"; done";
    let failure = "echo 'not ok 3001 - adds'; echo '  expected: 3'; echo '  actual: 2'";
    let run = project(&format!("{count}\n{failure}\n{count}\nexit 1"))?;
    let output = run.ralph(&["run"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    let prompt = run.read("state/prompt.2");
    assert!(prompt.contains("not ok 3001 - adds\n  expected: 3\n  actual: 2\n"), "{prompt}");
    Ok(())
}

#[test]
fn pytest_is_asked_for_names_whatever_the_project_asks_for() -> Tested {
    let run = project("echo \"asked for [$PYTEST_ADDOPTS]\"; exit 1")?;
    // The sandbox does not let variables of the user's own through.
    let run = run.with_env("PYTEST_ADDOPTS", "-rxXs").without_sandbox(Because::ItIsAboutThat);
    run.ralph(&["run"])?;
    let prompt = run.read("state/prompt.2");
    assert!(prompt.contains("asked for [-rxXs -rfE]"), "{prompt}");
    Ok(())
}

#[test]
fn no_runner_passes_without_a_test() -> Tested {
    let silent = [
        "0 examples, 0 failures",
        "No tests executed!",
        "[INFO] No tests to run.",
        "> Task :test NO-SOURCE",
        "No test is available in a.dll.",
        "ok | 0 passed | 0 failed (3ms)",
        "1..0",
    ];
    for words in silent {
        let run = project(&format!("echo '{words}'"))?;
        let output = run.ralph(&["run"])?;
        assert_ne!(output.status.code(), Some(0), "{words}: {}", said(&output));
        assert!(said(&output).contains("ran no test"), "{words}: {}", said(&output));
    }
    Ok(())
}
