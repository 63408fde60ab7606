//! `ralph archive` end to end: real git, tracked and untracked plans, kills between any two steps.

use std::{error::Error, fs, io, path::PathBuf};

use testkit::{
    kill::{Fate, GitTrap, is_full},
    test_run::{Because, TestRun},
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested<T = ()> = Result<T, Box<dyn Error>>;

/// A project whose plan has everything that can belong to one.
fn rich(tasks: usize) -> io::Result<TestRun> {
    let run = TestRun::new(RALPH, tasks, HONEST)?.without_review(Because::ItCountsCalls)?;
    run.write("work/.ralph/prd.md", "# scratch\n\nBuild it.\n")?;
    run.write("work/.ralph/progress.md", "# progress\n")?;
    run.write("work/.ralph/memory/context.json", "{}\n")?;
    run.write("work/.ralph/memory/history/0001.json", "{\"a\": 1}\n")?;
    run.amend()?;
    Ok(run)
}

/// Nothing of ralph's is in git.
fn untrack(run: &TestRun) -> io::Result<()> {
    run.git(&["rm", "-r", "-q", "--cached", ".ralph"])?;
    run.write("work/.gitignore", ".ralph\n")?;
    run.amend()
}

/// The folders of the archive.
fn archives(run: &TestRun) -> io::Result<Vec<PathBuf>> {
    let folder = run.work().join(".ralph/archive");
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    found.sort();
    Ok(found)
}

fn the_archive(run: &TestRun) -> Tested<PathBuf> {
    match archives(run)?.as_slice() {
        [one] => Ok(one.clone()),
        other => Err(format!("not one archive: {other:?}").into()),
    }
}

fn commits(run: &TestRun) -> Tested<usize> {
    Ok(run.git(&["rev-list", "--count", "HEAD"])?.parse()?)
}

#[test]
fn a_finished_plan_goes_into_a_dated_folder_with_a_summary_and_one_commit() -> Tested {
    let run = rich(2)?;
    assert_code(&run.ralph(&["run"])?, 0);
    run.write("work/staged.txt", "mine\n")?;
    run.git(&["add", "staged.txt"])?;
    run.write("work/README.md", "# changed\n")?;
    let (before, status) = (commits(&run)?, run.git(&["status", "--porcelain"])?);
    let output = run.ralph(&["archive"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("committed as"), "{}", said(&output));

    let folder = the_archive(&run)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    assert!(name.starts_with("20") && name.ends_with("-ralph-scratch"), "{name}");
    let summary = fs::read_to_string(folder.join("summary.md"))?;
    for part in ["2 of 2 tasks done", "verified", "ralph/scratch", "2 iterations", "1 run"] {
        assert!(summary.contains(part), "{part} is missing in\n{summary}");
    }
    for file in ["plan.json", "prd.md", "progress.md", "memory/history/0001.json", "report.md"] {
        assert!(folder.join(file).is_file(), "{file} is not in the archive");
    }
    let views = run.work().join(".ralph");
    assert!(!views.join("plan.json").exists() && !views.join("memory").exists());
    assert!(run.read("work/.ralph/prd.md").contains("## 1. Summary"), "a fresh form is there");

    assert_eq!(commits(&run)?, before + 1);
    let touched = run.git(&["show", "--name-only", "--format=", "HEAD"])?;
    assert!(touched.lines().all(|path| path.starts_with(".ralph/")), "{touched}");
    let open = |status: &str, but: &str| -> Vec<String> {
        let lines = status.lines().filter(|line| !line.contains(but));
        lines.map(|line| line.trim_start().to_owned()).collect()
    };
    let now = run.git(&["status", "--porcelain"])?;
    assert_eq!(
        open(&now, ".ralph/runs"),
        open(&status, ".ralph"),
        "only what was the user's is still open"
    );

    assert_code(&run.ralph(&["status"])?, 0);
    assert_code(&run.ralph(&["archive"])?, 2);
    assert_code(&run.ralph(&["run"])?, 2);
    assert_code(&run.ralph(&["resume"])?, 2);
    Ok(())
}

#[test]
fn a_plan_that_git_does_not_track_is_moved_without_a_commit() -> Tested {
    let run = rich(1)?;
    untrack(&run)?;
    let before = commits(&run)?;
    let output = run.ralph(&["archive", "--yes", "--label", "first try"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("nothing was committed"), "{}", said(&output));
    assert_eq!(commits(&run)?, before);
    let folder = the_archive(&run)?;
    assert!(folder.to_string_lossy().ends_with("-first-try"), "{folder:?}");
    assert!(fs::read_to_string(folder.join("summary.md"))?.contains("no run worked on it"));
    Ok(())
}

#[test]
fn an_archive_is_never_overwritten() -> Tested {
    let run = rich(1)?;
    let plan = run.read("work/.ralph/plan.json");
    for text in ["one", "two", "three"] {
        run.write("work/.ralph/plan.json", &plan)?;
        run.write("work/.ralph/progress.md", text)?;
        assert_code(&run.ralph(&["archive", "--yes", "--label", "x"])?, 0);
    }
    let kept: Vec<String> = archives(&run)?
        .iter()
        .map(|folder| fs::read_to_string(folder.join("progress.md")))
        .collect::<io::Result<_>>()?;
    assert_eq!(kept, ["one", "two", "three"]);
    let found = archives(&run)?;
    let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    // Over midnight the date alone tells some of them apart.
    let is_one_day = names.iter().all(|name| name.get(..10) == names[0].get(..10));
    assert!(!is_one_day || names[2].ends_with("-x-3"), "{names:?}");
    Ok(())
}

#[test]
fn the_summary_of_the_next_plan_knows_nothing_of_the_runs_before() -> Tested {
    let run = rich(1)?;
    let plan = run.read("work/.ralph/plan.json");
    assert_code(&run.ralph(&["run"])?, 0);
    assert_code(&run.ralph(&["archive", "--label", "one"])?, 0);
    run.write("work/.ralph/plan.json", &plan)?;
    assert_code(&run.ralph(&["archive", "--yes", "--label", "two"])?, 0);
    let second = archives(&run)?.pop().unwrap_or_default();
    let summary = fs::read_to_string(second.join("summary.md"))?;
    assert!(summary.contains("no run worked on it"), "{summary}");
    Ok(())
}

#[test]
fn open_tasks_need_a_word() -> Tested {
    let run = rich(2)?;
    let output = run.ralph(&["archive"])?;
    assert_code(&output, 2);
    assert!(said(&output).contains("2 tasks are not finished"), "{}", said(&output));
    assert!(said(&output).contains("--yes"), "{}", said(&output));
    assert!(!run.work().join(".ralph/archive").exists());
    assert_code(&run.ralph(&["archive", "--yes"])?, 0);
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_open_tasks_are_asked_about() -> Tested {
    use testkit::pty::Size;
    let run = rich(1)?;
    for (keys, code, is_moved) in [("\r", 0, false), ("\x03", 130, false), ("y", 0, true)] {
        let mut terminal = run.on_terminal(&["archive"], Size(60, 20))?;
        terminal.wait_for("1 task is not finished")?;
        terminal.type_in(keys)?;
        assert_eq!(terminal.finish()?, code, "{}", terminal.screen());
        assert!(terminal.is_as_before()?, "the terminal has other modes");
        assert_eq!(!run.work().join(".ralph/plan.json").exists(), is_moved);
    }
    Ok(())
}

#[test]
fn nothing_is_moved_while_a_run_goes_on_or_after_one_was_killed() -> Tested {
    let body = "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n";
    let run = TestRun::new(RALPH, 1, &format!("{body}{HONEST}"))?;
    let mut child = run.spawn(&["run"])?;
    let end = std::time::Instant::now() + std::time::Duration::from_mins(2);
    while !run.path("state/in.1").exists() {
        assert!(std::time::Instant::now() < end, "the agent does not run");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 6);
    child.kill()?;
    child.wait()?;
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 5);
    assert!(said(&output).contains("ralph resume"), "{}", said(&output));
    run.write("state/go", "")?;
    assert_code(&run.ralph(&["resume"])?, 0);
    assert_code(&run.ralph(&["archive"])?, 0);
    Ok(())
}

#[test]
fn a_commit_that_cannot_be_made_is_told_and_everything_is_moved() -> Tested {
    let run = rich(1)?;
    run.git(&["checkout", "-q", "--detach"])?;
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("nothing was committed: no branch"), "{}", said(&output));
    assert!(the_archive(&run)?.join("plan.json").is_file());
    Ok(())
}

#[test]
fn an_archive_that_holds_a_secret_is_not_committed() -> Tested {
    let run = rich(1)?;
    // In two parts, so that nothing takes this file for one that holds a key.
    let why = format!("because {}-api03-{}", "sk-ant", "Qm4xT9vLr2".repeat(9));
    let skipped = run.ralph(&["task", "skip", "T-1", "--why", &why])?;
    assert_code(&skipped, 0);
    let before = commits(&run)?;
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("looks like a secret"), "{}", said(&output));
    assert_eq!(commits(&run)?, before);
    assert!(the_archive(&run)?.join("plan.json").is_file());
    Ok(())
}

#[test]
fn an_archive_that_holds_the_value_of_a_secret_variable_is_not_committed() -> Tested {
    let own = "own-value-that-no-pattern-knows";
    let run = rich(1)?.with_env("MY_API_KEY", own);
    run.write("work/.ralph/prd.md", &format!("# Notes\n\nlog in with {own}\n"))?;
    let before = commits(&run)?;
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 0);
    assert!(!said(&output).contains(own), "{}", said(&output));
    assert_eq!(commits(&run)?, before, "{}", said(&output));
    Ok(())
}

#[test]
fn a_version_of_the_plan_that_is_only_staged_outlives_an_archive() -> Tested {
    let run = rich(1)?;
    let plan = run.read("work/.ralph/plan.json");
    run.write("work/.ralph/plan.json", &format!("{plan}\n\n"))?;
    run.git(&["add", "-f", ".ralph/plan.json"])?;
    run.write("work/.ralph/plan.json", &plan)?;
    let before = commits(&run)?;
    let output = run.ralph(&["archive", "--yes"])?;
    assert_code(&output, 0);
    assert!(
        said(&output).contains("the staged version of .ralph/plan.json is in no commit"),
        "{}",
        said(&output)
    );
    assert_eq!(commits(&run)?, before);
    assert!(run.git(&["show", ":.ralph/plan.json"])?.starts_with(plan.trim_end()));
    Ok(())
}

/// What must be so after a killed archive was taken up: everything once, and nothing left to do.
fn is_whole(run: &TestRun, before: &[(&str, String)], story: &str) -> Tested {
    let folder = the_archive(run)?;
    for (name, text) in before {
        assert_eq!(fs::read_to_string(folder.join(name))?, *text, "{name}: {story}");
        let left = run.read(&format!("work/.ralph/{name}"));
        assert!(left.is_empty() || left.contains("## 1. Summary"), "{name}: {story}");
    }
    assert!(!run.work().join(".git/ralph/archive.json").exists(), "{story}");
    assert_eq!(commits(run)?, 2, "{story}");
    let status = run.git(&["status", "--porcelain"])?;
    assert_eq!(status, "", "{story}");
    Ok(())
}

fn belongings(run: &TestRun) -> Vec<(&'static str, String)> {
    ["plan.json", "prd.md", "progress.md", "memory/context.json", "memory/history/0001.json"]
        .map(|name| (name, run.read(&format!("work/.ralph/{name}"))))
        .into()
}

#[test]
fn a_kill_between_any_two_steps_loses_nothing() -> Tested {
    let mut kills = 0;
    for point in (1..).step_by(if is_full() { 1 } else { 2 }) {
        let run = rich(1)?;
        let before = belongings(&run);
        let args = ["archive", "--yes", "--label", "x"];
        let output = run.command(&args).env("RALPH_CRASH_AT", point.to_string()).output()?;
        if output.status.code().is_some() {
            assert_code(&output, 0);
            break;
        }
        kills += 1;
        for (name, text) in &before {
            let places = [format!("work/.ralph/{name}"), archived(&run, name)?];
            assert!(places.iter().any(|place| run.read(place) == *text), "{name} lost at {point}");
        }
        let again = run.ralph(&args)?;
        assert_code(&again, 0);
        is_whole(&run, &before, &format!("killed at {point}\n{}", said(&again)))?;
    }
    assert!(kills >= 6, "only {kills} points were found");
    Ok(())
}

/// Where a file is in the archive, if there is one.
fn archived(run: &TestRun, name: &str) -> io::Result<String> {
    let folder = archives(run)?.into_iter().find(|path| !path.ends_with(".building"));
    let folder = folder.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    Ok(format!("work/.ralph/archive/{}/{name}", folder.unwrap_or_default()))
}

#[test]
fn a_kill_inside_git_loses_nothing() -> Tested {
    let args = ["archive", "--yes", "--label", "x"];
    let rehearsal = rich(1)?;
    let trap = GitTrap { at: 0, after: 0, fate: Fate::Outlives };
    assert_code(&trap.spring(&rehearsal, &args)?, 0);
    let commands = GitTrap::seen(&rehearsal);
    assert!(commands > 5, "only {commands} git commands were seen");
    // Those before only look; `full` kills in them as well.
    for at in if is_full() { 1 } else { commands - 5 }..=commands {
        let run = rich(1)?;
        let before = belongings(&run);
        let fate = [Fate::Dies, Fate::Outlives, Fate::ComesLate][at % 3];
        let trap = GitTrap { at, after: 20, fate };
        let killed = trap.spring(&run, &args)?;
        assert_eq!(killed.status.code(), None, "not killed at {at}");
        let again = run.ralph(&args)?;
        // A kill after the last step leaves nothing to do.
        if again.status.code() != Some(2) {
            assert_code(&again, 0);
        }
        is_whole(&run, &before, &format!("killed in git command {at}\n{}", said(&again)))?;
    }
    Ok(())
}
