//! Content that git refuses is an attempt's fault: the rest is judged, and every workspace can be closed.

use ralph_core::vocabulary::Violation;

use super::*;

/// Each way in which git refuses, with what an agent wrote for it.
fn refusing(repo: &TestRepo, attributes: &str) -> Result<Session, Box<dyn Error>> {
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write(".gitattributes", attributes)?;
    repo.write("b.rs", "fn two() {}\n")?;
    repo.write("file.odd", "odd\n\n")?;
    repo.write("more/file.odd", "odd\n\n")?;
    repo.write("c.rs", "fn three() {}\n")?;
    Ok(session)
}

#[test]
fn files_that_git_cannot_convert_reject_the_attempt_and_the_others_are_taken() -> Outcome {
    for encoding in ["UTF-16LE", "nonsense"] {
        let repo = TestRepo::new()?;
        let attributes = format!("*.odd working-tree-encoding={encoding}\n");
        let mut session = refusing(&repo, &attributes)?;
        let captured = session.capture()?;
        let named: Vec<String> = captured.violations.iter().map(Violation::describe).collect();
        let named = named.join("\n");
        assert_eq!(captured.violations.len(), 2, "{named}");
        assert!(
            named.contains("wrote file.odd, which git does not take (failed to encode"),
            "{named}"
        );
        assert!(named.contains("more/file.odd"), "{named}");
        assert_eq!(captured.sample, [".gitattributes", "b.rs", "c.rs"]);
        let kept = repo.truth().join("set-aside");
        assert_eq!(fs::read_to_string(kept.join("0001-file.odd"))?, "odd\n\n");
        assert_eq!(fs::read_to_string(kept.join("0002-file.odd"))?, "odd\n\n");
        let again = session.capture()?;
        assert_eq!((again.violations.len(), again.tree), (2, captured.tree), "and says so again");
        session.checkpoint()?;
        assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
        session.close()?;
    }
    Ok(())
}

#[test]
fn a_changed_file_that_git_refuses_comes_back_as_it_was() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.safecrlf", "true"])?;
    repo.git(&["config", "core.autocrlf", "input"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("src/lib.rs", "fn one() {}\r\nfn two() {}\n")?;
    repo.write("good.txt", "good\n")?;
    let captured = session.capture()?;
    let named: Vec<String> = captured.violations.iter().map(Violation::describe).collect();
    assert!(
        named.concat().contains("src/lib.rs, which git does not take (CRLF would"),
        "{named:?}"
    );
    assert_eq!(captured.sample, ["good.txt"]);
    assert_eq!(repo.read("src/lib.rs").as_deref(), Some("fn one() {}\n"));
    session.close()?;
    Ok(())
}

#[test]
fn a_workspace_with_files_that_git_refuses_can_be_closed_and_nothing_is_lost() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "mine\n")?;
    let stash = OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() };
    let (workspace, worktree) = repo.open_with(&stash)?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write(".gitattributes", "*.odd working-tree-encoding=UTF-16LE\n")?;
    repo.write("file.odd", "odd\n\n")?;
    let notes = session.close()?.join("\n");
    assert!(notes.contains("git does not take file.odd (failed to encode"), "{notes}");
    let kept = repo.truth().join("set-aside/0001-file.odd");
    assert!(notes.contains(&kept.display().to_string()), "{notes}");
    assert_eq!(fs::read_to_string(kept)?, "odd\n\n");
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"), "the stash is back: {notes}");
    assert!(!repo.root.join(".gitattributes").exists());
    Ok(())
}

#[test]
fn an_untracked_file_of_the_users_that_git_refuses_is_left_alone() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.safecrlf", "true"])?;
    repo.git(&["config", "core.autocrlf", "input"])?;
    repo.write("mixed", "one\r\ntwo\n")?;
    repo.write("other", "other\n")?;
    let mut session = repo.open()?;
    let notes = session.workspace.notes.join("\n");
    assert!(
        notes
            .contains("have content that git does not accept are left alone but not copied: mixed"),
        "{notes}"
    );
    assert_eq!(repo.git(&["ls-tree", "--name-only", "refs/ralph/r1/untracked"])?, "other");
    session.checkpoint()?;
    session.accept()?;
    assert_eq!(repo.read("mixed").as_deref(), Some("one\r\ntwo\n"));
    Ok(())
}
