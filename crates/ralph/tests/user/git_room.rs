//! Git's box is put up once: the same one serves both iterations of a run, goes with ralph, however that ends, and stays as
//! tight as a new one.

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

fn waiting(agent: &str) -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 2, agent)?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run.with_env("RALPH_SANDBOX_READABLE", agent.display().to_string());
    Ok(run.with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string()))
}

#[test]
fn one_room_serves_a_whole_run_and_goes_with_it() -> Tested {
    let run = waiting(AGENT)?;
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
    assert_eq!(rooms(&work), BTreeSet::new());
    Ok(())
}

#[test]
fn no_room_outlives_a_ralph_that_was_killed() -> Tested {
    let run = waiting(AGENT)?;
    let (work, state) = (run.path("work").canonicalize()?, run.path("state"));
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || state.join("begun-T-1").exists())?;
    assert!(!rooms(&work).is_empty());
    ralph.kill()?;
    ralph.wait()?;
    until("no room is left", || rooms(&work).is_empty())?;
    Ok(())
}

/// Asks for a filter whose program it writes itself, in every call.
const FILTERED: &str = r#"mkdir -p work tools; echo honest > "work/$TASK"; echo '* filter=mine' > .gitattributes
printf '#!/bin/sh\\necho foreign\\n' > tools/clean.sh; chmod +x tools/clean.sh; touch "$STATE/begun-$TASK"
while [ ! -e "$STATE/go-$TASK" ]; do sleep 0.05; done"#;

/// Git replaces its configuration by a new file; whatever lies over the old one in a box is gone then.
#[test]
fn what_the_user_tells_git_meanwhile_brings_no_program_of_the_agents_into_the_room() -> Tested {
    let run = waiting(FILTERED)?;
    run.git(&["config", "filter.mine.clean", "./tools/clean.sh"])?;
    let state = run.path("state");
    let mut ralph = run.spawn(&["run"])?;
    until("the first agent works", || state.join("begun-T-1").exists())?;
    run.git(&["config", "own.first", "1"])?;
    run.git(&["config", "own.second", "2"])?;
    run.git(&["remote", "add", "elsewhere", "/nowhere"])?;
    run.write("state/go-T-1", "")?;
    until("the second agent works", || state.join("begun-T-2").exists())?;
    run.git(&["config", "own.third", "3"])?;
    run.write("state/go-T-2", "")?;
    let code = ralph.wait()?.code();
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(code, Some(0), "{told}");
    for task in ["T-1", "T-2"] {
        let object = format!("ralph/scratch:work/{task}");
        assert_eq!(run.git(&["cat-file", "-p", &object])?, "honest", "{told}");
    }
    Ok(())
}

/// Makes a folder of a file, and a file of a folder.
const SWAPPING: &str = r#"mkdir -p work; touch "work/$TASK"
if [ "$TASK" = T-1 ]; then rm README.md; mkdir README.md; echo in > README.md/in
else rm -r README.md; echo out > README.md; fi; touch "$STATE/begun-$TASK" "$STATE/go-$TASK""#;

#[test]
fn a_file_may_become_a_folder_and_a_folder_a_file() -> Tested {
    let run = waiting(SWAPPING)?;
    let code = run.spawn(&["run"])?.wait()?.code();
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(run.git(&["cat-file", "-p", "ralph/scratch:README.md"])?, "out", "{told}");
    assert_eq!(run.git(&["cat-file", "-p", "ralph/scratch~1:README.md/in"])?, "in", "{told}");
    Ok(())
}
