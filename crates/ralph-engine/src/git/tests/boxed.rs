//! Git in its box: what it still does, and what nothing can make it do.

use super::*;

/// A program that leaves a mark outside and inside the repository, and turns text to upper case.
fn upper(repo: &TestRepo) -> Result<(PathBuf, String), Box<dyn Error>> {
    let canary = repo.home.path().join("canary");
    let script = repo.home.path().join("bin/upper.sh");
    put(
        repo.home.path(),
        "bin/upper.sh",
        &format!(
            "#!/bin/sh\ntouch '{0}' '{1}/.git/marked' '{1}/marked' 2>/dev/null\ntr a-z A-Z\n",
            canary.display(),
            repo.root.display()
        ),
    )?;
    make_executable(&script)?;
    Ok((canary, script.display().to_string()))
}

fn opened(repo: &TestRepo, repository: &Repository) -> Result<Session, GitError> {
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    Ok(Session::new(workspace, worktree))
}

#[test]
fn tracked_files_with_a_filter_that_nobody_named_refuse_the_run_before_it_touches_anything()
-> Outcome {
    let repo = TestRepo::new()?;
    let (canary, script) = upper(&repo)?;
    repo.write(".gitattributes", "*.up filter=upper\n")?;
    repo.write("word.up", "word\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "filtered"])?;
    repo.git(&["config", "filter.upper.clean", &script])?;
    for repository in [repo.repository()?, repo.repository()?.without_box()] {
        let refused = opened(&repo, &repository).err().ok_or("not refused")?;
        assert_eq!(
            refused.to_string(),
            "1 file goes through the filter upper, which may not run: word.up"
        );
        assert!(refused.help().contains("filters = [\"upper\"]"), "{}", refused.help());
        assert!(!repo.truth().exists() && !canary.exists());
        assert_eq!(repo.git(&["branch", "--list"])?, "* main");
    }
    Ok(())
}

#[test]
fn attributes_of_an_agent_run_no_filter_and_its_files_are_taken_as_they_are() -> Outcome {
    for is_boxed in [true, false] {
        let repo = TestRepo::new()?;
        let (canary, script) = upper(&repo)?;
        for what in ["clean", "smudge", "process"] {
            repo.git(&["config", &format!("filter.upper.{what}"), &script])?;
        }
        repo.git(&["config", "filter.upper.required", "true"])?;
        let repository = repo.repository()?;
        let repository = if is_boxed { repository } else { repository.without_box() };
        let mut session = opened(&repo, &repository)?;
        session.checkpoint()?;
        repo.write(".gitattributes", "*.up filter=upper\n")?;
        repo.write("word.up", "word\n")?;
        let captured = session.accept()?;
        let tree = captured.tree.unwrap_or_default();
        assert_eq!(repo.git(&["show", &format!("{tree}:word.up")])?, "word");
        fs::remove_file(repo.root.join("word.up"))?;
        session.worktree.disturbed();
        session.checkpoint()?;
        assert_eq!(repo.read("word.up").as_deref(), Some("word\n"));
        assert!(!canary.exists(), "the filter ran");
    }
    Ok(())
}

#[test]
fn a_filter_that_an_agent_configures_during_the_run_never_runs() -> Outcome {
    let repo = TestRepo::new()?;
    let (canary, script) = upper(&repo)?;
    let mut session = opened(&repo, &repo.repository()?.without_box())?;
    session.checkpoint()?;
    for what in ["clean", "smudge", "process"] {
        repo.git(&["config", &format!("filter.upper.{what}"), &script])?;
    }
    repo.write(".gitattributes", "*.up filter=upper\n")?;
    repo.write("word.up", "word\n")?;
    let tree = session.accept()?.tree.unwrap_or_default();
    let output = repo.git(&["cat-file", "blob", &format!("{tree}:word.up")])?;
    assert_eq!(output, "word", "what gates judged is what is committed");
    assert!(!canary.exists(), "the filter ran");
    Ok(())
}

#[test]
fn a_filter_that_was_named_works_and_reaches_nothing_outside() -> Outcome {
    let repo = TestRepo::new()?;
    let (canary, script) = upper(&repo)?;
    repo.git(&["config", "filter.upper.clean", &script])?;
    let repository = repo.repository()?.with_filters(&["upper".into()]);
    assert!(repository.is_enclosed(), "these tests need bubblewrap");
    let mut session = opened(&repo, &repository)?;
    session.checkpoint()?;
    repo.write(".gitattributes", "*.up filter=upper\n")?;
    repo.write("word.up", "word\n")?;
    let tree = session.accept()?.tree.unwrap_or_default();
    assert_eq!(repo.git(&["show", &format!("{tree}:word.up")])?, "WORD");
    for mark in [canary, repo.root.join(".git/marked"), repo.root.join("marked")] {
        assert!(!mark.exists(), "{}", mark.display());
    }
    Ok(())
}

/// A filter that an agent has in its hands: it removes what it finds in the object store, and puts other things there.
fn destroyer(repo: &TestRepo) -> Result<String, Box<dyn Error>> {
    let objects = repo.root.join(".git/objects");
    let script = format!(
        "#!/bin/sh\nfind '{0}' -path '*/tmp_objdir-*' -prune -o -type f -exec rm -f {{}} + 2>/dev/null\n\
         mkdir -p \"$GIT_OBJECT_DIRECTORY/info\" \"$GIT_OBJECT_DIRECTORY/zz\"\n\
         echo /tmp > \"$GIT_OBJECT_DIRECTORY/info/alternates\"\nln -s /etc/passwd \"$GIT_OBJECT_DIRECTORY/zz/a\"\n\
         exec tr a-z A-Z\n",
        objects.display()
    );
    put(repo.home.path(), "bin/destroy.sh", &script)?;
    let path = repo.home.path().join("bin/destroy.sh");
    make_executable(&path)?;
    Ok(path.display().to_string())
}

#[test]
fn a_filter_can_neither_remove_nor_replace_an_object() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "filter.upper.clean", &destroyer(&repo)?])?;
    // Larger files are written as packs of their own.
    repo.git(&["config", "core.bigFileThreshold", "1k"])?;
    let repository = repo.repository()?.with_filters(&["upper".into()]);
    let mut session = opened(&repo, &repository)?;
    session.checkpoint()?;
    repo.write(".gitattributes", "*.up filter=upper\n")?;
    repo.write("word.up", "word\n")?;
    repo.write("large.bin", &"large\n".repeat(1000))?;
    let tree = session.accept()?.tree.unwrap_or_default();
    assert_eq!(repo.git(&["show", &format!("{tree}:word.up")])?, "WORD");
    assert_eq!(repo.git(&["show", &format!("{tree}:large.bin")])?.len(), 5999);
    repo.git(&["fsck", "--full", "--strict"])?;
    let mut left = repo.git(&["count-objects", "-v"])?;
    left.retain(|letter| letter != ' ');
    assert!(left.contains("packs:1\n") && left.contains("garbage:0"), "{left}");
    for name in ["info/alternates", "zz"] {
        assert!(!repo.root.join(".git/objects").join(name).exists(), "{name}");
    }
    Ok(())
}

#[test]
fn files_that_differ_by_their_case_alone_are_two_whatever_the_configuration_says() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.ignoreCase", "true"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("A.TXT", "another\n")?;
    let tree = session.accept()?.tree.unwrap_or_default();
    assert_eq!(repo.git(&["show", &format!("{tree}:A.TXT")])?, "another");
    assert_eq!(repo.git(&["show", &format!("{tree}:a.txt")])?, "one");
    Ok(())
}

#[test]
fn configuration_from_the_worktree_is_refused_whether_it_is_there_or_not() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "include.path", "../.gitconfig"])?;
    let refused = repo.open().err().ok_or("not refused")?;
    assert!(matches!(refused, GitError::ForeignConfiguration { .. }), "{refused}");
    repo.git(&["config", "include.path", "../../team"])?;
    put(repo.home.path(), "team", "[core]\n\tautocrlf = false\n")?;
    let link = repo.home.path().join(".config/git/config");
    fs::create_dir_all(link.parent().unwrap_or(&link))?;
    std::os::unix::fs::symlink(repo.root.join("planted"), &link)?;
    let refused = repo.open().err().ok_or("a link to a file that an agent could make")?;
    assert!(matches!(refused, GitError::ForeignConfiguration { .. }), "{refused}");
    fs::remove_file(link)?;
    repo.open()?;
    Ok(())
}

#[test]
fn the_users_own_ignore_rules_and_line_endings_hold_in_the_box() -> Outcome {
    let repo = TestRepo::new()?;
    put(repo.home.path(), ".config/git/ignore", "*.swp\n")?;
    put(repo.home.path(), ".gitconfig", "[core]\n\tautocrlf = input\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("a.txt", "one\r\ntwo\r\n")?;
    repo.write(".a.swp", "x")?;
    let captured = session.accept()?;
    assert_eq!(captured.sample, ["a.txt"]);
    let tree = captured.tree.unwrap_or_default();
    assert_eq!(repo.git(&["show", &format!("{tree}:a.txt")])?, "one\ntwo");
    Ok(())
}

#[test]
fn borrowed_objects_are_found_in_the_box() -> Outcome {
    let repo = TestRepo::new()?;
    let other = repo.root.with_file_name("other");
    let url = repo.root.display().to_string();
    repo.git_in(repo.home.path(), &["clone", "-q", "--shared", &url, "other"])?;
    let repository = Repository::discover_with(&repo.env(), &other)?;
    assert_eq!(repository.uncommitted()?, [""; 0]);
    put(&other, "a.txt", "changed\n")?;
    assert_eq!(repository.uncommitted()?, ["a.txt"]);
    Ok(())
}

#[test]
fn a_tree_is_checked_out_wherever_a_worktree_and_an_index_are_named() -> Outcome {
    let repo = TestRepo::new()?;
    let repository = repo.repository()?;
    let place = repo.home.path().join("state/ralph/room");
    fs::create_dir_all(place.join("files"))?;
    fs::create_dir_all(place.join("own"))?;
    // By another name, as a state folder behind a link would be.
    let linked = repo.home.path().join("linked");
    std::os::unix::fs::symlink(&place, &linked)?;
    let git = repository.git.bound(repository.git_dir(), &linked.join("files"));
    let (index, head) = (linked.join("own/index"), repository.tree_at("HEAD")?);
    git.call(&["read-tree", head.as_str()]).index(&index).ok()?;
    git.call(&["checkout-index", "--all", "--force", "--index"]).index(&index).ok()?;
    assert_eq!(fs::read_to_string(place.join("files/a.txt"))?, "one\n");
    repo.write("a.txt", "two\n")?;
    repo.git(&["commit", "-qam", "second"])?;
    let next = repository.tree_at("HEAD")?;
    let args = ["read-tree", "-m", "-u", head.as_str(), next.as_str()];
    git.call(&args).index(&index).ok()?;
    assert_eq!(fs::read_to_string(place.join("files/a.txt"))?, "two\n");
    Ok(())
}

#[test]
fn a_git_folder_that_became_a_link_is_not_followed() -> Outcome {
    let repo = TestRepo::new()?;
    let other = TestRepo::new()?;
    let repository = repo.repository()?;
    repository.uncommitted()?;
    fs::rename(repo.root.join(".git"), repo.home.path().join("stolen"))?;
    std::os::unix::fs::symlink(other.root.join(".git"), repo.root.join(".git"))?;
    let refused = repository.uncommitted().err().ok_or("followed")?;
    assert!(refused.to_string().contains("is no longer where it was"), "{refused}");
    Ok(())
}

#[test]
fn without_bubblewrap_a_run_works_as_well() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = opened(&repo, &repo.repository()?.without_box())?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    assert_eq!(session.accept()?.sample, ["b.txt"]);
    session.checkpoint()?;
    session.close()?;
    assert_eq!(repo.git(&["show", "HEAD:b.txt"])?, "b");
    Ok(())
}

#[test]
fn an_iteration_has_few_boxes() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("warm.txt", "up")?;
    session.accept()?;
    let count = |session: &Session| session.worktree.repository().git.enclosed();
    let begin = count(&session);
    session.checkpoint()?;
    repo.write("b.txt", "b")?;
    session.accept()?;
    assert_eq!(
        count(&session) - begin,
        5,
        "status, update-index, write-tree, diff-tree of what was touched; status after the gates"
    );
    Ok(())
}
