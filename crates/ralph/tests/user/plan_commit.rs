//! `git.commit_plan`: the plan is committed where its run ended, alone, and nothing of a person's goes with it.

use testkit::{
    test_run::{Because, TestRun},
    told::assert_code,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const AGENT: &str = "mkdir -p work && echo \"$TASK final\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Two tasks whose plan git tracks.
fn project() -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 2, AGENT)?.without_review(Because::ItCountsCalls)?;
    run.set("[git]\ncommit_plan = true\n")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn a_run_and_its_resumption_each_end_with_a_commit_of_the_plan_alone() -> Tested {
    let run = project()?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    assert_code(&run.ralph(&["resume", "-n", "5"])?, 0);
    let subjects = run.git(&["log", "--format=%s", "--reverse", "main.."])?;
    let subjects: Vec<&str> = subjects.lines().collect();
    assert!(
        matches!(subjects[..], [_, first, _, second]
        if first.starts_with("ralph: plan after run") && second == first),
        "{subjects:?}"
    );
    assert_eq!(run.git(&["show", "--format=", "--name-only", "HEAD"])?, ".ralph/plan.json");
    assert_eq!(run.git(&["status", "--short", ".ralph/plan.json"])?, "");
    assert!(run.git(&["show", "HEAD"])?.contains("2 of 2 tasks done"));
    Ok(())
}

#[test]
fn what_is_staged_stays_staged_and_a_refused_run_commits_nothing() -> Tested {
    let run = project()?;
    run.write("work/mine.txt", "mine\n")?;
    run.git(&["add", "mine.txt"])?;
    run.write("work/.ralph/prd.md", "# mine\n")?;
    let before = run.git(&["rev-parse", "HEAD"])?;
    assert_code(&run.ralph(&["run"])?, 5);
    assert_eq!(run.git(&["rev-parse", "HEAD"])?, before);
    assert_code(&run.ralph(&["run", "--stash"])?, 0);
    assert_eq!(run.git(&["diff", "--cached", "--name-only"])?, "mine.txt");
    let files = run.git(&["show", "--format=", "--name-only", "HEAD"])?;
    assert_eq!(files, ".ralph/plan.json\n.ralph/prd.md");
    Ok(())
}

#[test]
fn without_the_setting_no_plan_is_committed() -> Tested {
    let run = TestRun::new(RALPH, 1, AGENT)?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.git(&["rev-list", "--count", "main.."])?, "1");
    Ok(())
}
