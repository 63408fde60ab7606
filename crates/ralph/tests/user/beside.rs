//! What a person changes in the checkout while an agent works in the box is back, uncommitted, when the run is over.

use std::{fs, io::Write as _};

use testkit::{
    test_run::TestRun,
    told::{flowing, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Works on the first task until it is let go.
const AGENT: &str = r#"mkdir -p work; touch "work/$TASK"; echo "$TASK" >> both.txt
if [ "$TASK" = T-1 ]; then touch "$STATE/begun"; while [ ! -e "$STATE/go" ]; do sleep 0.05; done; fi"#;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn what_a_person_changes_while_an_agent_works_is_back_when_the_run_is_over() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?.with_env("RALPH_SANDBOX", "auto");
    run.write("work/both.txt", "begin\n")?;
    run.amend()?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run
        .with_env("RALPH_SANDBOX_READABLE", agent.display().to_string())
        .with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string());
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || state.join("begun").exists())?;
    run.write("work/README.md", "# scratch\nmine\n")?;
    run.write("work/new.txt", "mine\n")?;
    run.write("work/both.txt", "mine\n")?;
    fs::remove_file(run.path("work/src/main.txt"))?;
    let progress = fs::OpenOptions::new().append(true).open(run.path("work/.ralph/progress.md"));
    progress?.write_all(b"remember the milk\n")?;
    run.write("state/go", "")?;
    let code = ralph.wait()?.code();
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(code, Some(0), "{told}");
    let kept = "your changes come back at the end of the run: README.md, src/main.txt";
    assert!(told.contains(kept), "{told}");
    assert!(told.contains("your changes are back"), "{told}");
    assert!(told.contains("files that had to make way during the run are in "), "{told}");
    let status = run.git(&["status", "--short", "--", ".", ":!.ralph"])?;
    assert_eq!(status, "M README.md\n D src/main.txt\n?? new.txt", "{told}");
    assert_eq!(run.read("work/README.md"), "# scratch\nmine\n");
    let notes = run.read("work/.ralph/progress.md");
    let notes = notes.split("## Log").next().unwrap_or_default();
    assert_eq!(notes.matches("remember the milk").count(), 1, "{notes}");
    assert_eq!(run.git(&["diff", "--name-only", "main..."])?, "both.txt\nwork/T-1\nwork/T-2");
    Ok(())
}
