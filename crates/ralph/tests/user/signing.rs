//! Signed commits: said once where they are missing, made with the user's own key where the settings want them, and
//! never with a program or a key that lies where agents write.

use std::process::Command;

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
const SIGN: &str = "[git]\nsign = true\n[review]\nmode = \"off\"\n";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A user who signs all their commits with an SSH key of their own.
fn project(more: &str) -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    let key = run.path("home/key");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "tester", "-f"])
        .arg(&key)
        .status()?;
    assert!(made.success(), "ssh-keygen is needed");
    let git = format!(
        "[gpg]\nformat = ssh\n[user]\nsigningkey = {}\n[commit]\ngpgsign = true\n{more}",
        key.display()
    );
    run.write("home/.gitconfig", &git)?;
    let public = run.read("home/key.pub");
    run.write("home/signers", &format!("tester@example.invalid {public}"))?;
    Ok(run)
}

/// Whether the user's key signed a commit.
fn is_signed(run: &TestRun, commit: &str) -> bool {
    let signers = format!("gpg.ssh.allowedSignersFile={}", run.path("home/signers").display());
    run.git(&["-c", &signers, "verify-commit", commit]).is_ok()
}

#[test]
fn commits_are_signed_with_the_users_key_where_the_settings_say_so() -> Tested {
    let run = project("")?;
    run.write("home/.config/ralph/settings.toml", SIGN)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert!(!said(&output).contains("not signed"), "{}", said(&output));
    for commit in ["HEAD", "HEAD~1"] {
        assert!(is_signed(&run, commit), "{commit}");
    }
    assert!(run.git(&["log", "-1", "--format=%B"])?.contains("Ralph-Task: T-2"));
    Ok(())
}

#[test]
fn unsigned_commits_are_told_once_to_who_signs_their_own() -> Tested {
    let run = project("")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let shown = said(&output);
    assert_eq!(shown.matches("are not signed").count(), 1, "{shown}");
    assert!(shown.contains("git.sign = true"), "{shown}");
    assert!(!is_signed(&run, "HEAD"));
    Ok(())
}

#[test]
fn a_program_or_key_below_the_repository_is_refused_before_any_call() -> Tested {
    let evil = |run: &TestRun| run.path("work/sign.sh").display().to_string();
    for (section, in_work) in [
        ("[gpg \"ssh\"]\nprogram = ", true),
        ("[user]\nsigningkey = ", true),
        ("[gpg \"ssh\"]\nprogram = ./sign.sh", false),
    ] {
        let run = project("")?;
        run.write("home/.config/ralph/settings.toml", SIGN)?;
        run.program("work/sign.sh", &format!("#!/bin/sh\n: > '{}'\n", run.path("mark").display()))?;
        run.amend()?;
        let path = if in_work { evil(&run) } else { String::new() };
        let git = format!("{}{section}{path}\n", run.read("home/.gitconfig"));
        run.write("home/.gitconfig", &git)?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 5);
        assert!(said(&output).contains("cannot sign commits"), "{}", said(&output));
        assert_eq!(run.calls(), 0);
        assert!(!run.path("mark").exists(), "{section}");
    }
    Ok(())
}

#[test]
fn a_repository_cannot_have_the_users_key_used() -> Tested {
    let run = project("")?;
    run.set("[git]\nsign = true")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 7);
    assert!(said(&output).contains("git.sign"), "{}", said(&output));
    Ok(())
}
