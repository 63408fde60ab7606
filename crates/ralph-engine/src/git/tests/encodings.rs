//! What is looked at for secrets is what git stores, and what lies on disk; the user's own files are looked at too.

use ralph_core::vocabulary::Violation;
use ralph_text::redact::Redactor;

use super::{super::Screen, *};

const VALUE: &str = "supersecretvalue99";

/// A run that knows one value.
fn knowing(repo: &TestRepo) -> Result<Session, Box<dyn Error>> {
    let screen = Screen::new(Redactor::new([("MY_API_KEY", VALUE)]), &[]);
    let repository = repo.repository()?.with_secrets(screen);
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    Ok(Session::new(workspace, worktree))
}

fn objects(repo: &TestRepo) -> Result<String, Box<dyn Error>> {
    let out = repo.raw(&repo.root, &["cat-file", "--batch-all-objects", "--batch"])?;
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// In EBCDIC, as far as the value needs it.
fn ebcdic(text: &str) -> Vec<u8> {
    let code = |c: u8| match c {
        b'a'..=b'i' => 0x81 + (c - b'a'),
        b'j'..=b'r' => 0x91 + (c - b'j'),
        b's'..=b'z' => 0xa2 + (c - b's'),
        b'0'..=b'9' => 0xf0 + (c - b'0'),
        _ => 0x40,
    };
    text.bytes().map(code).collect()
}

#[test]
fn a_secret_that_only_git_can_read_is_found_before_it_is_stored() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo)?;
    session.checkpoint()?;
    repo.write(
        ".gitattributes",
        "*.asc working-tree-encoding=IBM037\n*.t7 working-tree-encoding=UTF-7\n",
    )?;
    fs::write(repo.root.join("leak.asc"), ebcdic(&format!("key {VALUE} end")))?;
    fs::write(repo.root.join("fine.asc"), ebcdic("nothing to see"))?;
    fs::write(repo.root.join("leak.t7"), "+AHMAdQBwAGUAcgBzAGUAYwByAGUAdAB2AGEAbAB1AGUAOQA5-\n")?;
    let captured = session.capture()?;
    let told =
        |path: &str| Violation::Secret { path: path.into(), line: 1, kind: "MY_API_KEY".into() };
    assert_eq!(captured.violations, [told("leak.asc"), told("leak.t7")]);
    assert_eq!(captured.sample, [".gitattributes", "fine.asc"]);
    assert!(!objects(&repo)?.contains(VALUE));
    assert!(objects(&repo)?.contains("nothing to see"), "git converts what it is given");
    assert!(!repo.truth().join("set-aside/0001-leak.asc").exists(), "a copy would hold it");
    Ok(())
}

#[test]
fn untracked_files_of_the_users_that_hold_a_secret_become_no_objects() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".env", &format!("KEY={VALUE}\n"))?;
    repo.write("notes.md", "mine\n")?;
    let mut session = knowing(&repo)?;
    let notes = session.workspace.notes.join("\n");
    let said =
        "untracked files that contain what looks like a secret are left alone but not copied: .env";
    assert!(notes.contains(said), "{notes}");
    assert_eq!(repo.git(&["ls-tree", "--name-only", "refs/ralph/r1/untracked"])?, "notes.md");
    session.checkpoint()?;
    repo.write(".env", "KEY=other\n")?;
    repo.write("notes.md", "changed\n")?;
    let notes = session.capture()?.notes.join("\n");
    assert!(notes.contains(".env was changed") && !notes.contains(".env was changed;"), "{notes}");
    assert!(notes.contains("notes.md was changed; refs/ralph/r1/untracked has it"), "{notes}");
    assert!(!objects(&repo)?.contains(VALUE));
    Ok(())
}
