//! Runs that are taken up: what was said when they began holds.

use serde_json::Value;
use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said, until},
};

use super::{HONEST, RALPH, Tested};

/// An agent of its own name, which a test can give on the command line.
fn named(run: &TestRun, name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let body = "TASK=$(grep -o 'T-[0-9]*' | head -n 1); mkdir -p work";
    run.program(
        name,
        &format!("#!/bin/sh\n{body} && echo {name} > \"work/$TASK\" && echo done\n"),
    )?;
    Ok(run.path(name).to_string_lossy().into_owned())
}

#[test]
fn what_the_command_line_said_holds_when_settings_are_read_anew() -> Tested {
    for again in [&["resume"][..], &["run"]] {
        let run = TestRun::new(RALPH, 4, HONEST)?;
        run.set("[review]\nmode = \"on\"")?;
        run.amend()?;
        let (first, second) = (named(&run, "first")?, named(&run, "second")?);
        assert_code(&run.ralph(&["run", "-n", "1", "--agent", &first, "--skip-review"])?, 1);
        run.set("[limits]\nmax_attempts = 4")?;
        let more = ["--reload-settings", "-n"];
        let output = run.ralph(&[again, &more, &["2"]].concat())?;
        assert_code(&output, 1);
        assert_eq!(run.git(&["show", "HEAD:work/T-2"])?, "first", "{}", said(&output));
        // What is said later comes on top, and holds from then on.
        assert_code(&run.ralph(&["run", "-n", "3", "--agent", &second])?, 1);
        assert_code(&run.ralph(&[again, &more, &["9"]].concat())?, 0);
        for task in ["HEAD:work/T-3", "HEAD:work/T-4"] {
            assert_eq!(run.git(&["show", task])?, "second", "{again:?}");
        }
        assert_eq!(run.calls(), 0, "nobody but who was named, and no review");
    }
    Ok(())
}

#[test]
fn a_limit_that_a_person_gave_holds_until_they_give_another() -> Tested {
    for (settings, flags) in [("[limits]\nmax_iterations = 1", &[][..]), ("", &["-n", "1"])] {
        let run = TestRun::new(RALPH, 2, HONEST)?;
        run.set(settings)?;
        run.amend()?;
        assert_code(&run.ralph(&[&["run"], flags].concat())?, 1);
        let before = run.git(&["for-each-ref"])?;
        for again in ["run", "resume"] {
            let refused = run.ralph(&[again])?;
            assert_code(&refused, 2);
            let told = flowing(&said(&refused));
            assert!(told.contains("used up its limit of 1 iteration"), "{told}");
            assert!(told.contains("ralph resume -n 2"), "{told}");
        }
        assert_eq!((run.calls(), run.git(&["for-each-ref"])?), (1, before));
        assert_code(&run.ralph(&["resume", "-n", "4"])?, 0);
        assert_eq!(run.statuses(), ["done", "done"]);
    }
    Ok(())
}

#[test]
fn a_limit_of_the_settings_is_raised_there_and_read_anew() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    run.set("[limits]\nmax_iterations = 1")?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 1);
    let settings = run.read("work/.ralph/settings.toml");
    let raised = settings.replace("max_iterations = 1", "max_iterations = 4");
    run.write("work/.ralph/settings.toml", &raised)?;
    run.amend()?;
    let output = run.ralph(&["resume", "--reload-settings"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("of 4"), "{}", said(&output));
    Ok(())
}

#[test]
fn settings_that_changed_since_and_do_not_count_are_named() -> Tested {
    let run = TestRun::new(RALPH, 3, HONEST)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let words = "[limits] changed in the settings since the run started";
    let output = run.ralph(&["resume", "-n", "2"])?;
    assert!(!flowing(&said(&output)).contains(words), "{}", said(&output));
    run.set("[limits]\nmax_attempts = 3")?;
    let output = run.ralph(&["resume", "-n", "9"])?;
    assert_code(&output, 0);
    assert!(flowing(&said(&output)).contains(words), "{}", said(&output));
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_person_makes_of_the_plan_while_a_boxed_agent_works_counts_at_once() -> Tested {
    let waits = "[ -e \"$STATE/go-on\" ] || { touch \"$STATE/waits\"; \
        until [ -e \"$STATE/go-on\" ]; do sleep 0.05; done; }";
    let run = TestRun::new(RALPH, 3, &format!("{waits}\n{HONEST}"))?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run
        .with_env("RALPH_SANDBOX_READABLE", agent.display().to_string())
        .with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string());
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || run.path("state/waits").exists())?;
    let mut plan: Value = serde_json::from_str(&run.read("work/.ralph/plan.json"))?;
    let tasks = plan["tasks"].as_array_mut().ok_or("no tasks")?;
    tasks.truncate(2);
    tasks[1]["title"] = "another title".into();
    tasks[1]["acceptance_criteria"] = serde_json::json!([{"text": "other", "check": "true"}]);
    run.write("work/.ralph/plan.json", &plan.to_string())?;
    run.write("state/go-on", "")?;
    assert_eq!(ralph.wait()?.code(), Some(0));
    assert_eq!(run.calls(), 4, "two tasks and their reviews, not what was taken out");
    let plan = run.read("work/.ralph/plan.json");
    assert!(plan.contains("another title") && plan.contains("other"), "{plan}");
    Ok(())
}
