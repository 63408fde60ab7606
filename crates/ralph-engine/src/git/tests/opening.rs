//! Getting onto the run branch: every policy, every refusal, and what is the user's afterwards.

use super::*;

#[test]
fn an_in_place_run_creates_its_branch_and_leaves_every_file_as_it_is() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("notes.txt", "mine\n")?;
    let session = repo.open()?;
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "ralph/work");
    assert_eq!(session.workspace.came_from, "main");
    assert_eq!(session.workspace.untracked, 1);
    assert_eq!(session.workspace.tree.as_str(), repo.git(&["rev-parse", "HEAD^{tree}"])?);
    assert_eq!(repo.read("notes.txt").as_deref(), Some("mine\n"));
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? notes.txt");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/untracked:notes.txt"])?, "mine");
    Ok(())
}

#[test]
fn an_existing_branch_is_continued_with_its_files() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["switch", "-qc", "ralph/work"])?;
    repo.write("b/new.txt", "on the branch\n")?;
    repo.git(&["rm", "-q", "a.txt"])?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "earlier"])?;
    repo.git(&["switch", "-q", "main"])?;
    let session = repo.open()?;
    assert_eq!(repo.read("b/new.txt").as_deref(), Some("on the branch\n"));
    assert_eq!(repo.read("a.txt"), None);
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(session.head.as_str(), repo.git(&["rev-parse", "ralph/work"])?);
    Ok(())
}

#[test]
fn a_switch_that_would_overwrite_untracked_or_ignored_files_is_refused() -> Outcome {
    for ignore in ["", "b.txt\n"] {
        let repo = TestRepo::new()?;
        repo.git(&["switch", "-qc", "ralph/work"])?;
        repo.write("b.txt", "theirs\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-qm", "earlier"])?;
        repo.git(&["switch", "-q", "main"])?;
        fs::write(repo.root.join(".git/info/exclude"), ignore)?;
        repo.write("b.txt", "mine\n")?;
        let refused = repo.open().err();
        assert!(matches!(refused, Some(GitError::WouldOverwrite { .. })), "{refused:?}");
        assert_eq!(repo.read("b.txt").as_deref(), Some("mine\n"));
        assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "main");
    }
    Ok(())
}

#[test]
fn changes_of_tracked_files_are_refused_with_the_ways_out() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "two\n")?;
    let Some(error) = repo.open().err() else {
        return Err("not refused".into());
    };
    assert_eq!(error.to_string(), "1 tracked file has uncommitted changes: a.txt");
    for way in ["--wip", "--stash", "--worktree", "commit"] {
        assert!(error.help().contains(way), "{}", error.help());
    }
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "main");
    assert_eq!(repo.read("a.txt").as_deref(), Some("two\n"));
    Ok(())
}

#[test]
fn changes_in_ralphs_folder_are_never_dirty_tracked_or_not() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".ralph/plan.json", "{}")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "plan"])?;
    repo.write(".ralph/plan.json", "{\"changed\":1}")?;
    repo.write(".ralph/other", "x")?;
    let session = repo.open()?;
    assert_eq!(session.workspace.untracked, 0);
    assert_eq!(repo.read(".ralph/plan.json").as_deref(), Some("{\"changed\":1}"));
    Ok(())
}

#[test]
fn wip_commits_the_users_changes_first_as_theirs() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "staged\n")?;
    repo.write("staged-new.txt", "x\n")?;
    repo.git(&["add", "-A"])?;
    repo.write("a.txt", "and changed again\n")?;
    repo.write("untracked.txt", "left\n")?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Wip, ..request() };
    let (workspace, _) = repo.open_with(&opening)?;
    let log = repo.git(&["log", "--format=%s|%an", "-1", "ralph/work"])?;
    assert_eq!(log, "wip: saved by ralph before run r1|A User");
    assert_eq!(repo.git(&["show", "HEAD:a.txt"])?, "and changed again");
    assert_eq!(repo.git(&["show", "HEAD:staged-new.txt"])?, "x");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/index:a.txt"])?, "staged");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? untracked.txt");
    assert_eq!(repo.git(&["rev-parse", "main"])?, workspace.head.as_str());
    Ok(())
}

#[test]
fn a_stash_comes_back_at_the_end_with_its_index() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "changed\n")?;
    repo.write("new.txt", "staged new\n")?;
    repo.git(&["add", "new.txt"])?;
    repo.git(&["rm", "-q", "--cached", "src/lib.rs"])?;
    fs::remove_file(repo.root.join("src/lib.rs"))?;
    let before = repo.git(&["status", "--porcelain"])?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() };
    let (workspace, worktree) = repo.open_with(&opening)?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write("agent.txt", "work\n")?;
    session.accept()?;
    session.close()?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, before);
    assert_eq!(repo.read("a.txt").as_deref(), Some("changed\n"));
    assert_eq!(repo.read("agent.txt").as_deref(), Some("work\n"));
    assert_eq!(session.close()?, Vec::<String>::new());
    assert_eq!(repo.git(&["status", "--porcelain"])?, before);
    Ok(())
}

#[test]
fn a_stash_keeps_what_stands_in_the_place_of_tracked_files() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["rm", "-q", "--cached", "a.txt"])?;
    repo.write("a.txt", "untracked by me\n")?;
    fs::remove_dir_all(repo.root.join("src"))?;
    repo.write("src", "a file by now\n")?;
    let before = repo.git(&["status", "--porcelain"])?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() };
    let (workspace, worktree) = repo.open_with(&opening)?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write("agent.txt", "work\n")?;
    session.accept()?;
    session.close()?;
    assert_eq!(repo.git(&["status", "--porcelain"])?, before);
    assert_eq!(repo.read("a.txt").as_deref(), Some("untracked by me\n"));
    assert_eq!(repo.read("src").as_deref(), Some("a file by now\n"));
    Ok(())
}

#[test]
fn a_stash_that_no_longer_fits_is_kept_and_the_note_says_how_to_get_it() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "mine\n")?;
    let opening = OpenWorkspace { dirty: DirtyPolicy::Stash, ..request() };
    let (workspace, worktree) = repo.open_with(&opening)?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write("a.txt", "the agent's\n")?;
    session.accept()?;
    let notes = session.close()?.join("\n");
    assert!(notes.contains("git stash apply --index refs/ralph/r1/stash"), "{notes}");
    assert_eq!(repo.read("a.txt").as_deref(), Some("the agent's\n"));
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    repo.git(&["switch", "-q", "main"])?;
    repo.git(&["stash", "apply", "--index", "refs/ralph/r1/stash"])?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("mine\n"));
    Ok(())
}

#[test]
fn a_linked_worktree_leaves_the_users_checkout_alone() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "dirty\n")?;
    repo.write("untracked.txt", "mine\n")?;
    let opening = OpenWorkspace { linked_worktree: true, ..request() };
    let (workspace, worktree) = repo.open_with(&opening)?;
    let root = PathBuf::from(&workspace.root);
    assert_ne!(root, repo.root);
    assert_eq!(fs::read_to_string(root.join("a.txt"))?, "one\n");
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    put(&root, "agent.txt", "work\n")?;
    repo.write("users.txt", "typed meanwhile\n")?;
    repo.git(&["branch", "users-branch"])?;
    let captured = session.accept()?;
    assert_eq!(captured.violations, []);
    assert_eq!(captured.sample, ["agent.txt"]);
    assert_eq!(repo.git_in(&root, &["status", "--porcelain"])?, "");
    put(&root, "unaccepted.txt", "half\n")?;
    let notes = session.close()?.join("\n");
    assert!(notes.contains("ralph/work"), "{notes}");
    assert!(!root.exists());
    assert_eq!(repo.git(&["show", "ralph/work:agent.txt"])?, "work");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/unfinished:unaccepted.txt"])?, "half");
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "main");
    assert_eq!(repo.read("a.txt").as_deref(), Some("dirty\n"));
    assert_eq!(repo.git(&["worktree", "list"])?.lines().count(), 1);
    assert_eq!(session.close()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_run_begun_in_a_linked_worktree_of_the_users_works_there() -> Outcome {
    let repo = TestRepo::new()?;
    let side = repo.home.path().join("side");
    repo.git(&["worktree", "add", "-q", "-b", "side", &side.display().to_string()])?;
    let found = Repository::discover_with(&repo.env(), &side.join("src"))?;
    assert_eq!(found.main_root(), repo.root);
    assert_eq!(found.common_dir(), repo.root.join(".git"));
    let (workspace, worktree) = found.open(&request(), &run(), &repo.truth(), &side)?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    put(&side, "agent.txt", "x")?;
    repo.git(&["commit", "-q", "--allow-empty", "-m", "the user goes on in the main worktree"])?;
    assert_eq!(session.accept()?.violations, []);
    assert_eq!(repo.git_in(&side, &["status", "--porcelain"])?, "");
    Ok(())
}

#[test]
fn what_cannot_be_worked_in_is_said_clearly() -> Outcome {
    let repo = TestRepo::new()?;
    let env = || repo.env();
    let discover = |dir: &Path| Repository::discover_with(&env(), dir);
    let nowhere = tempfile::tempdir()?;
    assert!(matches!(discover(nowhere.path()), Err(GitError::NoRepository { .. })));
    assert!(matches!(discover(&repo.root.join(".git")), Err(GitError::InsideGitDir { .. })));
    let bare = repo.home.path().join("bare.git");
    repo.git(&["init", "-q", "--bare", &bare.display().to_string()])?;
    assert!(matches!(discover(&bare), Err(GitError::Bare { .. })));
    let missing = GitEnv::new("/nonexistent/git", repo.vars());
    assert!(matches!(Repository::discover_with(&missing, &repo.root), Err(GitError::NotInstalled)));
    repo.git(&["checkout", "-q", "--detach"])?;
    assert!(matches!(repo.open().err(), Some(GitError::DetachedHead)));
    let unborn = TestRepo::empty(PathBuf::from("git"))?;
    assert!(matches!(unborn.open().err(), Some(GitError::NoCommit)));
    assert!(matches!(unborn.repository()?.check(), Err(GitError::NoCommit)));
    repo.git(&["switch", "-q", "main"])?;
    repo.git(&["config", "--unset", "user.email"])?;
    let unnamed = repo.open().err();
    assert!(matches!(unnamed, Some(GitError::NoIdentity { .. })), "{unnamed:?}");
    Ok(())
}

#[test]
fn a_merge_in_progress_and_a_branch_of_another_worktree_are_refused() -> Outcome {
    let repo = TestRepo::new()?;
    let side = repo.home.path().join("side").display().to_string();
    repo.git(&["worktree", "add", "-q", "-b", "ralph/work", &side])?;
    assert!(matches!(repo.open().err(), Some(GitError::BranchElsewhere { .. })));
    let head = repo.git(&["rev-parse", "HEAD"])?;
    fs::write(repo.root.join(".git/MERGE_HEAD"), head)?;
    assert!(matches!(repo.open().err(), Some(GitError::InProgress { what: "merge" })));
    Ok(())
}

#[test]
fn submodules_are_left_alone_and_named() -> Outcome {
    let repo = TestRepo::new()?;
    let other = TestRepo::new()?;
    let url = other.root.display().to_string();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"])?;
    repo.git(&["commit", "-qm", "submodule"])?;
    let mut session = repo.open()?;
    assert!(session.workspace.notes.iter().any(|note| note.contains("sub")));
    session.checkpoint()?;
    repo.write("sub/a.txt", "changed inside\n")?;
    repo.write("sub/new.txt", "new inside\n")?;
    repo.write("agent.txt", "work\n")?;
    let captured = session.accept()?;
    assert_eq!((captured.sample, captured.violations), (vec!["agent.txt".to_owned()], vec![]));
    assert!(repo.git(&["ls-tree", "HEAD", "sub"])?.starts_with("160000"));
    session.checkpoint()?;
    session.close()?;
    assert_eq!(repo.read("sub/a.txt").as_deref(), Some("changed inside\n"));
    Ok(())
}

#[test]
fn files_that_another_branch_does_not_ignore_stay_where_they_are() -> Outcome {
    for policy in [DirtyPolicy::Refuse, DirtyPolicy::Stash] {
        let repo = TestRepo::new()?;
        repo.git(&["branch", "ralph/test"])?;
        repo.write(".gitignore", ".env\ndata/\n")?;
        if policy == DirtyPolicy::Refuse {
            repo.git(&["add", "-A"])?;
            repo.git(&["commit", "-q", "-m", "ignore"])?;
        } else {
            repo.git(&["add", ".gitignore"])?;
        }
        repo.write(".env", "key")?;
        repo.write("data/rows", "r")?;
        let (workspace, _) = repo.open_with(&OpenWorkspace { dirty: policy, ..request() })?;
        assert_eq!(fs::read_to_string(repo.root.join(".env"))?, "key", "{workspace:?}");
        assert_eq!(fs::read_to_string(repo.root.join("data/rows"))?, "r", "{workspace:?}");
    }
    Ok(())
}
