//! Small truths of single commands: what each says about what is true now, and that advice can be followed.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::Value;
use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Holds its first call until it may end.
const WAITS: &str = "touch \"$STATE/in\"; while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn new(tasks: usize, agent: &str) -> std::io::Result<TestRun> {
    Ok(TestRun::new(RALPH, tasks, agent)?.with_env("LANG", "C.UTF-8"))
}

fn printed(run: &TestRun, args: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    let output = run.ralph(args)?;
    assert_code(&output, 0);
    Ok(flowing(&String::from_utf8_lossy(&output.stdout)))
}

fn json(run: &TestRun, args: &[&str]) -> Result<Value, Box<dyn std::error::Error>> {
    let output = run.ralph(args)?;
    assert_code(&output, 0);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A run that was killed while its agent worked.
fn killed(run: &TestRun) -> Tested {
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || run.path("state/in").exists())?;
    ralph.kill()?;
    ralph.wait()?;
    Ok(())
}

#[test]
fn a_task_of_a_run_that_died_is_interrupted_and_shown_again_when_it_continues() -> Tested {
    let run = new(1, &format!("{WAITS}\n{HONEST}"))?;
    killed(&run)?;
    for args in [&["status"][..], &["task", "list"], &["task", "show", "T-1"]] {
        let text = printed(&run, args)?;
        assert!(text.contains("interrupted") && !text.contains("in progress"), "{args:?}: {text}");
    }
    run.write("state/go", "")?;
    let output = run.ralph(&["resume"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("▶ T-1"), "{}", said(&output));
    Ok(())
}

#[test]
fn a_question_that_was_answered_no_longer_waits_for_a_person() -> Tested {
    let run = new(1, "grep -q blue \"$PROMPT\" || handoff '{\"question\":\"Which colour?\"}'")?;
    assert_code(&run.ralph(&["run"])?, 3);
    let asked = printed(&run, &["status"])?;
    assert!(asked.contains("1 waits for you") && asked.contains("Which colour?"), "{asked}");
    assert_code(&run.ralph(&["task", "answer", "T-1", "blue"])?, 0);
    let answered = printed(&run, &["status"])?;
    assert!(
        !answered.contains("waits for you") && !answered.contains("Which colour?"),
        "{answered}"
    );
    assert!(answered.contains("answer: not applied yet"), "{answered}");
    assert_eq!(json(&run, &["status", "--json"])?["tasks"][0]["requests"][0], "answer");
    Ok(())
}

#[test]
fn every_command_with_a_result_answers_as_json() -> Tested {
    let run = new(1, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let logs = json(&run, &["logs", "T-1", "--json"])?;
    assert_eq!(
        (&logs["v"], &logs["task"], &logs["iteration"]),
        (&1.into(), &"T-1".into(), &1.into())
    );
    assert!(logs["history"].as_array().is_some_and(|lines| !lines.is_empty()), "{logs}");
    assert!(logs["log"].as_str().is_some_and(|log| fs::metadata(log).is_ok()), "{logs}");
    let session = json(&run, &["logs", "--json"])?;
    assert!(session["log"].as_str().is_some_and(|log| log.ends_with("session.log")), "{session}");
    let archived = run.ralph(&["archive", "--json", "--yes"])?;
    assert_code(&archived, 0);
    let archive: Value = serde_json::from_slice(&archived.stdout)?;
    assert!(archive["files"].as_array().is_some_and(|files| !files.is_empty()), "{archive}");
    assert!(run.work().join(archive["folder"].as_str().unwrap_or_default()).is_dir());
    // The plan is put away, the work is not merged yet.
    let told = flowing(&said(&archived));
    assert!(told.contains("branch ralph/scratch is not merged into main"), "{told}");

    let run = new(1, WAITS)?;
    killed(&run)?;
    let closed = json(&run, &["stop", "--json"])?;
    assert_eq!(closed["closed"].as_array().map(Vec::len), Some(1), "{closed}");
    Ok(())
}

#[test]
fn a_prompt_run_is_archived_without_a_plan_of_its_own() -> Tested {
    let run = new(1, "echo x > made; echo '<promise>COMPLETE</promise>'; exit 0")?;
    assert_code(&run.ralph(&["run", "-p", "make it"])?, 0);
    assert_code(&run.ralph(&["archive", "--yes"])?, 0);
    let text = printed(&run, &["status"])?;
    assert!(text.contains("was archived;") && !text.contains("with its plan"), "{text}");
    Ok(())
}

#[test]
fn a_number_is_no_description_of_what_to_plan() -> Tested {
    let run = new(1, HONEST)?;
    for words in [&["plan", "5"][..], &["start", "--yes", "5"]] {
        let output = run.ralph(words)?;
        assert_code(&output, 2);
        assert!(said(&output).contains("ralph run N"), "{}", said(&output));
    }
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn what_was_done_before_an_import_is_not_exported_as_approved() -> Tested {
    let run = new(1, HONEST)?;
    fs::remove_file(run.path("work/.ralph/plan.json"))?;
    let prd = r#"{"userStories":[{"id":"US-1","title":"a","passes":true},{"id":"US-2","title":"b","passes":false}]}"#;
    run.write("work/prd.json", prd)?;
    assert_code(&run.ralph(&["plan", "--import", "prd.json", "--yes"])?, 0);
    let text = printed(&run, &["plan", "--export", "prd.json", "-"])?;
    assert!(text.contains("\"passes\": true") && !text.contains("approved"), "{text}");
    Ok(())
}

#[test]
fn git_starts_no_program_of_a_hostile_repository_for_any_command() -> Tested {
    let run = new(1, HONEST)?;
    run.program("evil.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/EVIL\"\n")?;
    run.git(&["config", "core.fsmonitor", &run.path("evil.sh").to_string_lossy()])?;
    for words in [
        &["doctor"][..],
        &["init", "--yes", "--force"],
        &["status"],
        &["run", "--dry-run"],
        &["runs"],
        &["trust", "--show"],
    ] {
        run.ralph(words)?;
        assert!(!run.path("EVIL").exists(), "{words:?}");
    }
    Ok(())
}

#[test]
fn verbose_names_the_settings_files_in_order_and_the_agents_command_without_secrets() -> Tested {
    let run = new(1, HONEST)?.with_env("MY_API_KEY", "sk-hush-4711");
    run.write("work/.ralph/settings.local.toml", "[agent]\nflags = [\"--key=sk-hush-4711\"]\n")?;
    run.amend()?;
    let output = run.ralph(&["-v", "run", "--max-cost", "3"])?;
    assert_code(&output, 0);
    let told = flowing(&said(&output));
    let place = |text: &str| told.find(text).ok_or(format!("{text} is missing: {told}"));
    let settings = place("settings, a later one wins: ")?;
    let order = [".ralph/settings.toml", "settings.local.toml", "--max-cost"];
    let mut places = vec![settings];
    for name in order {
        places.push(place(name)?);
    }
    assert!(places.is_sorted(), "{told}");
    place("agent command: ")?;
    place("--key=[redacted")?;
    assert!(!told.contains("sk-hush-4711"), "{told}");
    let quiet = said(&run.ralph(&["run", "--fresh"])?);
    assert!(!quiet.contains("a later one wins") && !quiet.contains("agent command: "), "{quiet}");
    let log = fs::read_to_string(run.only_run()?.join("session.log"));
    assert!(log.is_ok_and(|log| log.contains("    $ ")), "the session log has the command");
    Ok(())
}

#[test]
fn the_branch_of_a_failed_task_is_pushed_with_its_state_where_scm_pushes() -> Tested {
    let run = new(1, "echo $N > some; touch src/BROKEN")?;
    run.git(&["init", "-q", "--bare", "../remote.git"])?;
    run.git(&["remote", "add", "origin", "../remote.git"])?;
    run.set("[limits]\nmax_attempts = 2\n[scm]\ntasks = [\"push\"]")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    let remote = |args: &[&str]| run.git(&[&["--git-dir", "../remote.git"], args].concat());
    let branch = remote(&["branch", "--list", "--format=%(refname:short)", "wip/*"])?;
    assert!(branch.starts_with("wip/ralph-fail-T-1-"), "{branch}: {}", said(&output));
    assert!(said(&output).contains(&format!("scm push {branch}")), "{}", said(&output));
    let message = remote(&["log", "-1", "--format=%B", &branch])?;
    for state in ["task_id: T-1", "error_hash: ", "max_iterations: 2", "## Attempt history"] {
        assert!(message.contains(state), "{state}: {message}");
    }
    Ok(())
}

#[test]
fn the_branch_of_a_failed_task_can_be_pushed() -> Tested {
    let run = new(1, "echo $N > some; touch src/BROKEN")?;
    run.set("[limits]\nmax_attempts = 1")?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 3);
    let branch = run.git(&["branch", "--list", "--format=%(refname:short)", "wip/*"])?;
    run.git(&["init", "-q", "--bare", "../remote.git"])?;
    run.git(&["push", "-q", "../remote.git", &branch])?;
    Ok(())
}

#[test]
fn a_stop_before_the_first_call_speaks_of_no_agent_and_says_what_continues() -> Tested {
    let run = new(1, HONEST)?;
    run.program(
        "work/gate.sh",
        "#!/bin/sh\ntouch ../state/in\nwhile [ ! -e ../state/go ]; do sleep 0.05; done\n",
    )?;
    run.amend()?;
    let child = run.spawn(&["run"])?;
    until("the gate runs", || run.path("state/in").exists())?;
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(130));
    let log = run.read("ralph.log");
    assert!(log.contains("stopping: state is saved") && !log.contains("the agent has"), "{log}");
    Ok(())
}

#[test]
fn reloaded_settings_say_what_they_change() -> Tested {
    let run = new(3, HONEST)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let same = run.ralph(&["resume", "-n", "2", "--reload-settings"])?;
    assert!(said(&same).contains("the settings have not changed"), "{}", said(&same));
    run.set("[limits]\nmax_attempts = 2")?;
    let other = run.ralph(&["resume", "-n", "9", "--reload-settings"])?;
    assert_code(&other, 0);
    assert!(flowing(&said(&other)).contains("changed in [limits]"), "{}", said(&other));
    Ok(())
}

#[test]
fn init_confirms_the_agent_that_was_named() -> Tested {
    let run = new(1, HONEST)?;
    let output =
        run.ralph(&["init", "--force", "--yes", "--no-try", "--agent", "my-agent --fast"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("my-agent --fast, as asked"), "{}", said(&output));
    Ok(())
}

#[test]
fn doctor_gives_advice_that_can_be_followed() -> Tested {
    let run = new(1, HONEST)?;
    let told = |run: &TestRun| -> Result<String, Box<dyn std::error::Error>> {
        Ok(flowing(&String::from_utf8_lossy(&run.ralph(&["doctor"])?.stdout)))
    };
    // Settings without a gate are changed, not made anew.
    let agent = run.path("agent.sh");
    run.write(
        "work/.ralph/settings.toml",
        &format!("[agent]\ncommand = \"{}\"\n", agent.display()),
    )?;
    let text = told(&run)?;
    assert!(text.contains("help: add a [[gate]] to .ralph/settings.toml"), "{text}");
    assert!(!text.contains("ralph init") && !text.contains("--agent"), "{text}");
    // A set of servers that the agent is never given.
    run.write("work/.ralph/mcp/coding.json", "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}")?;
    let text = told(&run)?;
    assert!(text.contains(".ralph/mcp/coding.json has no effect"), "{text}");
    run.amend()?;
    let verbose = run.ralph(&["run", "-v"])?;
    let header = flowing(&said(&verbose));
    assert!(header.contains("agent.sh gets no MCP servers"), "{header}");
    assert!(header.contains("memory: compacted by ralph itself"), "{header}");
    Ok(())
}

#[test]
fn doctor_says_why_git_or_the_disk_refuses() -> Tested {
    let run = new(1, HONEST)?;
    if is_root(&run)? {
        // As root nothing is read-only; another owner is what git refuses.
        std::os::unix::fs::chown(run.work(), Some(4321), None)?;
        std::os::unix::fs::chown(run.path("work/.git"), Some(4321), None)?;
        let text = flowing(&String::from_utf8_lossy(&run.ralph(&["doctor"])?.stdout));
        assert!(text.contains("it belongs to another user"), "{text}");
        assert!(text.contains("git config --global --add safe.directory"), "{text}");
    } else {
        fs::set_permissions(run.path("work/.git"), fs::Permissions::from_mode(0o555))?;
        let text = flowing(&String::from_utf8_lossy(&run.ralph(&["doctor"])?.stdout));
        fs::set_permissions(run.path("work/.git"), fs::Permissions::from_mode(0o755))?;
        assert!(text.contains("cannot be written to"), "{text}");
    }
    Ok(())
}

/// Whether files that nobody may write can be written.
fn is_root(run: &TestRun) -> std::io::Result<bool> {
    run.write("probe", "")?;
    fs::set_permissions(run.path("probe"), fs::Permissions::from_mode(0o400))?;
    Ok(fs::OpenOptions::new().write(true).open(run.path("probe")).is_ok())
}

#[test]
fn a_note_of_the_report_quotes_commands_as_code() -> Tested {
    let run = new(1, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let page = printed(&run, &["report"])?;
    assert!(page.contains("`git switch main` goes back") && !page.contains("\\`"), "{page}");
    Ok(())
}

#[test]
fn a_title_of_one_endless_word_still_gives_a_subject() -> Tested {
    let run = new(1, HONEST)?;
    let plan = run.read("work/.ralph/plan.json").replace("make work/T-1", &"x".repeat(5_000));
    run.write("work/.ralph/plan.json", &plan)?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 0);
    let subject = run.git(&["log", "-1", "--format=%s"])?;
    assert!(subject.starts_with("T-1: xxx") && subject.len() < 120, "{subject}");
    Ok(())
}

#[test]
fn advice_about_a_task_that_asks_nothing_names_what_works() -> Tested {
    let run = new(2, HONEST)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let output = run.ralph(&["task", "answer", "T-2", "blue"])?;
    assert_code(&output, 2);
    assert!(said(&output).contains("ralph steer"), "{}", said(&output));
    assert_code(&run.ralph(&["steer", "T-2", "blue"])?, 0);
    Ok(())
}

#[test]
fn what_continues_an_older_run_names_it() -> Tested {
    let run = new(3, HONEST)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let older = run.only_run()?;
    let older = older.file_name().unwrap_or_default().to_string_lossy();
    assert_code(&run.ralph(&["run", "-p", "something else", "-n", "1"])?, 1);
    let output = run.ralph(&["resume", &older, "-n", "2"])?;
    assert_code(&output, 1);
    let next = format!("next: ralph resume {older} -n 4");
    assert!(said(&output).contains(&next), "{}", said(&output));
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn the_live_line_says_that_a_question_waits() -> Tested {
    let body =
        format!("if [ $TASK = T-1 ]; then handoff '{{\"question\":\"Which?\"}}'; else {WAITS}; fi");
    let run = new(2, &body)?;
    let mut terminal = run.on_terminal(&["run"], testkit::pty::Size(100, 30))?;
    terminal.wait_for("1 waits for you")?;
    run.write("state/go", "")?;
    terminal.finish()?;
    Ok(())
}

#[test]
fn a_log_of_the_run_inside_the_repository_is_nobodys_change() -> Tested {
    let run = new(2, HONEST)?;
    let log = fs::File::create(run.path("work/err.txt"))?;
    assert!(run.command(&["run"]).stderr(log).status()?.success());
    let told = run.read("work/err.txt");
    assert!(told.contains("2 done") && !told.contains("err.txt was changed"), "{told}");
    Ok(())
}
