//! One number has one value: what the console, `status`, `report`, `task show`, `--json` and `session.log` say about a run
//! with a rejected attempt, a question and its answer, a skipped task and two resumes.

use std::fs;

use serde_json::Value;
use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

/// The first task is rejected once, the second one asks once.
const AGENT: &str = r#"mkdir -p work tests
case $TASK in
T-1) if grep -q 'FAILED src/BROKEN' "$PROMPT"; then rm -f src/BROKEN; else touch src/BROKEN; fi; echo 1 > tests/test_a.py ;;
T-2) grep -q 'use blue' "$PROMPT" || handoff '{"question":"Which colour?"}'; echo 2 > tests/test_a.py ;;
esac
echo x > "work/$TASK""#;

fn printed(run: &TestRun, args: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    let output = run.ralph(args)?;
    assert_code(&output, 0);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn json(run: &TestRun, args: &[&str]) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&printed(run, args)?)?)
}

/// The value of a line `Name: value` of the session log's last summary.
fn logged<'a>(log: &'a str, name: &str) -> &'a str {
    let line = log.lines().rev().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_default()
}

#[test]
fn every_face_gives_the_same_numbers_for_one_run() -> Tested {
    let run = TestRun::new(RALPH, 4, AGENT)?
        .without_review(Because::ItCountsCalls)?
        .with_env("LANG", "C.UTF-8");
    let first = run.ralph(&["run", "-n", "2"])?;
    assert_code(&first, 1);
    assert!(
        said(&first).contains("✓ T-1 make work/T-1             2 attempts"),
        "{}",
        said(&first)
    );
    printed(&run, &["task", "skip", "T-4"])?;
    let second = run.ralph(&["resume", "-n", "9"])?;
    assert_code(&second, 3);
    let told = said(&second);
    assert!(told.contains("1/4 done, 1 skipped") && told.contains("2/4 done, 1 skipped"), "{told}");
    assert!(!told.contains("3/4"), "{told}");
    printed(&run, &["task", "answer", "T-2", "use blue"])?;
    let last = run.ralph(&["resume"])?;
    assert_code(&last, 0);
    let console = said(&last);
    let log = fs::read_to_string(run.only_run()?.join("session.log"))?;
    let (status, report) = (json(&run, &["status", "--json"])?, json(&run, &["report", "--json"])?);
    let (text, page) = (printed(&run, &["status"])?, printed(&run, &["report"])?);

    for (task, attempts) in [("T-1", 2), ("T-2", 1), ("T-3", 1), ("T-4", 0)] {
        let of = |all: &Value| {
            let tasks = all["tasks"].as_array().cloned().unwrap_or_default();
            tasks.into_iter().find(|one| one["id"] == task).unwrap_or_default()
        };
        let shown = json(&run, &["task", "show", task, "--json"])?;
        for (face, value) in [
            ("status", &of(&status)["attempts"]),
            ("status, old name", &of(&status)["tries"]),
            ("report", &of(&report)["attempts"]),
            ("task show", &shown["attempts"]),
        ] {
            assert_eq!(value, attempts, "{task} in {face}");
        }
        let rejected = i32::from(task == "T-1");
        assert_eq!(shown["rejected"], rejected, "{task}");
        assert_eq!(of(&report)["rejected"], rejected, "{task}");
        if attempts > 0 {
            let words = if attempts == 1 { "1 attempt" } else { "2 attempts" };
            let line = text.lines().find(|line| line.contains(&format!("make work/{task}")));
            assert!(line.is_some_and(|line| line.contains(words)), "{task}: {text}");
            assert!(printed(&run, &["task", "show", task])?.contains(words), "{task}");
            assert!(
                page.contains(&format!(
                    "| {task}: make work/{task} | done, verified | {attempts} |"
                )),
                "{page}"
            );
        }
    }
    assert!(console.contains("✓ T-2 make work/T-2             1 attempt "), "{console}");

    assert_eq!((&status["counts"]["done"], &status["counts"]["skipped"]), (&3.into(), &1.into()));
    assert_eq!((&report["counts"]["done"], &report["counts"]["skipped"]), (&3.into(), &1.into()));
    assert!(console.contains("3 done · 1 skipped"), "{console}");
    assert!(text.contains("3 of 4 done · 1 skipped"), "{text}");
    assert!(page.contains("3 of 4 done, 1 skipped"), "{page}");

    assert_eq!((&status["run"]["iterations"], &report["iterations"]), (&5.into(), &5.into()));
    assert_eq!((&status["run"]["rejected"], &report["rejected"]), (&1.into(), &1.into()));
    assert!(console.contains("5 iterations, 1 rejected"), "{console}");
    assert_eq!(logged(&log, "Total Iterations"), "5");
    let results = ["Successful", "Failed", "Retried"].map(|name| logged(&log, name));
    assert_eq!(results, ["3", "1", "0"], "what earlier parts of the run did counts");

    assert_eq!(status["run"]["took_ms"], report["times"]["total"], "without the time between");
    let took = logged(&log, "Total Duration");
    assert!(
        console.contains(&format!("time {took}")) && page.contains(&format!("time {took}")),
        "{console}"
    );

    // Two tasks changed the same test.
    assert!(console.contains("1 changed file can run on your machine"), "{console}");
    assert!(page.contains("Look at this file"), "{page}");
    Ok(())
}

#[test]
fn a_cost_that_nobody_reported_is_not_zero() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; echo x > work/T-1")?;
    let output = run.ralph(&["run", "--json"])?;
    assert_code(&output, 0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let event: Value = serde_json::from_str(line)?;
        assert!(event.get("cost_usd").is_none_or(Value::is_null), "{line}");
    }
    let report = json(&run, &["report", "--json"])?;
    for cost in [
        &json(&run, &["status", "--json"])?["run"]["cost_usd_micros"],
        &json(&run, &["task", "show", "T-1", "--json"])?["cost_usd_micros"],
        &report["cost"]["total_usd_micros"],
        &report["usage"]["cost"],
        &report["tasks"][0]["usage"]["cost"],
    ] {
        assert!(cost.is_null(), "{cost} in {report}");
    }
    let log = fs::read_to_string(run.only_run()?.join("session.log"))?;
    let shown = printed(&run, &["task", "show", "T-1"])?;
    for text in [&log, &shown, &printed(&run, &["report"])?] {
        assert!(text.contains("not reported") && !text.contains("$0.00"), "{text}");
    }
    Ok(())
}

#[test]
fn a_limit_of_money_that_cannot_hold_is_said_once() -> Tested {
    let run = TestRun::new(RALPH, 2, "mkdir -p work; echo x > \"work/$TASK\"")?;
    let output = run.ralph(&["run", "--max-cost", "7"])?;
    assert_code(&output, 0);
    let told = said(&output);
    let words = "the agent reports no cost, so its limit cannot hold; limits.max_duration can";
    assert_eq!(told.matches(words).count(), 1, "{told}");
    Ok(())
}

#[test]
fn a_task_that_was_given_up_failed_as_often_as_every_face_says() -> Tested {
    let run =
        TestRun::new(RALPH, 1, "echo $N > work; touch src/BROKEN")?.with_env("LANG", "C.UTF-8");
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    let told = said(&output);
    assert!(told.contains("attempt 5/5 · tests failed, the same failure 5 times"), "{told}");
    let stuck = "stuck: same failure 5 times, no progress";
    assert!(told.contains(&format!("✗ T-1 failed: {stuck}")), "{told}");
    for args in [&["status"][..], &["task", "show", "T-1"], &["report"]] {
        let text = printed(&run, args)?;
        assert!(text.contains(stuck) && !text.contains("4 times"), "{args:?}: {text}");
    }
    Ok(())
}

#[test]
fn an_undo_says_how_much_it_took_back() -> Tested {
    let run = TestRun::new(RALPH, 2, "mkdir -p work; echo x > work/$TASK")?;
    assert_code(&run.ralph(&["run"])?, 0);
    for (from, much) in [("2", "some"), ("1", "all")] {
        assert_code(&run.ralph(&["undo", from, "--yes"])?, 0);
        let text = printed(&run, &["status"])?;
        assert!(text.contains(&format!("ralph undo took back {much} of its work")), "{text}");
    }
    Ok(())
}

#[test]
fn an_attempt_whose_number_came_twice_is_found_by_its_iteration() -> Tested {
    let run = TestRun::new(RALPH, 1, "echo call $N; echo $N > work; touch src/BROKEN")?;
    run.set("[limits]\nmax_attempts = 1")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert!(
        said(&output).contains("log: ralph logs --iteration 1 --gate tests"),
        "{}",
        said(&output)
    );
    assert!(printed(&run, &["logs", "T-1", "--try", "1"])?.contains("call 1"));
    printed(&run, &["task", "retry", "T-1"])?;
    assert_code(&run.ralph(&["resume"])?, 3);
    let twice = run.ralph(&["logs", "T-1", "--attempt", "1"])?;
    assert_code(&twice, 2);
    let told = said(&twice);
    assert!(told.contains("2 attempts with the number 1, in iterations 1 and 2"), "{told}");
    for (iteration, call) in [("1", "call 1"), ("2", "call 2")] {
        let text = printed(&run, &["logs", "--iteration", iteration])?;
        assert!(text.contains(call), "{iteration}: {text}");
    }
    let gate = printed(&run, &["logs", "--iteration", "2", "--gate", "tests"])?;
    assert!(gate.contains("FAILED src/BROKEN exists"), "{gate}");
    Ok(())
}
