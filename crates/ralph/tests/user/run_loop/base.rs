//! What is found before anything is touched: a run branch that lacks commits of the user's, gates without their program.

use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said},
};

use super::{Tested, honest};

/// A run branch with work of its own, and a newer commit of the user's on `main`.
fn behind() -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    run.git(&["switch", "-q", "main"])?;
    run.write("work/mine.txt", "mine\n")?;
    run.git(&["add", "mine.txt"])?;
    run.git(&["commit", "-qm", "mine"])?;
    Ok(run)
}

#[test]
fn a_new_run_never_leaves_the_users_newer_commits_behind_in_silence() -> Tested {
    let run = behind()?;
    let refused = run.ralph(&["run", "--fresh"])?;
    assert_code(&refused, 5);
    let told = said(&refused);
    assert!(told.contains("ralph/scratch is missing 1 commit of main"), "{told}");
    assert!(told.contains("git switch ralph/scratch, then git merge main"), "{told}");
    assert_eq!(run.git(&["branch", "--show-current"])?, "main");

    run.git(&["merge", "-q", "-m", "both", "ralph/scratch"])?;
    let output = run.ralph(&["run", "--fresh"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("ralph/scratch continues from"), "{}", said(&output));
    assert_eq!(run.git(&["show", "ralph/scratch:mine.txt"])?, "mine");
    Ok(())
}

#[test]
fn who_names_the_branch_means_it_as_it_is() -> Tested {
    let run = behind()?;
    assert_code(&run.ralph(&["run", "--fresh", "--branch", "ralph/scratch"])?, 0);
    assert!(run.git(&["show", "ralph/scratch:mine.txt"]).is_err());
    Ok(())
}

#[test]
fn a_gate_whose_program_is_nowhere_is_named_by_everyone_before_anything_is_touched() -> Tested {
    let run = honest(1)?;
    run.set("[[gate]]\nname = \"lint\"\ncommand = \"no-such-linter --all\"\n")?;
    run.git(&["add", "-A"])?;
    run.git(&["commit", "-qm", "a gate"])?;
    let needs = "gate lint needs no-such-linter, which is not installed";
    for args in [&["run"][..], &["plan", "--check"], &["doctor"]] {
        let output = run.ralph(args)?;
        let told = said(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(told.contains(needs), "{args:?}: {told}");
        assert_ne!(output.status.code(), Some(0), "{args:?}");
    }
    assert_eq!(run.git(&["branch", "--show-current"])?, "main");
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_gate_whose_program_is_not_in_the_box_is_named_by_everyone_before_anything_is_touched() -> Tested
{
    let run = honest(1)?.with_env("RALPH_SANDBOX", "auto");
    run.program("elsewhere/check", "#!/bin/sh\n")?;
    let program = run.path("elsewhere/check").display().to_string();
    run.set(&format!("[[gate]]\nname = \"lint\"\ncommand = \"{program} --all\"\n"))?;
    run.git(&["add", "-A"])?;
    run.git(&["commit", "-qm", "a gate"])?;
    let needs = format!("gate lint needs {program}, which is not in the sandbox");
    for args in [&["run"][..], &["plan", "--check"], &["doctor"]] {
        let output = run.ralph(args)?;
        let told = flowing(&(said(&output) + &String::from_utf8_lossy(&output.stdout)));
        assert!(told.contains(&flowing(&needs)), "{args:?}: {told}");
        assert!(told.contains("sandbox.readable"), "{args:?}: {told}");
        assert_ne!(output.status.code(), Some(0), "{args:?}");
    }
    assert_eq!(run.git(&["branch", "--show-current"])?, "main");
    assert_eq!(run.calls(), 0);
    let shown = run.with_env("RALPH_SANDBOX_READABLE", program);
    let told = shown.ralph(&["plan", "--check"])?;
    let told = said(&told) + &String::from_utf8_lossy(&told.stdout);
    assert!(!told.contains("not in the sandbox"), "{told}");
    Ok(())
}
