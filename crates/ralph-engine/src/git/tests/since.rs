//! Commits that a person made after a boxed run was killed, and those that the run makes when it goes on.

use super::*;

#[test]
fn a_commit_that_was_accepted_since_outlives_those_of_a_person() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    let head = session.head.clone();
    drop(session);
    repo.write("a.txt", "mine\n")?;
    repo.git(&["commit", "-qam", "mine"])?;
    let (workspace, worktree) =
        repo.open_with(&OpenWorkspace { resume_at: Some(head), ..request() })?;
    let mut session = Session::new(workspace, worktree);
    session.worktree.begin_work(true)?;
    let kept = format!("refs/ralph/{}/your-commits", run());
    let notes = &session.worktree.unsaid;
    assert!(notes.iter().any(|note| note.contains(&kept)), "{notes:?}");
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    session.accept()?;
    session.close()?;
    assert_eq!(repo.git(&["log", "-1", "--format=%s", &kept])?, "mine");
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, session.head.as_str());
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"), "what they wrote is back");
    Ok(())
}

#[test]
fn a_commit_that_somebody_makes_during_gates_without_a_sandbox_is_kept_and_named() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(false)?;
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    let captured = session.capture()?;
    repo.git(&["commit", "-q", "--allow-empty", "-m", "mine"])?;
    let commit = session.worktree.commit(&session.commit_request(&captured))?;
    let kept = format!("refs/ralph/{}/your-commits", run());
    assert_eq!(repo.git(&["log", "-1", "--format=%s", &kept])?, "mine");
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, commit.as_str());
    let notes = &session.worktree.unsaid;
    assert!(notes.iter().any(|note| note.contains(&kept)), "{notes:?}");
    Ok(())
}

#[test]
fn what_somebody_stages_while_an_agent_works_is_kept() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    repo.write("a.txt", "staged\n")?;
    repo.git(&["add", "a.txt"])?;
    repo.write("a.txt", "written\n")?;
    session.checkpoint()?;
    let kept = format!("refs/ralph/{}/staged", run());
    assert_eq!(repo.git(&["show", &format!("{kept}:a.txt")])?, "staged");
    repo.git(&["update-ref", "-d", &kept])?;
    repo.git(&["update-index", "--refresh"])?;
    session.worktree.users_index = None;
    session.checkpoint()?;
    assert_eq!(repo.git(&["for-each-ref", &kept])?, "", "nobody staged anything");
    repo.write("a.txt", "at the end\n")?;
    repo.git(&["add", "a.txt"])?;
    let notes = session.close()?;
    assert!(notes.iter().any(|note| note.contains(&kept)), "{notes:?}");
    Ok(())
}

#[test]
fn a_merge_that_somebody_begins_while_an_agent_works_ends_with_the_index_it_had() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["switch", "-qc", "side"])?;
    repo.write("side.txt", "theirs\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "side"])?;
    repo.git(&["switch", "-q", "-"])?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    repo.git(&["merge", "-q", "--no-ff", "--no-commit", "side"])?;
    session.checkpoint()?;
    let notes = session.notes.join("\n");
    assert!(notes.contains("a merge was started in the worktree meanwhile"), "{notes}");
    assert!(!repo.root.join(".git/MERGE_HEAD").exists());
    let kept = format!("refs/ralph/{}/staged", run());
    assert_eq!(repo.git(&["show", &format!("{kept}:side.txt")])?, "theirs");
    Ok(())
}

#[test]
fn commits_are_by_whom_they_were_by_when_the_run_began() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.git(&["config", "user.name", "Somebody Else"])?;
    repo.write("b.txt", "the agent's\n")?;
    session.accept()?;
    assert_eq!(repo.git(&["log", "-1", "--format=%an %cn"])?, "A User A User");
    Ok(())
}

#[test]
fn what_somebody_writes_between_two_calls_comes_back_at_the_end() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    session.worktree.disturbed();
    repo.write("a.txt", "mine\n")?;
    repo.write("new.txt", "mine too\n")?;
    repo.git(&["init", "-q", "nested"])?;
    session.checkpoint()?;
    assert_ne!(repo.read("a.txt").as_deref(), Some("mine\n"), "the run works on its own");
    assert_eq!(repo.read("new.txt").as_deref(), Some("mine too\n"));
    assert!(repo.root.join("nested/.git").is_dir());
    session.worktree.disturbed();
    repo.write("late.txt", "late\n")?;
    let notes = session.close()?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"), "{notes:?}");
    assert_eq!(repo.read("late.txt").as_deref(), Some("late\n"), "{notes:?}");
    assert!(!notes.iter().any(|note| note.contains("unaccepted")), "{notes:?}");
    Ok(())
}

#[test]
fn a_commit_that_somebody_makes_while_gates_run_gives_way_and_is_named() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    let captured = session.capture()?;
    repo.write("mine.txt", "mine\n")?;
    repo.git(&["add", "mine.txt"])?;
    repo.git(&["commit", "-qm", "mine"])?;
    let ask = session.commit_request(&captured);
    session.head = session.worktree.commit(&ask)?;
    let notes = session.close()?.join("\n");
    let kept = format!("refs/ralph/{}/your-commits", run());
    assert!(notes.contains(&kept), "{notes}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", &kept])?, "mine");
    assert_eq!(repo.read("mine.txt").as_deref(), Some("mine\n"));
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, session.head.as_str());
    Ok(())
}

#[test]
fn another_branch_that_somebody_goes_on_with_is_no_change_of_theirs() -> Outcome {
    let repo = TestRepo::new()?;
    let mine = repo.git(&["branch", "--show-current"])?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    session.accept()?;
    session.worktree.disturbed();
    repo.git(&["switch", "-q", &mine])?;
    session.checkpoint()?;
    session.close()?;
    assert_eq!(repo.read("b.txt").as_deref(), Some("the agent's\n"), "the run's work is there");
    Ok(())
}

#[test]
fn a_linked_worktree_that_holds_files_of_somebodys_stays() -> Outcome {
    let repo = TestRepo::new()?;
    let asked = OpenWorkspace { linked_worktree: true, ..request() };
    let (workspace, worktree) = repo.open_with(&asked)?;
    let root = PathBuf::from(&workspace.root);
    let mut session = Session::new(workspace, worktree);
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    fs::write(root.join("new.txt"), "theirs\n")?;
    fs::write(root.join("a.txt"), "theirs too\n")?;
    session.worktree.disturbed();
    let notes = session.close()?.join("\n");
    assert!(notes.contains("holds files of yours and stays"), "{notes}");
    assert_eq!(fs::read_to_string(root.join("new.txt"))?, "theirs\n");
    assert_eq!(fs::read_to_string(root.join("a.txt"))?, "theirs too\n");
    Ok(())
}

#[test]
fn what_is_staged_and_no_longer_in_the_files_outlives_a_run() -> Outcome {
    for dirty in [DirtyPolicy::Wip, DirtyPolicy::Stash] {
        let repo = TestRepo::new()?;
        repo.write("only.txt", "staged\n")?;
        repo.git(&["add", "only.txt"])?;
        fs::remove_file(repo.root.join("only.txt"))?;
        let (workspace, worktree) = repo.open_with(&OpenWorkspace { dirty, ..request() })?;
        let mut session = Session::new(workspace, worktree);
        session.checkpoint()?;
        repo.write("b.txt", "the agent's\n")?;
        session.accept()?;
        let notes = session.close()?;
        let kept = match dirty {
            DirtyPolicy::Wip => format!("refs/ralph/{}/index:only.txt", run()),
            _ => ":only.txt".into(),
        };
        assert_eq!(repo.git(&["show", &kept])?, "staged", "{dirty:?}: {notes:?}");
    }
    Ok(())
}

#[test]
fn kept_changes_whose_ref_somebody_deleted_keep_no_run_from_ending() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "mine\n")?;
    let (workspace, worktree) =
        repo.open_with(&OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() })?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    let stash = session.workspace.stash.clone().unwrap_or_default();
    repo.git(&["update-ref", "-d", &stash])?;
    let notes = session.close()?.join("\n");
    assert!(notes.contains("is gone"), "{notes}");
    Ok(())
}

#[test]
fn what_is_only_staged_beside_a_conflict_is_kept() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["switch", "-qc", "side"])?;
    repo.write("b.txt", "side\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "side"])?;
    repo.git(&["switch", "-q", "-"])?;
    repo.write("b.txt", "main\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "main"])?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    assert!(repo.git(&["merge", "-q", "side"]).is_err(), "they conflict");
    repo.write("a.txt", "staged\n")?;
    repo.git(&["add", "a.txt"])?;
    repo.write("a.txt", "written\n")?;
    session.checkpoint()?;
    let kept = format!("refs/ralph/{}/staged", run());
    assert_eq!(repo.git(&["show", &format!("{kept}:a.txt")])?, "staged");
    assert_eq!(repo.git(&["show", &format!("{kept}:b.txt")])?, "main");
    assert!(session.notes.join("\n").contains(&kept), "{:?}", session.notes);
    Ok(())
}

#[test]
fn what_is_only_staged_after_a_run_was_taken_up_is_kept() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let head = session.head.clone();
    drop(session);
    let (workspace, worktree) =
        repo.open_with(&OpenWorkspace { resume_at: Some(head), ..request() })?;
    let mut session = Session::new(workspace, worktree);
    repo.write("a.txt", "staged\n")?;
    repo.git(&["add", "a.txt"])?;
    repo.write("a.txt", "written\n")?;
    session.checkpoint()?;
    let kept = format!("refs/ralph/{}/staged", run());
    assert_eq!(repo.git(&["show", &format!("{kept}:a.txt")])?, "staged");
    Ok(())
}

#[test]
fn a_file_that_somebody_makes_a_folder_between_two_calls_comes_back_as_one() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    session.worktree.disturbed();
    fs::remove_file(repo.root.join("a.txt"))?;
    repo.write("a.txt/inside", "mine\n")?;
    session.checkpoint()?;
    assert!(repo.root.join("a.txt").is_file(), "the run works on its own");
    let notes = session.close()?;
    assert_eq!(repo.read("a.txt/inside").as_deref(), Some("mine\n"), "{notes:?}");
    Ok(())
}

#[test]
fn what_changes_while_gates_run_in_the_worktree_is_kept_and_named() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    let tree = session.capture()?.tree.ok_or("no tree")?;
    repo.write("a.txt", "mine\n")?;
    repo.write("new.txt", "mine too\n")?;
    session.worktree.undo_meddling(&tree)?;
    let notes = session.close()?.join("\n");
    let gates = format!("refs/ralph/{}/gates", run());
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", &gates])?;
    assert!(notes.contains(kept.as_str()) && !kept.is_empty(), "{kept}: {notes}");
    assert_eq!(repo.git(&["show", &format!("{kept}:new.txt")])?, "mine too");
    Ok(())
}

#[test]
fn what_somebody_saves_after_the_last_look_is_not_overwritten() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    session.checkpoint()?;
    let from = session.start.clone();
    repo.write("b.txt", "b\n")?;
    fs::remove_file(repo.root.join("src/lib.rs"))?;
    repo.write("a.txt", "two\n")?;
    let changes = session.worktree.look()?;
    let to = session.worktree.index.apply(&changes, &session.worktree.aside)?;
    repo.write("a.txt", "mine\n")?;
    repo.write("b.txt", "mine too\n")?;
    session.worktree.turn(&to, &from)?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
    assert_eq!(repo.read("b.txt"), None);
    assert_eq!(repo.read("src/lib.rs").as_deref(), Some("fn one() {}\n"));
    for (path, text) in [("a.txt", "mine"), ("b.txt", "mine too")] {
        assert_eq!(repo.git(&["show", &format!("refs/ralph/r1/yours/1:{path}")])?, text);
    }
    Ok(())
}

#[test]
fn of_what_somebody_saves_again_and_again_the_last_is_back() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.worktree.begin_work(true)?;
    for text in ["one\nmine\n", "one\nmine\nmore\n", "one\nother\n"] {
        session.checkpoint()?;
        session.worktree.disturbed();
        repo.write("a.txt", text)?;
    }
    let notes = session.close()?.join("\n");
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\nother\n"), "{notes}");
    assert!(notes.contains("your changes are back (refs/ralph/r1/yours/1, "), "{notes}");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/yours/2:a.txt"])?, "one\nmine\nmore");
    Ok(())
}
