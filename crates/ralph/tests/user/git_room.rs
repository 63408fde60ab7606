//! Git's box is put up once: the same one serves both iterations of a run, and goes with ralph, however that ends.

use std::{collections::BTreeSet, fs, path::Path};

use testkit::{
    test_run::TestRun,
    told::{flowing, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Waits in every call until it is let go.
const AGENT: &str = r#"mkdir -p work; touch "work/$TASK" "$STATE/begun-$TASK"
while [ ! -e "$STATE/go-$TASK" ]; do sleep 0.05; done"#;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Processes of this run's rooms.
fn rooms(work: &Path) -> BTreeSet<String> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_room = |process: &fs::DirEntry| {
        let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        words.contains("__git-room") && words.contains(&work.display().to_string())
    };
    all.filter(is_room).map(|process| process.file_name().to_string_lossy().into_owned()).collect()
}

fn waiting() -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 2, AGENT)?.with_env("RALPH_SANDBOX", "auto");
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run.with_env("RALPH_SANDBOX_READABLE", agent.display().to_string());
    Ok(run.with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string()))
}

#[test]
fn one_room_serves_a_whole_run_and_goes_with_it() -> Tested {
    let run = waiting()?;
    let (work, state) = (run.path("work").canonicalize()?, run.path("state"));
    let mut ralph = run.spawn(&["run"])?;
    until("the first agent works", || state.join("begun-T-1").exists())?;
    let first = rooms(&work);
    run.write("state/go-T-1", "")?;
    until("the second agent works", || state.join("begun-T-2").exists())?;
    let second = rooms(&work);
    run.write("state/go-T-2", "")?;
    let code = ralph.wait()?.code();
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(code, Some(0), "{told}");
    assert!(first.intersection(&second).next().is_some(), "{first:?} {second:?}");
    until("no room is left", || rooms(&work).is_empty())?;
    Ok(())
}

#[test]
fn no_room_outlives_a_ralph_that_was_killed() -> Tested {
    let run = waiting()?;
    let (work, state) = (run.path("work").canonicalize()?, run.path("state"));
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || state.join("begun-T-1").exists())?;
    assert!(!rooms(&work).is_empty());
    ralph.kill()?;
    ralph.wait()?;
    until("no room is left", || rooms(&work).is_empty())?;
    Ok(())
}
