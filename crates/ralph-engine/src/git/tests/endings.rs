//! Commits, giving up, closing, undoing.

use ralph_core::effect::GiveUp;

use super::*;

#[test]
fn a_commit_carries_the_trailers_and_is_made_once() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let captured = session.capture()?;
    let ask = session.commit_request(&captured);
    assert_eq!(session.worktree.find_commit(&ask)?, None);
    let commit = session.worktree.commit(&ask)?;
    assert_eq!(session.worktree.find_commit(&ask)?, Some(commit.clone()));
    assert_eq!(session.worktree.commit(&ask)?, commit, "asked again it is found");
    let trailers = repo.git(&["log", "-1", "--format=%(trailers:only)%an <%ae>"])?;
    assert_eq!(
        trailers,
        "Ralph-Run: r1\nRalph-Iteration: 1\nRalph-Task: T-1\nA User <user@example.org>"
    );
    assert_eq!(repo.git(&["rev-parse", "HEAD^"])?, session.head.as_str());
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    let mut other = ask.clone();
    other.iteration = 2;
    assert_eq!(session.worktree.find_commit(&other)?, None);
    let refused = session.worktree.commit(&other).err();
    assert!(matches!(refused, Some(GitError::BranchMoved { .. })), "{refused:?}");
    Ok(())
}

#[test]
fn a_held_index_delays_nothing_and_is_brought_in_line_later() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let lock = repo.root.join(".git/index.lock");
    fs::write(&lock, "")?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    fs::remove_file(&lock)?;
    assert_ne!(repo.git(&["status", "--porcelain"])?, "");
    session.checkpoint()?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    Ok(())
}

#[test]
fn giving_up_keeps_the_work_on_a_branch_and_takes_the_run_branch_back() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    let began_at = session.head.clone();
    session.checkpoint()?;
    repo.write("accepted.txt", "a\n")?;
    session.accept()?;
    session.checkpoint()?;
    repo.write("rejected.txt", "r\n")?;
    let ask = GiveUp {
        task: "T-1".into(),
        branch: "wip/ralph-fail-T-1-now".into(),
        tree: session.capture()?.tree,
        head: session.head.clone(),
        began_at: began_at.clone(),
        message: "stuck: the same failure three times".into(),
        push: None,
    };
    let (branch, head) = session.worktree.give_up(&ask)?;
    assert_eq!((branch.as_str(), &head), ("wip/ralph-fail-T-1-now", &began_at));
    assert_eq!(session.worktree.give_up(&ask)?, (branch.clone(), head), "twice is once");
    assert_eq!(repo.git(&["show", &format!("{branch}:rejected.txt")])?, "r");
    assert_eq!(repo.git(&["rev-parse", &format!("{branch}^")])?, session.head.as_str());
    assert_eq!(repo.git(&["rev-parse", "ralph/work"])?, began_at.as_str());
    session.head = began_at;
    session.checkpoint()?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(repo.read("accepted.txt"), None);
    repo.git(&["branch", "taken"])?;
    let taken = GiveUp { branch: "taken".into(), head: session.head.clone(), tree: None, ..ask };
    assert_eq!(session.worktree.give_up(&taken)?.0, "taken-2");
    Ok(())
}

#[test]
fn closing_keeps_unaccepted_work_and_leaves_the_checkout_in_order() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    repo.write("half.txt", "half\n")?;
    repo.git(&["add", "half.txt"])?;
    let notes = session.close()?.join("\n");
    assert!(notes.contains("refs/ralph/r1/unfinished"), "{notes}");
    assert!(notes.contains("git switch main"), "{notes}");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/unfinished:half.txt"])?, "half");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? mine.txt");
    repo.write("a.txt", "the user goes on\n")?;
    assert_eq!(session.close()?, Vec::<String>::new());
    assert_eq!(repo.read("a.txt").as_deref(), Some("the user goes on\n"));
    Ok(())
}

#[test]
fn undo_goes_back_and_keeps_the_way_forward() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.close()?;
    let found = repo.repository()?;
    let back = session.workspace.head.clone();
    repo.write("a.txt", "dirty\n")?;
    assert!(matches!(found.undo_to(&back, "t"), Err(GitError::Dirty { .. })));
    repo.write("a.txt", "one\n")?;
    let undone = found.undo_to(&back, "2026-01-02T03:04:05Z")?;
    assert_eq!(undone.kept.as_deref(), Some("refs/ralph/undo/2026-01-02T03-04-05Z"));
    assert_eq!(repo.git(&["rev-parse", "ralph/work"])?, back.as_str());
    assert_eq!(repo.git(&["rev-parse", "refs/ralph/undo/2026-01-02T03-04-05Z"])?, session.head.0);
    assert_eq!((repo.read("b.txt"), repo.read("mine.txt").as_deref()), (None, Some("mine\n")));
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? mine.txt");
    assert_eq!(found.undo_to(&back, "again")?.kept, None);
    assert!(matches!(found.undo_to(&session.head, "t"), Err(GitError::NotAnAncestor { .. })));
    Ok(())
}

#[test]
fn a_patch_is_bounded() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("a.txt", "two\nthree\n")?;
    repo.write("big.txt", &"line\n".repeat(10_000))?;
    let tree = session.capture()?.tree.unwrap_or_default();
    let found = session.worktree.repository();
    let patch = found.patch(&session.start, &tree, 500)?;
    assert!(patch.len() < 600 && patch.ends_with(b"[cut after 500 bytes]\n"));
    let whole = String::from_utf8(found.patch(&session.start, &tree, 1 << 20)?)?;
    assert!(whole.contains("-one\n+two\n+three\n"), "{whole}");
    Ok(())
}

#[test]
fn a_run_that_is_taken_up_where_it_left_the_user_knows_where_they_came_from() -> Outcome {
    let repo = TestRepo::new()?;
    let mine = repo.git(&["branch", "--show-current"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "the agent's\n")?;
    session.accept()?;
    session.close()?;
    let resume_at = Some(session.head.clone());
    for dirty in [DirtyPolicy::Refuse, DirtyPolicy::Stash] {
        if dirty == DirtyPolicy::Stash {
            repo.write("a.txt", "the user's\n")?;
        }
        let again = OpenWorkspace { resume_at: resume_at.clone(), dirty, ..request() };
        let (workspace, mut worktree) = repo.open_with(&again)?;
        assert_eq!(workspace.came_from, mine);
        assert_eq!(workspace.stash.is_some(), dirty == DirtyPolicy::Stash);
        worktree.close(&CloseWorkspace {
            head: session.head.clone(),
            stash: workspace.stash,
            keep_as: "unfinished".into(),
        })?;
    }
    Ok(())
}
