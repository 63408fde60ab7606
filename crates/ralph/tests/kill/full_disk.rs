//! Disks that take no more: ralph stops before the next effect, says so, and goes on once there is room.

use std::{error::Error, fs, path::Path, process::Output};

use testkit::{
    kill::{Expected, is_full, scenario},
    test_run::TestRun,
    told::said,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested<T = ()> = Result<T, Box<dyn Error>>;

/// Runs ralph where no file may grow beyond so many blocks of 512 bytes.
fn ralph_with_small_files(run: &TestRun, blocks: usize) -> Tested<Output> {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" run");
    let mut command = run.command_of("sh");
    Ok(command.args(["-c", &script, RALPH]).output()?)
}

#[test]
fn a_journal_that_cannot_grow_stops_the_run_and_a_resume_finishes_it() -> Tested {
    let scenario = scenario("give-up");
    let run = scenario.build(Path::new(RALPH))?;
    let expected = Expected::of(&run, &run.ralph(scenario.first)?)?;
    let calls = run.calls();
    let step = if is_full() { 1 } else { 2 };
    let (mut blocks, mut stops) = (8, 0);
    loop {
        let run = scenario.build(Path::new(RALPH))?;
        let output = ralph_with_small_files(&run, blocks)?;
        if output.status.code() != Some(5) {
            assert_eq!(
                expected.differs(&run, &output)?,
                None,
                "{blocks} blocks\n{}",
                said(&output)
            );
            break;
        }
        assert!(said(&output).contains("cannot use the journal"), "{}", said(&output));
        assert!(said(&output).contains("check the disk"), "{}", said(&output));
        let output = run.ralph(scenario.again)?;
        assert_eq!(expected.differs(&run, &output)?, None, "{blocks} blocks\n{}", said(&output));
        assert!(
            run.calls() <= calls + 1,
            "{blocks} blocks: more than the call in flight ran again"
        );
        stops += 1;
        blocks += step;
    }
    println!("{stops} journals that could not grow, all resumed to the same end");
    assert!(stops > 2, "{stops}");
    Ok(())
}

/// The agent itself fills the disk that holds the journal; the kernel says `ENOSPC`.
#[test]
fn an_agent_that_fills_the_journals_disk_stops_the_run_and_a_resume_finishes_it() -> Tested {
    let scenario = scenario("filler");
    let run = scenario.build(Path::new(RALPH))?;
    let namespaces = run.command_of("unshare").args(["-rm", "true"]).output();
    if !namespaces.is_ok_and(|output| output.status.success()) {
        println!("skipped: mount namespaces are not allowed here");
        return Ok(());
    }
    let script = "mkdir -p .git/ralph && mount -t tmpfs -o size=1m tmpfs .git/ralph || exit 99\n\
                  \"$0\" run; echo \"first $?\" >&2\n\
                  rm .git/ralph/filler || exit 98\n\
                  \"$0\" run; echo \"second $?\" >&2";
    let output = run.command_of("unshare").args(["-rm", "sh", "-c", script, RALPH]).output()?;
    let said = said(&output);
    assert!(said.contains("first 5"), "{said}");
    assert!(
        said.contains("No space left on device") || said.contains("Out of diskspace"),
        "{said}"
    );
    assert!(said.contains("second 0"), "{said}");
    assert_eq!(run.statuses(), ["done", "done"], "{said}");
    assert_eq!(run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "2", "{said}");
    assert_eq!(run.git(&["status", "--porcelain", "--", ".", ":!.ralph"])?, "?? notes.txt");
    Ok(())
}

#[test]
fn views_that_cannot_be_written_stop_the_run_before_any_work() -> Tested {
    let run = scenario("honest").build(Path::new(RALPH))?;
    let runs = run.work().join(".ralph/runs");
    fs::write(&runs, "in the way")?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains(".ralph"), "{}", said(&output));
    assert_eq!(run.calls(), 0);
    fs::remove_file(&runs)?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    Ok(())
}
