//! Gates that can judge nothing here stop a run before the first call is paid for, and are named with their setting.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn project(gate: &str) -> std::io::Result<TestRun> {
    project_for(HONEST, gate)
}

fn project_for(agent: &str, gate: &str) -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, agent)?;
    let settings =
        run.read("work/.ralph/settings.toml").replace("\"./gate.sh\"", &format!("{gate:?}"));
    run.write("work/.ralph/settings.toml", &settings)?;
    run.write("work/plain.sh", "exit 0\n")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn a_gate_that_cannot_be_started_ends_the_run_before_any_call() -> Tested {
    for (gate, cause) in [
        ("sh -c 'no-such-program --check'", "no-such-program: not found"),
        ("./plain.sh", "ermission denied"),
    ] {
        let run = project(gate)?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 2);
        let shown = said(&output);
        assert_eq!(run.calls(), 0, "{shown}");
        for part in ["gate tests cannot run here", "[[gate]]", cause] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let settings =
            run.read("work/.ralph/settings.toml").replace(&format!("{gate:?}"), "\"true\"");
        run.write("work/.ralph/settings.toml", &settings)?;
        run.amend()?;
        assert_code(&run.ralph(&["resume", "--reload-settings"])?, 0);
        assert_eq!(run.statuses(), ["done"]);
    }
    Ok(())
}

#[test]
fn a_gate_that_the_work_itself_makes_and_a_soft_one_stop_nothing() -> Tested {
    let agent = format!("{HONEST}; echo 'exit 0' > new.sh; chmod +x new.sh");
    let run = project_for(&agent, "./new.sh")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let soft = project("sh -c no-such-program")?;
    soft.set("severity = \"soft\"")?;
    soft.amend()?;
    assert_code(&soft.ralph(&["run"])?, 0);
    Ok(())
}

#[cfg(target_os = "linux")]
mod set_up {
    use super::*;

    /// In the sandbox, which alone has a place for packages.
    fn boxed(setup: &str) -> std::io::Result<TestRun> {
        let run = project("test -d installed")?;
        run.write("work/.gitignore", "/installed\n")?;
        run.set(&format!("[gates]\nsetup = {setup:?}"))?;
        run.amend()?;
        let state = run.path("state").display().to_string();
        Ok(run.with_env("RALPH_SANDBOX", "bubblewrap").with_env("RALPH_SANDBOX_WRITABLE", state))
    }

    #[test]
    fn one_that_fails_ends_the_run_before_any_call_and_is_tried_again_by_the_next() -> Tested {
        let run = boxed("[ -e ok ] || { echo E404 left-pad; exit 7; }; mkdir -p installed")?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 2);
        let shown = said(&output);
        assert_eq!(run.calls(), 0, "{shown}");
        assert!(shown.contains("gates.setup") && shown.contains("E404 left-pad"), "{shown}");
        run.git(&["switch", "-q", "main"])?;
        run.write("work/ok", "")?;
        run.git(&["add", "ok"])?;
        run.git(&["commit", "-qm", "the registry answers"])?;
        let output = run.ralph(&["run", "--fresh", "--branch", "other"])?;
        assert_code(&output, 0);
        assert_eq!(run.statuses(), ["done"], "{}", said(&output));
        Ok(())
    }

    #[test]
    fn one_that_worked_in_another_worktree_runs_again_in_a_new_one() -> Tested {
        let run = boxed("mkdir -p installed")?;
        assert_code(&run.ralph(&["run", "--worktree"])?, 0);
        run.git(&["merge", "-q", "ralph/scratch"])?;
        let plan = run.read("work/.ralph/plan.json").replace("\"done\"", "\"pending\"");
        run.write("work/.ralph/plan.json", &plan)?;
        let output = run.ralph(&["run", "--fresh", "--worktree", "--branch", "other"])?;
        assert_code(&output, 0);
        assert!(!said(&output).contains("before the run: tests red"), "{}", said(&output));
        Ok(())
    }
}
