//! What people say to a run's agents and how they pause it, end to end.

use std::{
    io,
    process::{Child, Command},
};

use serde_json::Value;
use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Waits in the first call until it is let go, then does the task.
const HELD: &str = "touch \"$STATE/in.$N\"\n\
                    if [ \"$N\" = 1 ]; then while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done; fi\n\
                    mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Leaves half of the work and then waits for ever, in the first call.
const HANGS: &str = "if [ \"$N\" = 1 ]; then echo half > half; touch \"$STATE/in.$N\"; sleep 600; fi\n\
                     mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn status(run: &TestRun) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_slice(&run.ralph(&["status", "--json"])?.stdout)?)
}

/// A run whose agent is at work.
fn going(tasks: usize, body: &str) -> Result<(TestRun, Child), Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, tasks, body)?.without_review(Because::ItCountsCalls)?;
    let child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    Ok((run, child))
}

fn ends(run: &TestRun, mut child: Child, code: i32) -> io::Result<()> {
    assert_eq!(child.wait()?.code(), Some(code), "{}", run.read("ralph.log"));
    Ok(())
}

fn pauses(run: &TestRun) -> io::Result<()> {
    until("the run is paused", || {
        run.read("ralph.log").contains("paused; ralph resume continues it")
    })
}

fn prompt(run: &TestRun, call: u32) -> String {
    run.read(&format!("state/prompt.{call}"))
}

#[test]
fn a_word_is_in_every_prompt_of_its_scope_from_the_next_call_on() -> Tested {
    let (run, child) = going(3, HELD)?;
    let about = run.ralph(&["steer", "T-2", "call it Ada"])?;
    assert_code(&about, 0);
    assert!(said(&about).contains("the next call"), "{}", said(&about));
    assert_code(&run.ralph(&["steer", "write British English"])?, 0);
    until("both are taken", || run.read("ralph.log").contains("British"))?;
    let held = status(&run)?;
    assert_eq!(held["run"]["steering"][0]["task"], "T-2");
    assert_eq!(held["run"]["steering"][1]["seen_by"], Value::Null);
    run.write("state/go", "")?;
    ends(&run, child, 0)?;
    let (first, second, third) = (prompt(&run, 1), prompt(&run, 2), prompt(&run, 3));
    assert!(!first.contains("British") && !first.contains("What the user says"), "{first}");
    assert!(second.contains("## What the user says"), "{second}");
    assert!(second.contains("About this task: call it Ada"), "{second}");
    assert!(second.contains("About all the work: write British English"), "{second}");
    assert!(third.contains("write British English") && !third.contains("Ada"), "{third}");
    let id = status(&run)?["run"]["id"].as_str().unwrap_or_default().to_owned();
    let views = format!("work/.ralph/runs/{id}");
    assert_eq!(run.read(&format!("{views}/iterations/0002/prompt.md")).trim(), second.trim());
    let report = run.read(&format!("{views}/report.md"));
    assert!(report.contains("## What was steered"), "{report}");
    assert!(report.contains("about T-2: call it Ada (first seen by iteration 2)"), "{report}");
    let log = run.read(&format!("{views}/session.log"));
    assert!(log.contains("a person said to every agent: write British English"), "{log}");
    let journal = run.read(&format!("work/.git/ralph/runs/{id}/journal.jsonl"));
    assert_eq!(journal.matches("\"event\":\"steered\"").count(), 2);
    Ok(())
}

#[test]
fn a_word_that_cannot_wait_begins_the_call_again_and_costs_nothing() -> Tested {
    let (run, child) = going(1, HANGS)?;
    assert_code(&run.ralph(&["steer", "--now", "T-1", "mind the gap"])?, 0);
    ends(&run, child, 0)?;
    let again = prompt(&run, 2);
    assert!(again.contains("About this task: mind the gap"), "{again}");
    assert!(again.contains("The unfinished work of an earlier call is in the files."), "{again}");
    assert_eq!(run.read("work/half").trim(), "half", "its work goes on");
    let view = status(&run)?;
    assert_eq!(view["run"]["iterations"], 1);
    assert_eq!(view["run"]["rejected"], 0);
    assert_eq!(view["tasks"][0]["tries"], 1);
    Ok(())
}

#[test]
fn a_word_said_before_a_run_is_heard_by_its_first_call() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    let early = run.ralph(&["steer", "use tabs"])?;
    assert_code(&early, 0);
    assert!(said(&early).contains("the next `ralph run`"), "{}", said(&early));
    assert_eq!(status(&run)?["words_waiting"][0]["text"], "use tabs");
    assert_code(&run.ralph(&["run"])?, 0);
    assert!(prompt(&run, 1).contains("About all the work: use tabs"));
    assert_eq!(status(&run)?["words_waiting"].as_array().map(Vec::len), Some(0));
    Ok(())
}

#[test]
fn what_nobody_could_hear_is_refused() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    assert_code(&run.ralph(&["run", "T-1"])?, 0);
    for (words, why) in [
        (&["steer", "T-3", "x"][..], "did you mean T-"),
        (&["steer", "login", "x"], "the tasks are T-1 and T-2"),
        (&["steer", "T-1", "x"], "T-1 is done"),
        (&["steer", "  "], "the message is empty"),
        (&["steer", &"x".repeat(2_001)], "2001 characters"),
        (&["pause"], "no run is active"),
        (&["resume"], "no interrupted run"),
    ] {
        let output = run.ralph(words)?;
        assert_code(&output, 2);
        assert!(said(&output).contains(why), "{}", said(&output));
    }
    Ok(())
}

#[test]
fn a_paused_run_starts_nothing_until_it_is_to_go_on() -> Tested {
    let (run, child) = going(2, HELD)?;
    let busy = run.ralph(&["resume"])?;
    assert_code(&busy, 6);
    assert!(said(&busy).contains("is active and not paused"), "{}", said(&busy));
    let asked = run.ralph(&["pause"])?;
    assert_code(&asked, 0);
    assert!(said(&asked).contains("pauses after this iteration"), "{}", said(&asked));
    assert_code(&run.ralph(&["pause"])?, 0);
    run.write("state/go", "")?;
    pauses(&run)?;
    let view = status(&run)?;
    assert_eq!(view["run"]["running"], true);
    assert!(view["run"]["paused_since"].is_string() || view["run"]["paused_since"].is_number());
    assert_eq!(view["next"], "ralph resume, or ralph stop");
    let twice = run.ralph(&["pause"])?;
    assert_code(&twice, 0);
    assert!(said(&twice).contains("is already paused"), "{}", said(&twice));
    assert_code(&run.ralph(&["steer", "T-2", "be kind"])?, 0);
    assert_code(&run.ralph(&["resume", "-n", "50"])?, 2);
    assert_eq!(run.read("state/calls").lines().count(), 1, "nothing was started");
    assert_code(&run.ralph(&["resume"])?, 0);
    ends(&run, child, 0)?;
    assert!(prompt(&run, 2).contains("be kind"));
    assert!(run.read("ralph.log").contains("continuing after a pause of"));
    Ok(())
}

#[test]
fn a_pause_at_once_keeps_the_work_and_stop_ends_it() -> Tested {
    let (run, child) = going(1, HANGS)?;
    assert_code(&run.ralph(&["pause", "--now"])?, 0);
    pauses(&run)?;
    assert_code(&run.ralph(&["stop"])?, 0);
    ends(&run, child, 1)?;
    assert_code(&run.ralph(&["resume"])?, 0);
    assert_eq!(run.read("work/half").trim(), "half");
    assert_eq!(run.statuses(), ["done"]);
    Ok(())
}

#[test]
fn a_signal_ends_a_paused_run_and_resume_goes_on() -> Tested {
    let (run, child) = going(2, HELD)?;
    assert_code(&run.ralph(&["pause"])?, 0);
    run.write("state/go", "")?;
    pauses(&run)?;
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(sent.success());
    ends(&run, child, 130)?;
    assert_eq!(run.statuses(), ["done", "pending"]);
    assert_code(&run.ralph(&["resume"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}

#[test]
fn a_paused_run_that_was_killed_goes_on_when_a_person_resumes_it() -> Tested {
    let (run, mut child) = going(2, HELD)?;
    assert_code(&run.ralph(&["steer", "be kind"])?, 0);
    assert_code(&run.ralph(&["pause"])?, 0);
    run.write("state/go", "")?;
    pauses(&run)?;
    child.kill()?;
    child.wait()?;
    assert_code(&run.ralph(&["resume"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    assert!(prompt(&run, 2).contains("be kind"), "what was said outlives the process");
    Ok(())
}
