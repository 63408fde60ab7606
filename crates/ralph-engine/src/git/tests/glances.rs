//! A glance: the user's files as they are, in a copy, whatever state the checkout is in, and nothing of it changed.

use super::*;

fn status(repo: &TestRepo) -> Result<(String, String, String), Box<dyn Error>> {
    let refs = repo.git(&["for-each-ref"])?;
    let staged = repo.git(&["ls-files", "--stage"]).unwrap_or_default();
    Ok((repo.git(&["status", "--porcelain=v2"])?, refs, staged))
}

/// What a planner would find at a path of its copy.
fn seen(repo: &TestRepo, paths: &[&str]) -> Result<Vec<Option<String>>, Box<dyn Error>> {
    let (workspace, glance) = repo.repository()?.glance(&repo.truth(), &repo.state())?;
    assert!(workspace.branch.is_empty() && !workspace.head.is_empty());
    let copy = glance.copy(&workspace.head, &repo.state())?;
    let files = paths.iter().map(|path| fs::read_to_string(copy.root().join(path)).ok()).collect();
    assert_eq!(copy.remove(), None);
    Ok(files)
}

#[test]
fn changes_that_are_in_no_commit_are_seen_and_stay_as_they_are() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "changed\n")?;
    repo.write("staged.txt", "staged\n")?;
    repo.git(&["add", "staged.txt"])?;
    repo.write("untracked.md", "idea\n")?;
    fs::remove_file(repo.root.join("src/lib.rs"))?;
    repo.write(".ralph/plan.json", "{}")?;
    let before = status(&repo)?;
    let files = seen(&repo, &["a.txt", "staged.txt", "untracked.md", "src/lib.rs"])?;
    let expected = [Some("changed\n"), Some("staged\n"), Some("idea\n"), None];
    assert_eq!(files, expected.map(|text| text.map(str::to_owned)));
    assert_eq!(status(&repo)?, before);
    Ok(())
}

#[test]
fn it_works_before_the_first_commit_on_no_branch_without_a_name_and_in_a_merge() -> Outcome {
    let repo = TestRepo::empty("git".into())?;
    repo.write("idea.md", "first\n")?;
    assert_eq!(seen(&repo, &["idea.md"])?, [Some("first\n".to_owned())]);

    let repo = TestRepo::new()?;
    repo.git(&["checkout", "-q", "--detach"])?;
    repo.git(&["config", "--unset", "user.name"])?;
    repo.git(&["config", "--unset", "user.email"])?;
    repo.write("a.txt", "two\n")?;
    let before = status(&repo)?;
    assert_eq!(seen(&repo, &["a.txt"])?, [Some("two\n".to_owned())]);
    assert_eq!(status(&repo)?, before);

    let repo = TestRepo::new()?;
    repo.git(&["checkout", "-q", "-b", "other"])?;
    repo.write("a.txt", "theirs\n")?;
    repo.git(&["commit", "-qam", "theirs"])?;
    repo.git(&["checkout", "-q", "main"])?;
    repo.write("a.txt", "ours\n")?;
    repo.git(&["commit", "-qam", "ours"])?;
    assert!(repo.git(&["merge", "other"]).is_err());
    let before = status(&repo)?;
    let files = seen(&repo, &["a.txt", "src/lib.rs"])?;
    assert!(files[0].as_deref().is_some_and(|text| text.contains("<<<<<<<")), "{files:?}");
    assert_eq!(files[1].as_deref(), Some("fn one() {}\n"));
    assert_eq!(status(&repo)?, before);
    Ok(())
}

#[test]
fn odd_files_are_neither_opened_nor_moved() -> Outcome {
    let repo = TestRepo::new()?;
    fs::remove_file(repo.root.join("a.txt"))?;
    let made = Command::new("mkfifo").arg(repo.root.join("a.txt")).status()?;
    assert!(made.success());
    fs::remove_file(repo.root.join("src/lib.rs"))?;
    std::os::unix::fs::symlink("/etc/hostname", repo.root.join("src/lib.rs"))?;
    seen(&repo, &[])?;
    let entry = fs::symlink_metadata(repo.root.join("a.txt"))?;
    assert!(!entry.is_file() && !entry.is_dir(), "the pipe is gone");
    Ok(())
}
