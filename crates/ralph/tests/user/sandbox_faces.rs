//! What people see of the sandbox: the guarantee in every face, refusals with the way out, and who may switch it off.
use std::{fs, io, os::unix::fs::PermissionsExt as _, path::Path, process::Output};

use serde_json::{Value, json};
use testkit::{
    pty::Size,
    test_run::TestRun,
    told::{flowing, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const BWRAP: &str = "/usr/bin/bwrap";
const HONEST: &str = "mkdir -p work; touch work/$TASK";
const OFF: &str = ralph_core::isolation::NO_GUARANTEE;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A project whose settings say nothing of a sandbox; `mode` is the environment's word, empty for none.
fn project(tasks: usize, mode: &str) -> io::Result<TestRun> {
    Ok(TestRun::new(RALPH, tasks, HONEST)?.with_env("RALPH_SANDBOX", mode))
}

/// The same in the box of this system, with the scripted agent's own files lent to it.
fn boxed(tasks: usize) -> io::Result<TestRun> {
    project(tasks, "auto").map(lent)
}

fn lent(run: TestRun) -> TestRun {
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run.with_env("RALPH_SANDBOX_READABLE", agent.display().to_string());
    run.with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string())
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn report(run: &TestRun) -> Result<(String, Value), Box<dyn std::error::Error>> {
    let folder = run.only_run()?;
    let json = serde_json::from_str(&fs::read_to_string(folder.join("report.json"))?)?;
    Ok((fs::read_to_string(folder.join("report.md"))?, json))
}

/// Runs ralph on a machine that looks as if bubblewrap were not installed.
fn without_bubblewrap(run: &TestRun, args: &[&str]) -> io::Result<Output> {
    if !Path::new(BWRAP).exists() {
        return run.ralph(args);
    }
    let mut command = run.command_of(BWRAP);
    command.args(["--dev-bind", "/", "/", "--ro-bind", "/dev/null", BWRAP, "--", RALPH]);
    command.args(args).output()
}

#[test]
fn without_a_working_sandbox_nothing_starts_and_the_command_that_installs_it_is_named() -> Tested {
    let run = project(1, "auto")?;
    for args in [&["run"][..], &["run", "--sandbox"], &["run", "--dry-run"], &["gate", "run"]] {
        let output = without_bubblewrap(&run, args)?;
        let said = flowing(&said(&output));
        assert_eq!(output.status.code(), Some(7), "{args:?}: {said}");
        assert!(said.contains("bwrap is not installed"), "{args:?}: {said}");
        assert!(said.contains("help: ") && said.contains("bubblewrap"), "{args:?}: {said}");
        assert!(!said.contains("without isolation"), "nobody is there to be asked: {said}");
    }
    assert_eq!(run.calls(), 0);
    assert!(!run.work().join(".git/ralph/runs").exists(), "no run was begun");
    let doctor = without_bubblewrap(&run, &["doctor"])?;
    assert_eq!(doctor.status.code(), Some(7));
    assert!(flowing(&printed(&doctor)).contains("bwrap is not installed"), "{}", printed(&doctor));
    Ok(())
}

#[test]
fn a_sandbox_of_another_system_is_refused() -> Tested {
    let output = project(1, "")?.ralph(&["run", "--sandbox=seatbelt"])?;
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(flowing(&said(&output)).contains("another operating system"), "{}", said(&output));
    Ok(())
}

#[test]
fn the_guarantee_stands_in_header_doctor_dry_run_journal_and_report() -> Tested {
    let run = boxed(1)?;
    let doctor = flowing(&printed(&run.ralph(&["doctor"])?));
    let dry = flowing(&printed(&run.ralph(&["run", "--dry-run"])?));
    let short = run.ralph(&["gate", "run"])?;
    let short = flowing(&said(&short));
    assert!(short.contains("sandbox: bubblewrap - network: registries"), "{short}");
    assert!(!short.contains("the agent"), "{short}");
    let output = run.ralph(&["run", "-v"])?;
    let said = flowing(&said(&output));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("bubblewrap - network: registries - limits"), "{said}");
    let (markdown, json) = report(&run)?;
    for (where_, text) in
        [("doctor", doctor), ("dry run", dry), ("header", said), ("report", flowing(&markdown))]
    {
        assert!(text.contains("bubblewrap: the agent"), "{where_}: {text}");
        assert!(text.contains("network: registries"), "{where_}: {text}");
    }
    assert_eq!(json["isolation"]["backend"], "bubblewrap");
    let started = run.events("run_started")?;
    assert_eq!(started[0]["isolation"], json["isolation"]);
    Ok(())
}

#[test]
fn a_git_that_cannot_be_boxed_makes_the_guarantee_weaker() -> Tested {
    let run = boxed(1)?;
    let weaker = "weaker: git has no box";
    let doctor = flowing(&printed(&run.ralph(&["doctor"])?));
    assert!(!doctor.contains(weaker) && doctor.contains("; version 0."), "{doctor}");

    // As a git that needs more of the machine than its own folder.
    let (folder, needed) = (run.path("odd-git"), run.path("needed"));
    fs::create_dir(&folder)?;
    fs::write(&needed, "")?;
    let script =
        format!("#!/bin/sh\ntest -e '{}' || exit 1\nexec /usr/bin/git \"$@\"\n", needed.display());
    fs::write(folder.join("git"), script)?;
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755))?;
    let run = run.with_env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    let doctor = flowing(&printed(&run.ralph(&["doctor"])?));
    assert!(doctor.contains(weaker), "{doctor}");
    let output = run.ralph(&["run"])?;
    assert!(flowing(&said(&output)).contains(weaker), "{}", said(&output));
    Ok(())
}

#[test]
fn a_project_file_cannot_switch_it_off() -> Tested {
    let run = project(1, "")?;
    run.set("[sandbox]\nmode = \"off\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(flowing(&said(&output)).contains("loosens the protection"), "{}", said(&output));
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn a_person_can_switch_it_off_and_everything_says_so() -> Tested {
    for args in [["run", "--sandbox=off"], ["run", "--no-sandbox"]] {
        let run = project(1, "auto")?;
        let output = run.ralph(&args)?;
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(flowing(&said(&output)).contains(OFF), "{}", said(&output));
        let (markdown, json) = report(&run)?;
        assert!(markdown.contains(OFF), "{markdown}");
        assert_eq!(json["isolation"], json!({ "backend": "off", "guarantee": OFF }));
        assert_eq!(run.events("run_started")?[0]["isolation"], json["isolation"]);
    }
    Ok(())
}

#[test]
fn a_resume_under_another_backend_is_in_the_journal_and_the_report() -> Tested {
    let run = boxed(2)?;
    let first = run.ralph(&["run", "--sandbox=off", "-n", "1"])?;
    assert_eq!(first.status.code(), Some(1), "{}", said(&first));
    let second = run.ralph(&["resume", "--sandbox", "-n", "9"])?;
    assert_eq!(second.status.code(), Some(0), "{}", said(&second));
    assert!(flowing(&said(&second)).contains("sandbox: bubblewrap - network"), "{}", said(&second));
    let changed = run.events("isolation_changed")?;
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0]["isolation"]["backend"], "bubblewrap");
    let (markdown, json) = report(&run)?;
    assert!(markdown.contains(&format!("isolation at first: {OFF}")), "{markdown}");
    assert_eq!(json["earlier_isolations"][0]["backend"], "off");
    Ok(())
}

#[test]
fn on_a_terminal_it_is_offered_once_to_go_on_without() -> Tested {
    let run = project(1, "seatbelt")?;
    let mut terminal = run.on_terminal(&["run"], Size(100, 40))?;
    terminal.wait_for("Continue without a sandbox this time")?;
    terminal.type_in("n")?;
    assert_eq!(terminal.finish()?, 7, "{}", terminal.screen());
    assert_eq!(run.calls(), 0);
    let mut terminal = run.on_terminal(&["run"], Size(100, 40))?;
    terminal.wait_for("Continue without a sandbox this time")?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert_eq!(run.events("run_started")?[0]["isolation"]["backend"], "off");
    Ok(())
}

/// A gate that passes because of work which no commit can have proves nothing.
#[test]
fn work_inside_a_submodule_is_said_and_not_judged() -> Tested {
    let body = "mkdir -p work; touch other; echo new > module/file; ln -sf ../module/file work/T-1";
    let run = lent(TestRun::new(RALPH, 1, body)?);
    let plan = run.read("work/.ralph/plan.json").replace("test -f work/T-1", "grep new work/T-1");
    run.write("work/.ralph/plan.json", &plan)?;
    run.write("work/module/file", "old\n")?;
    let module = run.work().join("module");
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "module"]] {
        let within = ["-C", &module.to_string_lossy()];
        run.git(&[&within, args].concat())?;
    }
    run.git(&["add", "-A"])?;
    run.git(&["commit", "-qm", "with a module"])?;
    let output = run.ralph(&["run", "-n", "1"])?;
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("cannot be committed were left out: module"),
        "{}",
        said(&output)
    );
    assert_eq!(run.read("work/module/file"), "old\n");
    Ok(())
}

/// Editors ask git all the time, and each answer may come with a new index.
#[test]
fn a_git_that_replaces_the_index_beside_the_run_ends_no_run() -> Tested {
    let run = boxed(3)?;
    let (index, copy) = (run.work().join(".git/index"), run.work().join(".git/index.copy"));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let output = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::copy(&index, &copy).and_then(|_| fs::rename(&copy, &index));
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
        });
        let output = run.ralph(&["run"]);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        output
    })?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    Ok(())
}
