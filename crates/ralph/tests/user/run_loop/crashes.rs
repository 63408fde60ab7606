//! Agents that crash: on one task, on every task.

use super::{HONEST, RALPH, Tested};
use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said},
};

#[test]
fn a_task_that_crashes_the_agent_is_parked_and_the_others_are_done() -> Tested {
    let body = format!("[ \"$TASK\" != T-2 ] || [ -e \"$STATE/mended\" ] || exit 1\n{HONEST}");
    let run = TestRun::new(RALPH, 3, &body)?.without_review(Because::ItCountsCalls)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["done", "parked", "done"]);
    assert_eq!(run.calls(), 6, "three retries of T-2, not charged");
    let told = said(&output);
    for words in ["4 calls in a row failed", "crashed: exit 1", "ralph task retry T-2"] {
        assert!(told.contains(words), "{words} is missing: {told}");
    }
    assert!(!told.contains("approve T-2"), "there is nothing to approve: {told}");
    for (command, shown) in [
        (&["status"][..], "parked"),
        (&["status"], "ralph task retry T-2"),
        (&["task", "show", "T-2"], "ralph task retry T-2"),
        (&["report"], "ralph task retry T-2"),
    ] {
        let output = run.ralph(command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(shown), "{command:?}: {text}");
    }
    run.write("state/mended", "")?;
    assert_code(&run.ralph(&["task", "retry", "T-2"])?, 0);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    Ok(())
}

#[test]
fn an_agent_that_always_crashes_ends_the_run_soon() -> Tested {
    for (tasks, calls, statuses) in
        [(1, 2, &["in_progress"][..]), (3, 4, &["parked", "in_progress", "pending"])]
    {
        let run = TestRun::new(RALPH, tasks, "exit 9")?;
        run.set("[limits]\nmax_retries = 1")?;
        run.amend()?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 4);
        assert_eq!(
            (run.calls(), run.statuses()),
            (calls, statuses.iter().map(|&s| s.into()).collect())
        );
        assert!(said(&output).contains("ralph resume"), "{}", said(&output));
    }
    Ok(())
}
