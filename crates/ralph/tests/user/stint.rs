//! One process after another works on a run, each for its share, and the next one in another clone.

use std::{
    fs,
    io::Read as _,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use testkit::{
    test_run::{Because, TestRun},
    told::until,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const AGENT: &str = r#"echo "$TASK" >> "$STATE/tasks"; mkdir -p work; touch "work/$TASK""#;
/// Stays until it is ended, but for the second call of a task.
const SLOW: &str = r#"echo "$TASK" >> "$STATE/tasks"; mkdir -p work
if [ "$TASK" = T-1 ] && [ "$(grep -c T-1 "$STATE/tasks")" = 1 ]; then
  while :; do echo beat >> "$STATE/beats"; sleep 0.05; done
fi
touch "work/$TASK""#;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn begun(run: &TestRun, more: &[&str]) -> std::io::Result<Child> {
    let mut words = vec!["__stint", "--iterations", "1", "--minutes", "30", "--longest-wait", "5"];
    words.extend(more);
    let log = fs::File::create(run.path("ralph.log"))?;
    run.command(&words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn()
}

/// What it said at its end, with its exit code.
fn ended(run: &TestRun, mut stint: Child) -> Result<(Value, i32), Box<dyn std::error::Error>> {
    let leash = stint.stdin.take();
    let mut said = String::new();
    stint.stdout.take().ok_or("no pipe")?.read_to_string(&mut said)?;
    let code = stint.wait()?.code().unwrap_or(-1);
    drop(leash);
    let told = serde_json::from_str(&said);
    Ok((told.map_err(|error| format!("{error}: {said} {}", run.read("ralph.log")))?, code))
}

#[test]
fn each_process_does_its_share_and_the_next_goes_on_in_another_clone() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?.without_review(Because::ItCountsCalls)?;
    let (said, code) = ended(&run, begun(&run, &["--branch", "ralph/there"])?)?;
    assert_eq!((&said["end"], &said["done"], code), (&"boundary".into(), &1.into(), 0), "{said}");
    // What travels: objects and refs, the journal, the plan and the settings; neither lock nor workspace.
    let (here, there) = (run.work(), run.path("there"));
    fs::rename(&here, &there)?;
    let from = there.display().to_string();
    let clone = ["clone", "-q", "-c", "core.hooksPath=/dev/null", &from];
    let mut git = run.command_of("git");
    assert!(git.current_dir(run.path("")).args(clone).arg(&here).status()?.success());
    let journal = format!(".git/ralph/runs/{}/journal.jsonl", said["run"].as_str().unwrap_or(""));
    for name in [journal.as_str(), ".ralph/plan.json", ".ralph/settings.toml"] {
        let to = here.join(name);
        fs::create_dir_all(to.parent().unwrap_or(&here))?;
        fs::copy(there.join(name), to)?;
    }
    let (said, code) = ended(&run, begun(&run, &[])?)?;
    let end = (&said["end"], &said["exit"], &said["iterations"], code);
    assert_eq!(end, (&"finished".into(), &0.into(), &2.into(), 0), "{said}");
    assert_eq!(run.read("state/tasks"), "T-1\nT-2\n");
    assert_eq!(
        run.git(&["diff", "--name-only", "origin/main...ralph/there"])?,
        "work/T-1\nwork/T-2"
    );
    // Asked again, it says the same and starts nothing.
    let (said, code) = ended(&run, begun(&run, &[])?)?;
    assert_eq!((&said["end"], code), (&"finished".into(), 0), "{said}");
    assert_eq!(run.read("state/tasks"), "T-1\nT-2\n");
    Ok(())
}

#[test]
fn what_another_machine_lets_agents_do_is_not_let_here() -> Tested {
    const OWN: &str = "home/.config/ralph/settings.toml";
    let run = TestRun::new(RALPH, 3, AGENT)?.without_review(Because::ItCountsCalls)?;
    let own = run.read(OWN);
    let theirs = format!("{own}[sandbox]\nallow_hosts = [\"elsewhere.example\"]\n");
    let mut journal = run.work();
    for settings in [&theirs, &own, &own] {
        run.write(OWN, settings)?;
        let (said, _) = ended(&run, begun(&run, &[])?)?;
        let of_run =
            format!(".git/ralph/runs/{}/journal.jsonl", said["run"].as_str().unwrap_or(""));
        journal = run.work().join(of_run);
    }
    assert_eq!(run.read("state/tasks"), "T-1\nT-2\nT-3\n");
    let journal = fs::read_to_string(journal)?;
    let of = |event: &str| -> Vec<&str> {
        journal.lines().filter(|line| line.contains(&format!("\"{event}\""))).collect()
    };
    assert!(of("run_started")[0].contains("elsewhere.example"));
    let resumed = of("run_resumed");
    assert_eq!(resumed.len(), 2);
    assert!(resumed[0].contains("allow_hosts") && !resumed[0].contains("elsewhere.example"));
    assert!(!resumed[1].contains("allow_hosts"), "nothing is journaled where nothing differs");
    Ok(())
}

#[test]
fn a_process_whose_leash_is_let_go_dies_at_once_with_its_agent() -> Tested {
    let run = TestRun::new(RALPH, 1, SLOW)?.without_review(Because::ItCountsCalls)?;
    let mut stint = begun(&run, &[])?;
    until("the agent works", || run.path("state/beats").exists())?;
    drop(stint.stdin.take());
    assert_eq!(stint.wait()?.code(), Some(130));
    until("the agent is gone", || {
        let before = run.read("state/beats").len();
        thread::sleep(Duration::from_millis(300));
        run.read("state/beats").len() == before
    })?;
    let (said, code) = ended(&run, begun(&run, &[])?)?;
    assert_eq!((&said["end"], &said["iterations"], code), (&"finished".into(), &1.into(), 0));
    assert_eq!(run.read("state/tasks"), "T-1\nT-1\n");
    Ok(())
}

#[test]
fn a_process_that_is_asked_to_leave_is_followed_by_one_that_goes_on() -> Tested {
    let run = TestRun::new(RALPH, 1, SLOW)?;
    let stint = begun(&run, &[])?;
    until("the agent works", || run.path("state/beats").exists())?;
    kill(Pid::from_raw(i32::try_from(stint.id())?), Signal::SIGTERM)?;
    let (said, code) = ended(&run, stint)?;
    assert_eq!((&said["end"], code), (&"boundary".into(), 0), "{said}");
    let (said, _) = ended(&run, begun(&run, &[])?)?;
    assert_eq!((&said["end"], &said["exit"]), (&"finished".into(), &0.into()), "{said}");
    assert_eq!(run.read("state/tasks"), "T-1\nT-1\n");
    Ok(())
}

#[test]
fn what_waits_for_a_person_is_told_briefly_and_without_secrets() -> Tested {
    let long = "x ".repeat(300);
    let token = ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let ask = format!(
        "if [ $TASK = T-1 ]; then handoff '{{\"question\":\"Which colour? {token} {long}\"}}'\n\
         else mkdir -p work; touch \"work/$TASK\"; fi"
    );
    let run = TestRun::new(RALPH, 2, &ask)?.without_review(Because::ItCountsCalls)?;
    let (first, _) = ended(&run, begun(&run, &[])?)?;
    assert_eq!((&first["end"], &first["asks"][0]["task"]), (&"boundary".into(), &"T-1".into()));
    let (said, _) = ended(&run, begun(&run, &[])?)?;
    assert_eq!(said["end"], "needs_person", "{said}");
    let ask = &said["asks"][0];
    let question = ask["question"].as_str().unwrap_or_default();
    assert_eq!((&ask["task"], said["asks"].as_array().map(Vec::len)), (&"T-1".into(), Some(1)));
    assert!(question.starts_with("Which colour?") && question.ends_with('…'), "{said}");
    assert!(question.chars().count() <= 302 && !said.to_string().contains(&token), "{said}");
    Ok(())
}

#[test]
fn a_view_of_another_machines_run_gives_no_advice_for_this_one() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?;
    ended(&run, begun(&run, &[])?)?;
    let watched = || -> std::io::Result<String> {
        let output = run.ralph(&["watch"])?;
        let both = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&both).into_owned())
    };
    let here = watched()?;
    assert!(here.contains("ralph resume"), "{here}");
    let owner = r#"{"pid": 0, "host": "no host (fleet)", "run": null, "since": "0ms"}"#;
    run.write("work/.git/ralph/lock", owner)?;
    let there = watched()?;
    assert!(there.contains("T-1") && !there.contains("ralph resume"), "{there}");
    assert!(!there.contains("killed") && !there.contains("next:"), "{there}");
    Ok(())
}

#[test]
fn a_broken_plan_is_told_as_ever_and_without_a_report() -> Tested {
    let run = TestRun::new(RALPH, 1, AGENT)?;
    run.write("work/.ralph/plan.json", "{\"version\": 1, \"tasks\": \"no\"}")?;
    let mut stint = begun(&run, &[])?;
    let leash = stint.stdin.take();
    let stint = stint.wait_with_output()?;
    drop(leash);
    assert_eq!((stint.status.code(), stint.stdout.as_slice()), (Some(2), [].as_slice()));
    assert!(run.read("ralph.log").contains("error:"), "{}", run.read("ralph.log"));
    Ok(())
}

#[test]
fn tasks_that_were_given_up_wait_for_a_person_and_what_was_skipped_is_told() -> Tested {
    let run = TestRun::new(
        RALPH,
        2,
        r#"if [ "$TASK" = T-2 ]; then mkdir -p work; touch "work/$TASK"; fi"#,
    )?;
    let told = loop {
        let (said, _) = ended(&run, begun(&run, &[])?)?;
        if said["end"] != "boundary" {
            break said;
        }
    };
    assert_eq!(told["end"], "needs_person", "{told}");
    let ask = &told["asks"][0];
    assert_eq!((&ask["task"], &ask["failed"]), (&"T-1".into(), &true.into()), "{told}");
    let skip = run.ralph(&["task", "skip", "T-1"])?;
    assert!(skip.status.success(), "{}", String::from_utf8_lossy(&skip.stderr));
    let (said, _) = ended(&run, begun(&run, &["--by-person"])?)?;
    assert_eq!((&said["exit"], &said["weaker"][0]), (&0.into(), &"skipped: T-1".into()), "{said}");
    Ok(())
}
