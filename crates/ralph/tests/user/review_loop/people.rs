//! What waits for a person: questions, answers, approvals.

use ralph_core::plan::person::TaskWish;
use testkit::test_run::TestRun;

use super::{HONEST, RALPH, STRICT, Tested, assert_code, files, said, until};

/// Half of the first task, then a question, until the answer is in the prompt.
const ASKS: &str = r#"
if [ "$TASK" != T-1 ]; then HONEST
elif grep -q 'Answer: use blue' "$PROMPT"; then echo "$(cat work/T-1), blue and final" > work/T-1
else mkdir -p work; echo half > work/T-1; handoff '{"question":"Which colour?"}'; fi"#;

fn asks() -> String {
    ASKS.replace("HONEST", HONEST)
}

fn answer() -> TaskWish {
    TaskWish::Answer { id: "T-1".into(), text: "use blue".into() }
}

#[test]
fn a_question_parks_the_task_and_the_answer_brings_its_work_back() -> Tested {
    let run = TestRun::reviewed(RALPH, 2, &asks(), STRICT)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["parked", "done"], "{}", said(&output));
    assert_eq!(run.task("T-1")["question"], "Which colour?");
    assert_eq!(run.git(&["show", "ralph/parked/T-1:work/T-1"])?, "half");
    assert_eq!(files(&run, "ralph/scratch")?, ["work/T-2"]);
    let asked = run.calls();
    run.wish(answer())?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    let prompt = run.prompt(asked + 1);
    assert!(prompt.contains("Which colour?") && prompt.contains("use blue"), "{prompt}");
    assert_eq!(run.git(&["show", "ralph/scratch:work/T-1"])?, "half, blue and final");
    assert_eq!(files(&run, "ralph/scratch")?, ["work/T-1", "work/T-2"]);
    let task = run.task("T-1");
    assert!(task["question"].is_null() && task["branch"].is_null(), "{task}");
    Ok(())
}

#[test]
fn an_answer_is_taken_while_the_run_goes_on() -> Tested {
    let waits = "if [ \"$TASK\" = T-2 ]; then touch \"$STATE/in\"\n\
        while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done; fi";
    let run = TestRun::reviewed(RALPH, 2, &format!("{waits}\n{}", asks()), STRICT)?;
    let mut child = run.spawn(&["run"])?;
    until("the second task is worked on", || run.path("state/in").exists())?;
    run.wish(answer())?;
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    assert_eq!(run.statuses(), ["done", "done"]);
    assert_eq!(run.git(&["show", "ralph/scratch:work/T-1"])?, "half, blue and final");
    Ok(())
}

#[test]
fn a_final_message_that_only_asks_parks_the_task() -> Tested {
    let run = TestRun::new(RALPH, 1, "echo 'Shall I use tabs or spaces?'; exit 0")?;
    assert_code(&run.ralph(&["run"])?, 3);
    assert_eq!(run.statuses(), ["parked"]);
    assert_eq!(run.task("T-1")["question"], "Shall I use tabs or spaces?");
    Ok(())
}

#[test]
fn approved_parked_work_is_done_without_another_call() -> Tested {
    let run = TestRun::reviewed(RALPH, 1, HONEST, "refuse 'never good'")?;
    assert_code(&run.ralph(&["run", "--review-cap", "1"])?, 3);
    assert_eq!(run.statuses(), ["parked"]);
    let calls = run.calls();
    run.wish(TaskWish::Approve { id: "T-1".into() })?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!((run.statuses(), run.calls()), (vec!["done".to_owned()], calls));
    assert_eq!(files(&run, "ralph/scratch")?, ["work/T-1"]);
    let (evidence, labels) = run.evidence("T-1")?;
    assert_eq!(evidence[0]["by"]["judge"], "check", "{evidence:?}");
    assert_eq!(evidence[1]["by"]["judge"], "person", "{evidence:?}");
    assert!(labels.iter().any(|one| one["label"] == "approved_by_person"), "{labels:?}");
    Ok(())
}

#[test]
fn approval_of_parked_work_with_a_red_gate_is_not_done() -> Tested {
    let agent = "mkdir -p work; echo half > work/T-1; touch src/BROKEN\n\
        grep -q 'FAILED src/BROKEN' \"$PROMPT\" || handoff '{\"question\":\"Is this enough?\"}'";
    let run = TestRun::reviewed(RALPH, 1, agent, "approve")?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 3);
    assert_eq!(run.statuses(), ["parked"]);
    run.wish(TaskWish::Approve { id: "T-1".into() })?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["failed"], "{}", said(&output));
    assert_eq!(files(&run, "ralph/scratch")?, [""; 0]);
    let moved = run.events("task_moved")?;
    assert!(moved.iter().all(|event| event["to"] != "done"), "{moved:?}");
    Ok(())
}
