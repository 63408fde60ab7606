//! What a run leaves to read, end to end: the report, the state file, and `ralph status` after an undo.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;
use testkit::{test_run::TestRun, told::until};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_failing_run_leaves_a_report_and_a_state_file() -> Tested {
    let run = TestRun::new(RALPH, 1, "touch src/BROKEN; echo '<promise>COMPLETE</promise>'")?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(3));
    let folder = run.only_run()?;
    let named = String::from_utf8_lossy(&output.stderr).contains("/report.md");
    assert!(named, "the last lines name the report");
    let report = fs::read_to_string(folder.join("report.md"))?;
    for part in [
        "(exit 3)",
        "0 of 1 done, 1 failed",
        "- Attempts: 2/2\n- Last gate: `tests`\n- Branch: `wip/ralph-fail-T-1-",
        "- Stuck: no",
        "FAILED src/BROKEN exists",
        "`ralph task retry T-1`",
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    assert_eq!(json["version"], 1);
    assert_eq!((&json["counts"]["failed"], &json["rejected"]), (&1.into(), &2.into()));
    assert_eq!(printed(&run.ralph(&["report"])?), report, "the journal tells the same");
    let again: Value = serde_json::from_str(&printed(&run.ralph(&["report", "--json"])?))?;
    assert_eq!(again, json);
    let state = fs::read_to_string(folder.join("tasks/T-1.state.md"))?;
    for part in [
        "---\ntask_id: T-1\niteration: 2\nmax_iterations: 2\nlast_gate: tests\nexit_code: 1\n",
        "  - src/BROKEN\n",
        "FAILED src/BROKEN exists",
        "| 1 | `tests` |",
        "| 2 | `tests` |",
    ] {
        assert!(state.contains(part), "{part} in {state}");
    }
    Ok(())
}

#[test]
fn a_run_can_be_reported_while_it_goes_on_and_after_a_signal() -> Tested {
    let run = TestRun::new(RALPH, 1, "touch \"$STATE/in.$N\"\nsleep 300")?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    let running = run.ralph(&["report"])?;
    assert_eq!(running.status.code(), Some(0));
    assert!(printed(&running).contains("**not ended**"), "{}", printed(&running));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(killed.success());
    assert_eq!(child.wait()?.code(), Some(130), "{}", run.read("ralph.log"));
    let folder = run.only_run()?;
    let report = fs::read_to_string(folder.join("report.md"))?;
    assert!(report.contains("ended by signal 2") && report.contains("(exit 130)"), "{report}");
    let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    assert_eq!(json["ended"]["outcome"], "interrupted");
    assert_eq!(json["tasks"][0]["status"], "in_progress");
    Ok(())
}

#[test]
fn status_after_an_undo_says_what_holds() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    assert_eq!(run.ralph(&["run"])?.status.code(), Some(0));
    let done = printed(&run.ralph(&["status"])?);
    assert!(done.contains("1 of 1 done"), "{done}");
    let undone = run.ralph(&["undo", "1", "--yes"])?;
    let said = String::from_utf8_lossy(&undone.stderr).into_owned();
    assert!(said.contains("; 1 task is pending again"), "{said}");
    let status = printed(&run.ralph(&["status"])?);
    assert!(status.contains("0 of 1 done") && status.contains("next: ralph run"), "{status}");
    Ok(())
}
