//! What a run begins with is a person's only if it is on a branch of theirs.

use super::*;

/// Opens another run, and says whether a person has taken what it begins with.
fn begins_taken(repo: &TestRepo, name: &str, request: &OpenWorkspace) -> Result<bool, GitError> {
    let truth = repo.root.join(".git/ralph/runs").join(name);
    let (workspace, mut worktree) =
        repo.repository()?.open(request, &name.into(), &truth, &repo.state())?;
    let is_taken = worktree.begins_taken(&workspace.tree)?;
    assert!(!worktree.begins_taken(&"another".into())?);
    Session::new(workspace, worktree).close()?;
    Ok(is_taken)
}

/// A first run that accepted a change.
fn worked(repo: &TestRepo) -> Outcome {
    let mut session = repo.open()?;
    assert!(session.worktree.begins_taken(&session.start.clone())?);
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    let accepted = session.worktree.tree_of(&session.head.clone())?;
    assert!(!session.worktree.begins_taken(&accepted)?);
    session.close()?;
    Ok(())
}

#[test]
fn what_an_earlier_run_accepted_is_nobodys_until_it_is_on_a_branch_of_the_users() -> Outcome {
    let repo = TestRepo::new()?;
    worked(&repo)?;
    for from in ["ralph/work", "main"] {
        repo.git(&["switch", "-q", from])?;
        assert!(!begins_taken(&repo, "r2", &request())?, "from {from}");
        assert!(!begins_taken(&repo, "r1", &request())?, "from {from}, the same run");
    }
    repo.git(&["switch", "-q", "ralph/work"])?;
    let other = OpenWorkspace { branch: "ralph/other".into(), ..request() };
    assert!(!begins_taken(&repo, "r3", &other)?, "another branch begins at the first run's");
    repo.git(&["switch", "-q", "main"])?;
    repo.git(&["merge", "-q", "ralph/work"])?;
    for from in ["main", "ralph/work"] {
        repo.git(&["switch", "-q", from])?;
        assert!(begins_taken(&repo, "r4", &request())?, "merged, from {from}");
    }
    Ok(())
}

#[test]
fn a_users_own_changes_are_taken_as_they_are() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "changed\n")?;
    let wip = OpenWorkspace { dirty: DirtyPolicy::Wip, ..request() };
    assert!(begins_taken(&repo, "r1", &wip)?);
    Ok(())
}

#[test]
fn a_record_that_cannot_be_read_leaves_nothing_taken() -> Outcome {
    let repo = TestRepo::new()?;
    put(&repo.root, ".git/ralph/runs/r0/workspace.json", "{")?;
    assert!(!begins_taken(&repo, "r1", &request())?);
    Ok(())
}
