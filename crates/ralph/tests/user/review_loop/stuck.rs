//! Work that makes no progress: another strategy, an end with a diagnosis, and a run that goes on or stops.

use testkit::test_run::TestRun;

use super::{HONEST, RALPH, Tested, assert_code, edit_plan, files, said};

/// The first task fails in the same way whatever is said; the others are done.
const HAMMERS: &str = r#"
[ -e "work/$TASK" ] && touch "$STATE/had.$N"
mkdir -p work; echo "try $N" > "work/$TASK"
if [ "$TASK" = T-1 ]; then touch src/BROKEN
  handoff '{"task_completed":{"task_id":"T-1","summary":"tried the hammer","fully_complete":true}}'; fi"#;

#[test]
fn a_stuck_task_is_shifted_then_given_up_and_the_run_goes_on() -> Tested {
    let run = TestRun::new(RALPH, 3, HAMMERS)?;
    edit_plan(&run, |plan| plan["tasks"][2]["depends_on"] = serde_json::json!(["T-1"]))?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["failed", "done", "pending"], "{}", said(&output));
    let tried: Vec<_> = run.kinds().into_iter().filter(|kind| kind == "implement T-1").collect();
    assert_eq!(tried.len(), 5, "{:?}", run.kinds());
    let shifted = |nth: usize| run.prompt(nth).contains("## Another approach is needed");
    assert_eq!([1, 2, 3, 4, 5].map(shifted), [false, false, false, true, true]);
    assert!(run.prompt(4).contains("tried the hammer"), "{}", run.prompt(4));
    let had = |nth: usize| run.path(&format!("state/had.{nth}")).exists();
    assert_eq!([2, 3, 4].map(had), [true, true, false], "a shift starts from the checkpoint");
    let branch = run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wip"])?;
    assert!(branch.starts_with("wip/ralph-fail-T-1-") && branch.lines().count() == 1, "{branch}");
    let diagnosis = run.git(&["log", "-1", "--format=%B", &branch])?;
    assert!(diagnosis.contains("same failure"), "{diagnosis}");
    assert!(diagnosis.contains("Attempts: 5\n"), "{diagnosis}");
    assert_eq!(files(&run, &branch)?, ["work/T-1"]);
    assert_eq!(files(&run, "ralph/scratch")?, ["work/T-2"]);
    assert!(
        said(&output).contains("1 failed") && said(&output).contains("1 blocked"),
        "{}",
        said(&output)
    );
    Ok(())
}

#[test]
fn an_agent_that_changes_nothing_gets_one_shift() -> Tested {
    let run = TestRun::new(
        RALPH,
        1,
        "handoff '{\"task_completed\":{\"summary\":\"all done\",\"fully_complete\":true}}'",
    )?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.calls(), 3, "{}", said(&output));
    assert!(run.prompt(3).contains("## Another approach is needed"), "{}", run.prompt(3));
    assert_eq!(run.statuses(), ["failed"]);
    Ok(())
}

#[test]
fn a_failure_that_follows_to_the_next_task_stops_the_run() -> Tested {
    let run = TestRun::new(RALPH, 3, &format!("{HONEST}; touch src/BROKEN"))?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.kinds(), ["implement T-1", "implement T-1", "implement T-2"]);
    assert!(said(&output).contains("probably not the cause"), "{}", said(&output));
    let statuses = run.statuses();
    assert_eq!((statuses[0].as_str(), statuses[2].as_str()), ("failed", "pending"), "{statuses:?}");
    Ok(())
}

#[test]
fn findings_that_stay_the_same_end_in_a_failure_branch() -> Tested {
    let agent = "mkdir -p work; echo \"try $N\" > \"work/$TASK\"";
    let run = TestRun::reviewed(RALPH, 1, agent, "refuse 'work/T-1 lacks a heading'")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["failed"], "{}", said(&output));
    let shifts: Vec<_> = run.events("escalated")?;
    assert_eq!(shifts.len(), 3, "{shifts:?}");
    let branch = run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wip"])?;
    let diagnosis = run.git(&["log", "-1", "--format=%B", &branch])?;
    assert!(diagnosis.contains("same review findings"), "{diagnosis}");
    assert!(diagnosis.contains("lacks a heading"), "{diagnosis}");
    assert_eq!(run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "0");
    Ok(())
}
