//! Where information is missing, a stuck task is shown files that are there.

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

#[test]
fn a_stuck_task_is_shown_the_files_that_a_missing_name_leads_to()
-> Result<(), Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; echo \"$N\" > \"work/$TASK\"")?;
    run.write("work/src/util.py", "def f(): pass\n")?;
    let gate = "#!/bin/sh\nls work >/dev/null 2>&1 || exit 0\n\
                echo \"ModuleNotFoundError: No module named 'utl'\"; exit 1\n";
    run.program("work/gate.sh", gate)?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    let prompts: Vec<String> = (1..=run.calls()).map(|n| run.prompt(n)).collect();
    let shown = prompts.iter().find_map(|prompt| prompt.split_once("## Files to look at"));
    let (_, files) = shown.unwrap_or_else(|| panic!("{}", said(&output)));
    let files = files.split("\n## ").next().unwrap_or_default();
    assert!(files.contains("`src/util.py`") && !files.contains("`utl`"), "{files}");
    Ok(())
}
