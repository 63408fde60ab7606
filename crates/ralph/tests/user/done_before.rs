//! What a run found done is not called its own work, and a branch without that work is named before an agent is.

use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, flowing, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const AGENT: &str = "mkdir -p work && echo \"$TASK final\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// What it says, in one line.
fn ends(run: &TestRun, args: &[&str], code: i32) -> std::io::Result<String> {
    let output = run.ralph(args)?;
    assert_code(&output, code);
    let printed = String::from_utf8_lossy(&output.stdout);
    Ok(flowing(&format!("{printed} {}", said(&output))))
}

/// Two tasks, the first done on a branch of its own.
fn half_done() -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 2, AGENT)?.without_review(Because::ItCountsCalls)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    Ok(run)
}

#[test]
fn a_branch_without_the_work_that_the_plan_calls_done_is_named_with_the_way_out() -> Tested {
    let run = half_done()?;
    run.git(&["switch", "-q", "main"])?;
    let told = ends(&run, &["run", "--fresh", "--branch", "other"], 0)?;
    assert!(
        told.contains("T-1 is done in the plan, but its commit is not on the branch"),
        "{told}"
    );
    assert!(told.contains("ralph task retry T-1"), "{told}");
    assert!(told.contains("1 done - 1 done before"), "{told}");
    let report = ends(&run, &["report"], 0)?;
    assert!(report.contains("2 of 2 done (1 done before this run, not checked again)"), "{report}");
    assert!(run.git(&["ls-tree", "--name-only", "other", "work/"])?.contains("work/T-2"));
    assert_code(&run.ralph(&["task", "retry", "T-1"])?, 0);
    assert_code(&run.ralph(&["run", "--fresh", "--branch", "other"])?, 0);
    assert!(run.git(&["ls-tree", "--name-only", "other", "work/"])?.contains("work/T-1"));
    Ok(())
}

#[test]
fn a_branch_that_was_deleted_is_one_without_the_work() -> Tested {
    let run = half_done()?;
    let branch = run.git(&["branch", "--show-current"])?;
    run.git(&["switch", "-q", "main"])?;
    run.git(&["branch", "-q", "-D", &branch])?;
    run.git(&["reflog", "expire", "--expire=now", "--all"])?;
    run.git(&["gc", "-q", "--prune=now"])?;
    let told = ends(&run, &["run", "--fresh"], 0)?;
    assert!(told.contains("its commit is not on the branch"), "{told}");
    Ok(())
}

#[test]
fn work_that_is_on_the_branch_is_not_warned_about_and_still_not_claimed() -> Tested {
    let run = half_done()?;
    let told = ends(&run, &["run", "--fresh"], 0)?;
    assert!(!told.contains("is not on the branch"), "{told}");
    assert!(told.contains("1 done - 1 done before"), "{told}");
    Ok(())
}

#[test]
fn a_task_that_a_person_wrote_as_done_is_no_work_of_the_run() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?;
    let plan = run.read("work/.ralph/plan.json");
    let (first, rest) = plan.split_once("\"pending\"").ok_or("no status in the plan")?;
    run.write("work/.ralph/plan.json", &format!("{first}\"done\"{rest}"))?;
    let told = ends(&run, &["run"], 0)?;
    assert!(told.contains("1 done - 1 done before"), "{told}");
    Ok(())
}
