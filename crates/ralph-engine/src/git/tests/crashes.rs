//! Runs taken up again after they were cut off anywhere.

use super::*;

/// What the next process does after a crash.
fn again(repo: &TestRepo, at: &CommitId) -> Result<Session, GitError> {
    let resume = OpenWorkspace { resume_at: Some(at.clone()), ..request() };
    let (workspace, worktree) = repo.open_with(&resume)?;
    Ok(Session::new(workspace, worktree))
}

#[test]
fn a_crashed_run_goes_on_from_its_checkpoint_and_loses_nothing() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    repo.write("half.txt", "half\n")?;
    let head = session.head.clone();
    drop(session);
    fs::write(repo.root.join(".git/index.lock"), "")?;
    fs::write(repo.truth().join("index.lock"), "")?;
    fs::write(repo.truth().join("stage/index"), "torn")?;
    let mut session = again(&repo, &head)?;
    assert_eq!(session.workspace.untracked, 1);
    let kept = session.checkpoint()?.ok_or("the half-done work was not kept")?;
    assert_eq!(repo.git(&["show", &format!("{kept}:half.txt")])?, "half");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? mine.txt");
    repo.write("c.txt", "c\n")?;
    assert_eq!(session.accept()?.sample, ["c.txt"]);
    Ok(())
}

#[test]
fn a_branch_and_head_that_moved_meanwhile_are_put_back_and_kept() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    let head = session.head.clone();
    drop(session);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "stray"])?;
    let stray = repo.git(&["rev-parse", "HEAD"])?;
    repo.git(&["switch", "-q", "main"])?;
    let mut session = again(&repo, &head)?;
    session.checkpoint()?;
    assert!(session.notes.join("\n").contains("refs/ralph/r1/moved/1"), "{:?}", session.notes);
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, head.as_str());
    assert_eq!(repo.git(&["rev-parse", "refs/ralph/r1/moved/1"])?, stray);
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"));
    Ok(())
}

#[test]
fn a_missing_commit_is_said_so() -> Outcome {
    let repo = TestRepo::new()?;
    drop(repo.open()?);
    let lost = CommitId("0123456789".repeat(4));
    let error = again(&repo, &lost).err();
    assert!(matches!(error, Some(GitError::MissingObject { .. })), "{error:?}");
    Ok(())
}

#[test]
fn an_opening_that_was_cut_short_is_finished() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["switch", "-qc", "ralph/work"])?;
    repo.write("b.txt", "b\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "earlier"])?;
    repo.git(&["switch", "-q", "main"])?;
    repo.write("a.txt", "mine\n")?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() };
    drop(repo.open_with(&opening)?);
    // As after a crash between the record and the change of the checkout.
    let record = fs::read_to_string(repo.truth().join("workspace.json"))?;
    fs::write(repo.truth().join("workspace.json"), record.replace("\"open\"", "\"opening\""))?;
    fs::remove_file(repo.root.join("b.txt"))?;
    repo.write("a.txt", "mine\n")?;
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/main"])?;
    let (workspace, worktree) = repo.open_with(&opening)?;
    assert_eq!(workspace.stash.as_deref(), Some("refs/ralph/r1/stash"));
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"));
    Session::new(workspace, worktree).close()?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"));
    Ok(())
}

#[test]
fn a_linked_worktree_that_is_gone_is_made_again() -> Outcome {
    let repo = TestRepo::new()?;
    let opening = OpenWorkspace { linked_worktree: true, ..request() };
    let (workspace, worktree) = repo.open_with(&opening)?;
    let head = workspace.head.clone();
    drop(worktree);
    fs::remove_dir_all(&workspace.root)?;
    let (workspace, worktree) =
        repo.open_with(&OpenWorkspace { resume_at: Some(head), ..opening.clone() })?;
    let mut session = Session::new(workspace, worktree);
    assert_eq!(session.checkpoint()?, None);
    put(session.worktree.root(), "b.txt", "b\n")?;
    assert_eq!(session.accept()?.sample, ["b.txt"]);
    session.close()?;
    let (workspace, _) = repo.open_with(&opening)?;
    assert_eq!(workspace.head, session.head, "a closed run opens again on its branch");
    Ok(())
}

#[test]
fn a_run_that_was_closed_asks_again_about_the_users_changes() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    session.close()?;
    repo.write("a.txt", "mine since\n")?;
    assert!(matches!(again(&repo, &session.head).err(), Some(GitError::Dirty { .. })));
    repo.git(&["commit", "-qam", "the user's own"])?;
    let resumed = again(&repo, &session.head)?;
    assert_eq!(resumed.head.as_str(), repo.git(&["rev-parse", "HEAD"])?);
    Ok(())
}

#[test]
fn a_capture_repeated_after_a_crash_gives_the_same() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let first = session.capture()?;
    let (head, start) = (session.head.clone(), session.start.clone());
    drop(session);
    let mut session = again(&repo, &head)?;
    session.start = start;
    let repeated = session.capture()?;
    assert!(repeated.notes[0].contains("cannot be told apart"), "{:?}", repeated.notes);
    assert_eq!(Captured { notes: Vec::new(), ..repeated }, first);
    let ask = session.commit_request(&first);
    let commit = session.worktree.commit(&ask)?;
    drop(session);
    let session = again(&repo, &head)?;
    assert_eq!(session.worktree.find_commit(&ask)?, Some(commit));
    assert!(session.workspace.notes.is_empty(), "{:?}", session.workspace.notes);
    Ok(())
}

#[test]
fn gates_after_a_crash_or_a_close_judge_the_captured_tree_and_no_other() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "captured\n")?;
    let tree = session.capture()?.tree.ok_or("no tree")?;
    let head = session.head.clone();
    drop(session);
    repo.write("b.txt", "mended by hand\n")?;
    repo.write("left-by-a-gate.txt", "half\n")?;
    let mut session = again(&repo, &head)?;
    session.worktree.ensure(&tree)?;
    assert_eq!(repo.read("b.txt").as_deref(), Some("captured\n"));
    assert_eq!(repo.read("left-by-a-gate.txt"), None);
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/r1/found"])?;
    assert_eq!(repo.git(&["show", &format!("{kept}:b.txt")])?, "mended by hand");
    session.close()?;
    assert_eq!(repo.read("b.txt"), None);
    let mut session = again(&repo, &head)?;
    session.worktree.ensure(&tree)?;
    assert_eq!(repo.read("b.txt").as_deref(), Some("captured\n"));
    Ok(())
}

/// A git that works until its `last` call, which is cut off before or after it did its work.
fn failing_git(
    repo: &TestRepo,
    last: usize,
    does_its_work: bool,
) -> Result<GitEnv, Box<dyn Error>> {
    let script = repo.home.path().join("failing-git");
    let count = repo.home.path().join("count");
    let work = if does_its_work { "git \"$@\" >/dev/null 2>&1" } else { ":" };
    fs::write(&count, "0")?;
    fs::write(
        &script,
        format!(
            "#!/bin/sh\nread n <'{count}'\nn=$((n + 1))\necho $n >'{count}'\n\
             if [ $n -lt {last} ]; then exec git \"$@\"; fi\n\
             if [ $n -eq {last} ]; then {work}; fi\nexit 137\n",
            count = count.display()
        ),
    )?;
    make_executable(&script)?;
    Ok(GitEnv::new(script, repo.vars()))
}

/// A whole run: opened with a stash, one accepted iteration, one left half-done, closed.
fn whole_run(repo: &TestRepo, env: &GitEnv, head: &mut Option<CommitId>) -> Result<(), GitError> {
    let found = Repository::discover_with(env, &repo.root)?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Stash, resume_at: head.clone(), ..request() };
    let state = repo.home.path().join("state");
    let (workspace, worktree) = found.open(&opening, &run(), &repo.truth(), &state)?;
    let mut session = Session::new(workspace, worktree);
    *head = Some(session.head.clone());
    session.checkpoint()?;
    let io = |_| GitError::NoCommit;
    repo.write("b.txt", "b\n").map_err(io)?;
    session.accept()?;
    *head = Some(session.head.clone());
    session.checkpoint()?;
    repo.write("half.txt", "half\n").map_err(io)?;
    fs::remove_file(repo.root.join("src/lib.rs")).map_err(io)?;
    session.close()?;
    Ok(())
}

/// Cuts a whole run off at its `last` call of git, then lets it be taken up. False: it ended before.
fn cut_off_at(last: usize, does_its_work: bool) -> Result<bool, Box<dyn Error>> {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "mine\n")?;
    repo.write("mine.txt", "untracked\n")?;
    let mut head = None;
    let cut = whole_run(&repo, &failing_git(&repo, last, does_its_work)?, &mut head);
    let was_cut = cut.is_err();
    if was_cut {
        if repo.read("src/lib.rs").is_none() && head.is_none() {
            return Err("files changed before the workspace was open".into());
        }
        whole_run(&repo, &repo.env(), &mut head).map_err(|error| format!("at {last}: {error}"))?;
    }
    let at = format!("cut off at call {last}, work done: {does_its_work}");
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"), "{at}");
    assert_eq!(repo.read("mine.txt").as_deref(), Some("untracked\n"), "{at}");
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"), "{at}");
    assert_eq!(repo.read("half.txt"), None, "{at}");
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "ralph/work", "{at}");
    assert_eq!(repo.git(&["status", "--porcelain"])?, " M a.txt\n?? mine.txt", "{at}");
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
    let has = |file: &str| {
        kept.lines().any(|name| repo.git(&["cat-file", "-e", &format!("{name}:{file}")]).is_ok())
    };
    assert!(has("half.txt") && has("mine.txt"), "{at}: {kept}");
    Ok(was_cut)
}

#[test]
fn a_run_cut_off_in_any_git_command_can_be_taken_up_with_nothing_lost() -> Outcome {
    // A sample by default; every call with RALPH_EVERY_CRASH_POINT set.
    let step = if env::var_os("RALPH_EVERY_CRASH_POINT").is_some() { 1 } else { 7 };
    for does_its_work in [false, true] {
        let mut last = if does_its_work { 4 } else { 1 };
        while cut_off_at(last, does_its_work)? {
            last += step;
        }
        assert!(last > 30, "the run is shorter than it was");
    }
    Ok(())
}
