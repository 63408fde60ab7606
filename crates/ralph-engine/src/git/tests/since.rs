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
