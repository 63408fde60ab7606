//! What people do to tasks, end to end: while a run goes on, after one ended, and before there was any.

use std::{io, process::Child};

use serde_json::Value;
use testkit::{
    test_run::TestRun,
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Asks about T-1 until it is told a colour.
const ASKS: &str = "if [ \"$TASK\" = T-1 ] && ! grep -q blue \"$STATE/prompt.$N\"; then echo 'Which colour?'; exit 0; fi\n\
                    mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Reviews that never give a verdict.
const WORKS: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn json(run: &TestRun, args: &[&str]) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_slice(&run.ralph(args)?.stdout)?)
}

/// A run whose first call waits until it is let go.
fn held(tasks: usize, body: &str) -> Result<(TestRun, Child), Box<dyn std::error::Error>> {
    let body = format!(
        "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n{body}"
    );
    let run = TestRun::new(RALPH, tasks, &body)?;
    let child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    Ok((run, child))
}

fn let_go(run: &TestRun, mut child: Child, code: i32) -> io::Result<()> {
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(code), "{}", run.read("ralph.log"));
    Ok(())
}

#[test]
fn without_a_run_the_plan_file_is_changed_at_once() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    assert_code(&run.ralph(&["task", "skip", "T-1", "--why", "not ours"])?, 0);
    assert_code(&run.ralph(&["task", "edit", "T-2", "--title", "another title"])?, 0);
    let added = run.ralph(&[
        "task",
        "add",
        "--title",
        "third",
        "--check",
        "it is there=test -f work/T-3",
        "--depends-on",
        "T-2",
    ])?;
    assert_code(&added, 0);
    assert!(said(&added).contains("T-3 is added"), "{}", said(&added));
    assert_eq!(run.statuses(), ["skipped", "pending", "pending"]);
    assert!(run.read("work/.ralph/plan.json").contains("another title"));
    assert_code(&run.ralph(&["task", "retry", "T-1"])?, 0);
    assert_eq!(run.statuses(), ["pending", "pending", "pending"]);
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    assert_code(&run.ralph(&["task", "retry", "T-2"])?, 0);
    assert_eq!(run.statuses(), ["done", "pending", "done"], "a run that is done holds nothing");
    Ok(())
}

#[test]
fn while_a_run_goes_on_wishes_are_taken_after_the_iteration() -> Tested {
    let (run, child) = held(3, HONEST)?;
    let skipped = run.ralph(&["task", "skip", "T-2", "--why", "not needed"])?;
    assert_code(&skipped, 0);
    assert!(said(&skipped).contains("after this iteration"), "{}", said(&skipped));
    let add = ["task", "add", "--id", "T-9", "--title", "new", "--check", "there=test -f work/T-9"];
    assert_code(&run.ralph(&add)?, 0);
    assert_code(&run.ralph(&["task", "edit", "T-9", "--description", "the ninth"])?, 0);
    assert_eq!(run.statuses(), ["in_progress", "pending", "pending"], "the file is the run's");
    let list = json(&run, &["task", "list", "--json"])?;
    assert_eq!(list["requests"], serde_json::json!(["skip T-2", "add T-9", "edit T-9"]));
    let_go(&run, child, 0)?;
    assert_eq!(run.statuses(), ["done", "skipped", "done", "done"]);
    assert_eq!(run.calls(), 6, "three tasks and their reviews");
    assert!(run.prompt(5).contains("the ninth"), "{}", run.prompt(5));
    let log = run.read("ralph.log");
    assert!(log.contains("T-2 skipped: not needed") && log.contains("T-9 added: new"), "{log}");
    Ok(())
}

#[test]
fn what_is_not_possible_is_refused_at_once_with_help() -> Tested {
    let (run, child) = held(2, HONEST)?;
    for args in [
        &["answer", "T-1", "blue"][..],
        &["approve", "T-2"],
        &["retry", "T-2"],
        &["skip", "T-7"],
        &["edit", "T-2"],
        &["edit", "T-2", "--title", "make work/T-2"],
        &["edit", "T-2", "--depends-on", "T-2"],
        &["add", "--id", "T-1", "--title", "again"],
        &["add", "--id", "T-4"],
        &["add", "--title", "t", "--after", "T-8"],
        &["proposals", "--accept", "1"],
        &["show", "T-7"],
    ] {
        let args: Vec<&str> = std::iter::once("task").chain(args.iter().copied()).collect();
        let output = run.ralph(&args)?;
        assert_code(&output, 2);
        assert!(said(&output).contains("help: "), "{args:?}: {}", said(&output));
    }
    assert_eq!(json(&run, &["task", "list", "--json"])?["requests"], serde_json::json!([]));
    let_go(&run, child, 0)?;
    assert_code(&run.ralph(&["task", "approve", "T-1"])?, 2);
    assert_code(&run.ralph(&["task", "skip", "T-1"])?, 2);
    Ok(())
}

#[test]
fn an_answer_is_taken_up_by_run_and_by_resume() -> Tested {
    for again in ["run", "resume"] {
        let run = TestRun::new(RALPH, 2, ASKS)?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 3);
        assert!(said(&output).contains("? T-1 asks: Which colour?"), "{}", said(&output));
        assert_eq!(run.statuses(), ["parked", "done"]);
        let output = run.ralph(&["task", "answer", "T-1", "make it blue"])?;
        assert_code(&output, 0);
        assert!(said(&output).contains("`ralph run` or `ralph resume`"), "{}", said(&output));
        assert_code(&run.ralph(&["task", "answer", "T-1", "twice"])?, 2);
        let output = run.ralph(&[again])?;
        assert_code(&output, 0);
        assert_eq!(run.statuses(), ["done", "done"], "{again}");
        let before_its_review = run.calls() - 1;
        assert!(run.prompt(before_its_review).contains("make it blue"), "{again}");
        let shown = json(&run, &["task", "show", "T-1", "--json"])?;
        assert_eq!(shown["answers"][0]["question"], "Which colour?");
        assert_eq!(shown["criteria"][0]["judge"], "check");
        assert_code(&run.ralph(&["resume"])?, 2);
    }
    Ok(())
}

#[test]
fn a_question_beside_finished_work_stays_with_the_task() -> Tested {
    let asks = r#"handoff '{"task_completed":{"fully_complete":true},"question":"Which colour?"}'"#;
    let body = format!("{WORKS}\nif [ $TASK = T-1 ]; then {asks}; fi");
    let run = TestRun::new(RALPH, 2, &body)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("? T-1 asks: Which colour?"), "{}", said(&output));
    assert_eq!(run.statuses(), ["done", "done"]);
    for args in [&["status"][..], &["task", "show", "T-1"], &["logs", "T-1"], &["report"]] {
        let shown = String::from_utf8(run.ralph(args)?.stdout)?;
        assert!(shown.contains("Which colour?"), "{args:?}: {shown}");
        let waits = ["without waiting for an answer", "nothing waits for an answer"];
        assert!(waits.iter().any(|words| shown.contains(words)), "{args:?}: {shown}");
    }
    Ok(())
}

#[test]
fn an_answer_reaches_a_run_that_goes_on_with_other_work() -> Tested {
    let body = format!(
        "if [ \"$TASK\" = T-2 ]; then touch \"$STATE/in\"; while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done; fi\n{ASKS}"
    );
    let run = TestRun::new(RALPH, 2, &body)?;
    let child = run.spawn(&["run"])?;
    until("the second task runs", || run.path("state/in").exists())?;
    assert_code(&run.ralph(&["task", "answer", "T-1", "blue"])?, 0);
    let_go(&run, child, 0)?;
    assert_eq!(run.statuses(), ["done", "done"]);
    let log = String::from_utf8(run.ralph(&["logs", "T-1"])?.stdout)?;
    for line in ["T-1 asks: Which colour?", "answer to T-1: blue", "now done"] {
        assert!(log.contains(line), "{line}: {log}");
    }
    Ok(())
}

#[test]
fn parked_work_is_approved_by_a_person_and_judged_by_the_gates() -> Tested {
    let run = TestRun::reviewed(RALPH, 1, WORKS, "echo 'looks fine'")?;
    assert_code(&run.ralph(&["run"])?, 3);
    assert_eq!(run.statuses(), ["parked"]);
    assert_code(&run.ralph(&["task", "approve", "T-1"])?, 0);
    let calls = run.calls();
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!((run.statuses(), run.calls()), (vec!["done".to_owned()], calls), "nobody is called");
    assert_eq!(run.git(&["show", "HEAD:work/T-1"])?, "T-1");
    let shown = run.ralph(&["task", "show", "T-1"])?;
    let text = String::from_utf8(shown.stdout)?;
    assert!(text.contains("approved by a person") && text.contains("exit 0"), "{text}");
    Ok(())
}

#[test]
fn a_run_that_can_be_resumed_keeps_its_plan_and_takes_the_wishes() -> Tested {
    let run = TestRun::new(RALPH, 3, HONEST)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let before = run.read("work/.ralph/plan.json");
    let output = run.ralph(&["task", "skip", "T-2"])?;
    assert!(said(&output).contains("`ralph run` or `ralph resume`"), "{}", said(&output));
    assert_eq!(run.read("work/.ralph/plan.json"), before, "its journal is the truth");
    let shown = String::from_utf8(run.ralph(&["task", "show", "T-2"])?.stdout)?;
    assert!(shown.contains("skip T-2: applied by the next"), "{shown}");
    assert_code(&run.ralph(&["resume", "-n", "4"])?, 0);
    assert_eq!(run.statuses(), ["done", "skipped", "done"]);
    Ok(())
}

#[test]
fn a_failed_task_is_tried_again_with_clearer_words() -> Tested {
    let body = format!(
        "if ! grep -q please \"$STATE/prompt.$N\"; then touch src/BROKEN; echo tried; exit 0; fi\n{HONEST}"
    );
    let run = TestRun::new(RALPH, 1, &body)?;
    run.set("[limits]\nmax_attempts = 1")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert!(said(&output).contains("ralph task retry T-1"), "{}", said(&output));
    let again = run.ralph(&["run"])?;
    assert_code(&again, 3);
    assert!(said(&again).contains("ralph task retry T-1"), "of an earlier run: {}", said(&again));
    assert_code(&run.ralph(&["task", "edit", "T-1", "--description", "do it, please"])?, 0);
    assert_code(&run.ralph(&["task", "retry", "T-1"])?, 0);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done"]);
    Ok(())
}

#[test]
fn what_an_agent_proposes_waits_for_a_person_and_can_be_read_in_the_log() -> Tested {
    let handoff = r#"printf '```ralph-handoff\n{"plan_amendments":[{"action":"remove","task_id":"T-2","reason":"not needed"},{"action":"add","task":{"id":"T-5","title":"fifth","description":"d","acceptance_criteria":[{"text":"there","check":"test -f work/T-5"}]},"reason":"found it"}]}\n```\n'"#;
    let body = format!("{HONEST}\nif [ \"$N\" = 1 ]; then {handoff}; fi");
    let run = TestRun::new(RALPH, 2, &body)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let proposals = json(&run, &["task", "proposals", "--json"])?;
    assert_eq!(proposals["proposals"][0]["what"], "remove T-2");
    assert_eq!(proposals["proposals"][0]["reason"], "not needed");
    let log = String::from_utf8(run.ralph(&["logs"])?.stdout)?;
    for line in [
        "amendment waits for a person as proposal 1",
        "amendment applied: add T-5: fifth; reason: found it",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    assert_code(&run.ralph(&["task", "proposals", "--accept", "2"])?, 2);
    assert_code(&run.ralph(&["task", "proposals", "--accept", "1"])?, 0);
    assert_code(&run.ralph(&["task", "proposals", "--decline", "1"])?, 2);
    let output = run.ralph(&["resume", "-n", "9"])?;
    assert_code(&output, 0);
    assert!(
        said(&output).contains("proposal 1 accepted by a person: remove T-2"),
        "{}",
        said(&output)
    );
    assert_eq!(run.statuses(), ["done", "skipped", "done"]);
    Ok(())
}

#[test]
fn a_proposal_that_waits_goes_over_to_the_next_run_of_the_plan() -> Tested {
    let handoff = r#"handoff '{"plan_amendments":[{"action":"remove","task_id":"T-2","reason":"not needed"}]}'"#;
    let body = format!("{HONEST}\nif [ \"$N\" = 1 ]; then {handoff}; fi");
    let run = TestRun::new(RALPH, 3, &body)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    assert_code(&run.ralph(&["run", "T-3"])?, 3);
    let proposals = json(&run, &["task", "proposals", "--json"])?;
    assert_eq!(proposals["proposals"][0]["what"], "remove T-2");
    assert_code(&run.ralph(&["task", "proposals", "--accept", "1"])?, 0);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "skipped", "done"]);
    Ok(())
}

#[test]
fn an_answer_waits_for_a_run_that_works_on_its_task() -> Tested {
    let run = TestRun::new(RALPH, 2, ASKS)?;
    assert_code(&run.ralph(&["run", "T-1"])?, 3);
    assert_code(&run.ralph(&["run", "T-2"])?, 0);
    assert_code(&run.ralph(&["task", "answer", "T-1", "blue"])?, 0);
    assert_code(&run.ralph(&["resume"])?, 2);
    assert_eq!(run.statuses(), ["parked", "done"]);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}
