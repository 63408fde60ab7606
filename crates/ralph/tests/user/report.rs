//! What a run leaves to read, end to end: the report, the state file, and `ralph status` after an undo.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Output},
};

use serde_json::Value;
use testkit::{
    test_run::TestRun,
    told::{assert_code, said, until},
};

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

#[test]
fn a_report_goes_into_a_file_that_only_its_owner_can_read() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    run.git(&["remote", "add", "origin", "https://github.com/ann/slug.git"])?;
    assert_eq!(run.ralph(&["run"])?.status.code(), Some(0));
    let file = run.path("out.html");
    fs::write(&file, "what was there before")?;
    let out = file.to_string_lossy().into_owned();
    let written = run.ralph(&["report", "--format", "html", "--out", &out])?;
    assert_eq!(written.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&written.stderr).contains(&format!("wrote {out}")));
    assert_eq!(printed(&written), "");
    assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    let page = fs::read_to_string(&file)?;
    assert_eq!(page, fs::read_to_string(run.only_run()?.join("report.html"))?, "the run wrote it");
    assert!(page.contains("1 file changed, +1 −0") && page.contains("work/T-1"), "{page}");
    let commit = run.git(&["rev-parse", "ralph/scratch"])?;
    assert!(page.contains(&format!("href=\"https://github.com/ann/slug/commit/{commit}\"")));
    let json = run.ralph(&["report", "--json"])?;
    let json: Value = serde_json::from_str(&printed(&json))?;
    let file = serde_json::json!({"path": "work/T-1", "added": 1, "removed": 0});
    assert_eq!(json["diffstat"]["largest"], serde_json::json!([file]));
    let nowhere = run.ralph(&["report", "--out", "/nonexistent/report.md"])?;
    assert_eq!(nowhere.status.code(), Some(5), "{}", String::from_utf8_lossy(&nowhere.stderr));
    Ok(())
}

#[test]
fn a_live_report_is_there_during_the_run_and_final_after_it() -> Tested {
    let held = "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n\
                mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
    let run = TestRun::new(RALPH, 1, held)?;
    run.set("[report]\nlive = \"1s\"")?;
    run.amend()?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    let page = || fs::read_to_string(run.only_run()?.join("report.html"));
    let is_live = |page: &str| page.contains("http-equiv=\"refresh\" content=\"1\"");
    until("the page is there", || page().is_ok_and(|page| is_live(&page)))?;
    let first = page()?;
    assert!(first.contains("As of") && first.contains("still running"), "{first}");
    until("it is written again", || page().is_ok_and(|page| page != first))?;
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    let last = page()?;
    assert!(!last.contains("http-equiv=\"refresh\"") && last.contains("1 file changed"), "{last}");
    let mode = fs::metadata(run.only_run()?.join("report.html"))?.permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    Ok(())
}

/// Its handoff reports a constraint, in words that try to be more than a line.
const CONSTRAINED: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"\nhandoff \
                           '{\"constraints_discovered\":[{\"constraint\":\"use bun,\\n# not npm\"}]}'";

#[test]
fn lasting_rules_are_proposed_for_the_file_that_is_there_and_written_by_the_user_only() -> Tested {
    let run = TestRun::new(RALPH, 1, CONSTRAINED)?;
    run.write("work/CLAUDE.md", "# Mine\n")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert!(
        said(&output).contains("1 lasting rule for CLAUDE.md: ralph report --rules"),
        "{}",
        said(&output)
    );
    let report = fs::read_to_string(run.only_run()?.join("report.md"))?;
    assert!(report.contains("## Lasting rules for CLAUDE.md"), "{report}");
    let shown = run.ralph(&["report", "--rules"])?;
    assert_code(&shown, 0);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("- use bun, # not npm"));
    assert_eq!(run.read("work/CLAUDE.md"), "# Mine\n", "without a terminal nothing is written");
    assert_code(&run.ralph(&["report", "--rules", "--yes"])?, 0);
    let written = "# Mine\n\n## Rules from ralph's runs\n\n- use bun, # not npm\n";
    assert_eq!(run.read("work/CLAUDE.md"), written);
    let again = run.ralph(&["report", "--rules", "--yes"])?;
    assert!(said(&again).contains("no lasting rules that are not there yet"), "{}", said(&again));
    assert_eq!(run.read("work/CLAUDE.md"), written);
    Ok(())
}

#[test]
fn a_project_without_a_file_for_rules_gets_one_only_when_the_user_names_it() -> Tested {
    let run = TestRun::new(RALPH, 1, CONSTRAINED)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert!(!said(&output).contains("lasting rule"), "{}", said(&output));
    let refused = run.ralph(&["report", "--rules", "--yes"])?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("ralph report --rules=AGENTS.md"), "{}", said(&refused));
    assert!(!run.path("work/AGENTS.md").exists());
    assert_code(&run.ralph(&["report", "--rules=AGENTS.md", "--yes"])?, 0);
    assert!(run.read("work/AGENTS.md").contains("- use bun, # not npm"));
    Ok(())
}
