//! The gates that `ralph init` proposes: each was run once in the box, in the folder that it belongs to.
use std::{error::Error, io};

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// A project without settings whose wrapper scripts stand for build tools: one green, one red, and one tool that no
/// machine has.
fn project() -> io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; touch work/$TASK")?;
    std::fs::remove_dir_all(run.path("work/.ralph"))?;
    run.write("work/build.gradle", "")?;
    run.program("work/gradlew", "#!/bin/sh\necho made > made-by-gate\necho gone > README.md\n")?;
    run.write("work/pom.xml", "")?;
    run.program("work/mvnw", "#!/bin/sh\necho broken before you came\nexit 3\n")?;
    run.write("work/mix.exs", "")?;
    run.amend()?;
    let empty_bin = run.path("none");
    std::fs::create_dir_all(&empty_bin)?;
    let path = format!("{}:/usr/bin:/bin", empty_bin.display());
    Ok(run.with_env("PATH", path))
}

#[test]
fn only_gates_that_were_green_in_the_box_reject_work() -> Tested {
    let run = project()?;
    let output = run.ralph(&["init", "--yes", "--agent", "../agent.sh"])?;
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let settings = run.read("work/.ralph/settings.toml");
    let green = "[[gate]]\nname = \"tests\"\ncommand = \"./gradlew test\"\nkind = \"test\"\n\n";
    assert!(settings.contains(green), "{settings}");
    let red = "command = \"./mvnw test\"\nkind = \"test\"\nseverity = \"soft\"\n";
    assert!(settings.contains(red), "{settings}");
    assert!(settings.contains("# tests-2: red when it was tried (exit 3)"), "{settings}");
    assert!(settings.contains("# command = \"mix test\"\n"), "{settings}");
    assert!(told.contains("running ./gradlew test") && told.contains("tests: green in"), "{told}");
    assert!(told.contains("left out: mix test (it needs mix, which is not installed)"), "{told}");
    let changed = run.git(&["status", "--porcelain"])?;
    assert_eq!(changed.trim(), "?? .ralph/", "a trial leaves nothing in the tree");
    Ok(())
}

#[test]
fn a_trial_can_be_skipped() -> Tested {
    let run = project()?;
    let output = run.ralph(&["init", "--yes", "--no-try", "--agent", "../agent.sh"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!said(&output).contains("running"), "{}", said(&output));
    let settings = run.read("work/.ralph/settings.toml");
    assert_eq!(settings.matches("\n[[gate]]").count(), 3, "{settings}");
    assert!(!settings.contains("severity"), "{settings}");
    Ok(())
}

#[test]
fn below_the_root_the_gates_of_that_folder_are_taken_and_run_there() -> Tested {
    let run = project()?;
    run.write("work/api/pom.xml", "")?;
    run.program("work/api/mvnw", "#!/bin/sh\ntest -f pom.xml && test -d ../.git && pwd\n")?;
    run.amend()?;
    let output = run.ralph(&["-C", "api", "init", "--yes", "--agent", "../agent.sh"])?;
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let root = run.work().canonicalize()?;
    let place = format!("for the whole repository, in {}/.ralph", root.display());
    assert!(told.contains(&place), "{told}");
    assert!(told.contains(&format!("in {}\n", root.display())), "{told}");
    let settings = run.read("work/.ralph/settings.toml");
    assert!(settings.contains("command = \"./mvnw test\"\ndir = \"api\"\n"), "{settings}");
    assert_eq!(settings.matches("\n[[gate]]").count(), 1, "{settings}");
    let output = run.ralph(&["gate", "run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let listed = run.ralph(&["gate", "list"])?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("cd api && ./mvnw test"), "{listed}");
    Ok(())
}

#[test]
fn a_linked_worktree_is_told_where_its_settings_are() -> Tested {
    let run = project()?;
    run.git(&["worktree", "add", "-q", "-b", "side", "../linked"])?;
    let args = ["-C", "../linked", "init", "--yes", "--no-try", "--agent", "../agent.sh"];
    let output = run.ralph(&args)?;
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let main = run.work().canonicalize()?.display().to_string();
    assert!(told.contains("branch side"), "{told}");
    assert!(told.contains("this is a linked worktree"), "{told}");
    assert!(told.contains(&format!("{main}/.ralph")), "{told}");
    assert!(run.path("work/.ralph/settings.toml").exists());
    Ok(())
}

#[test]
fn a_folder_that_the_work_removed_makes_a_red_gate() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work; touch work/$TASK; rm -rf src")?;
    run.set("[[gate]]\nname = \"here\"\ncommand = \"test -f main.txt\"\ndir = \"src\"\n[limits]\nmax_attempts = 1")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    let told = said(&output);
    assert!(told.contains("gate here") && told.contains("here failed"), "{told}");
    assert!(told.contains("before the run: tests and here green"), "{told}");
    Ok(())
}
