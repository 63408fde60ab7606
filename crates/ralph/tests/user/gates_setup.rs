//! What installs the packages of gates, in their room: when it runs, and what follows where it fails.
use std::{error::Error, io};

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// A boxed project of one task; its agent changes `file` too, and keeps each prompt.
fn project(setup: &str, file: &str, gate: &str) -> io::Result<TestRun> {
    let agent = format!("mkdir -p work; touch work/$TASK; echo new >> {file}");
    let run = TestRun::new(RALPH, 1, &agent)?;
    run.write(&format!("work/{file}"), "old\n")?;
    run.write("work/.gitignore", "/installed\n")?;
    run.write("work/gate.sh", &format!("#!/bin/sh\n{gate}\n"))?;
    run.set(&format!(
        "[gates]\nsetup = {setup:?}\n[limits]\nmax_attempts = 2\n[review]\nmode = \"off\""
    ))?;
    run.amend()?;
    let state = run.path("state").display().to_string();
    Ok(run.with_env("RALPH_SANDBOX_WRITABLE", state))
}

#[test]
fn a_command_of_the_users_own_runs_again_when_a_manifest_changes() -> Tested {
    let gate = "cmp installed requirements.txt";
    let run = project("cp requirements.txt installed", "requirements.txt", gate)?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!run.path("work/installed").exists(), "what was installed is in the room only");
    Ok(())
}

#[test]
fn what_a_failed_setup_said_reaches_people_and_the_agent() -> Tested {
    let setup = "grep -q new requirements.txt && { echo E404 left-pad; exit 7; }; true";
    let run = project(setup, "requirements.txt", "true")?;
    let output = run.ralph(&["run"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("E404 left-pad"), "{}", said(&output));
    assert!(run.read("state/prompt.2").contains("E404 left-pad"), "{}", run.read("state/prompt.2"));
    Ok(())
}

#[test]
fn gates_do_not_judge_with_other_packages_than_the_lock_file_asks_for() -> Tested {
    // What is suggested for it cannot work here.
    let run = project("", "go.sum", "true")?;
    let output = run.ralph(&["run"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("go mod download"), "{}", said(&output));
    Ok(())
}

#[test]
fn what_gates_left_behind_gives_way_to_what_the_user_changed_since() -> Tested {
    let gate = "mkdir -p deps; [ -f deps/gen ] || echo good > deps/gen; grep -q good deps/gen";
    let run = project("", "notes.txt", gate)?;
    run.write("work/.gitignore", "deps/\n")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    run.git(&["switch", "-q", "main"])?;
    run.git(&["merge", "-q", "--ff-only", "ralph/scratch"])?;
    run.write("work/deps/gen", "bad\n")?;
    let next = run.read("work/.ralph/plan.json").replace("\"done\"", "\"pending\"");
    run.write("work/.ralph/plan.json", &next)?;
    let output = run.ralph(&["run", "--fresh"])?;
    assert_ne!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("before the run: tests red"), "{}", said(&output));
    Ok(())
}
