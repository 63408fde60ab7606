//! Rollback, repair, quarantine and gates: the worktree becomes a tree, nothing is lost.

use std::os::unix::fs::symlink;

use ralph_core::effect::Quarantine;

use super::*;

#[test]
fn a_rollback_keeps_everything_first_and_removes_only_what_appeared() -> Outcome {
    for program in gits() {
        let repo = TestRepo::with(program)?;
        repo.write(".gitignore", "*.log\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-qm", "ignore"])?;
        repo.write("mine.txt", "mine\n")?;
        repo.write("new-dir/mine.txt", "mine too\n")?;
        let mut session = repo.open()?;
        assert_eq!(session.checkpoint()?, None);
        repo.write("a.txt", "agent\n")?;
        fs::remove_file(repo.root.join("src/lib.rs"))?;
        repo.write("deep/er/file.txt", "agent\n")?;
        repo.write("new-dir/agent.txt", "agent\n")?;
        repo.write("build.log", "ignored\n")?;
        let kept = session.checkpoint()?.ok_or("nothing was kept")?;
        assert_eq!(kept, "refs/ralph/r1/found/1");
        assert_eq!(repo.git(&["show", &format!("{kept}:deep/er/file.txt")])?, "agent");
        assert_eq!(repo.git(&["rev-parse", &format!("{kept}^")])?, session.head.as_str());
        assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
        assert_eq!(repo.read("src/lib.rs").as_deref(), Some("fn one() {}\n"));
        assert!(!repo.root.join("deep").exists(), "emptied folders go");
        assert_eq!(repo.read("new-dir/mine.txt").as_deref(), Some("mine too\n"));
        assert_eq!(repo.read("new-dir/agent.txt"), None);
        assert_eq!(repo.read("mine.txt").as_deref(), Some("mine\n"));
        assert_eq!(repo.read("build.log").as_deref(), Some("ignored\n"));
        assert_eq!(session.checkpoint()?, None, "once is enough");
    }
    Ok(())
}

#[test]
fn a_repair_starts_from_the_rejected_tree_and_a_restart_returns_to_it_if_asked() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("half.txt", "half\n")?;
    let tree = session.capture()?.tree;
    assert_eq!(session.checkpoint_at(tree.clone())?, None);
    assert_eq!(repo.read("half.txt").as_deref(), Some("half\n"));
    repo.write("half.txt", "worse\n")?;
    assert!(session.checkpoint_at(tree)?.is_some());
    assert_eq!(repo.read("half.txt").as_deref(), Some("half\n"));
    assert!(session.checkpoint()?.is_some());
    assert_eq!(repo.read("half.txt"), None);
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    Ok(())
}

#[test]
fn a_rejected_attempt_is_quarantined_once() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("bad.txt", "bad\n")?;
    let tree = session.capture()?.tree.unwrap_or_default();
    let mut ask = Quarantine {
        tree,
        parent: session.head.clone(),
        name: "T-1/1".into(),
        message: "rejected".into(),
        hints: Vec::new(),
    };
    let reference = session.worktree.quarantine(&ask)?;
    assert_eq!(reference, "refs/ralph/r1/T-1/1");
    assert_eq!(session.worktree.quarantine(&ask)?, reference);
    assert_eq!(session.checkpoint()?, Some(reference), "the restart needs no second copy");
    ask.tree = session.start.clone();
    assert_eq!(session.worktree.quarantine(&ask)?, "refs/ralph/r1/T-1/1-2");
    ask.name = "T-1".into();
    assert_eq!(session.worktree.quarantine(&ask)?, "refs/ralph/r1/T-1-2");
    assert_eq!(repo.git(&["for-each-ref", "refs/ralph"])?.lines().count(), 3);
    Ok(())
}

#[test]
fn files_a_gate_changed_are_put_back_and_listed() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let tree = session.capture()?.tree.unwrap_or_default();
    repo.write("b.txt", "formatted by a gate\n")?;
    repo.write("coverage.xml", "<xml/>")?;
    fs::remove_file(repo.root.join("a.txt"))?;
    let names = session.worktree.undo_meddling(&tree)?;
    assert_eq!(names, ["a.txt", "b.txt", "coverage.xml"]);
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"));
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
    assert_eq!(repo.read("coverage.xml"), None);
    assert_eq!(session.worktree.undo_meddling(&tree)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn links_and_folders_in_the_way_never_lead_a_restore_outside() -> Outcome {
    let repo = TestRepo::new()?;
    let outside = repo.home.path().join("outside");
    fs::create_dir(&outside)?;
    fs::write(outside.join("lib.rs"), "not ours\n")?;
    repo.write(".gitignore", "*.o\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "ignore"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::remove_dir_all(repo.root.join("src"))?;
    symlink(&outside, repo.root.join("src"))?;
    fs::remove_file(repo.root.join("a.txt"))?;
    repo.write("a.txt/ignored.o", "an ignored file where a file was\n")?;
    session.checkpoint()?;
    assert_eq!(fs::read_to_string(outside.join("lib.rs"))?, "not ours\n");
    assert!(!repo.root.join("src").is_symlink());
    assert_eq!(repo.read("src/lib.rs").as_deref(), Some("fn one() {}\n"));
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
    let aside = fs::read_dir(repo.truth().join("set-aside"))?.count();
    assert_eq!(aside, 1, "the ignored file is moved, not deleted");
    Ok(())
}

#[test]
fn files_hidden_by_an_ignore_file_the_agent_wrote_are_found_after_it_is_gone() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write(".gitignore", "hidden/\n")?;
    repo.write("hidden/file", "hidden\n")?;
    let kept = session.checkpoint()?;
    assert_eq!(kept.as_deref(), Some("refs/ralph/r1/found/1"));
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert!(!repo.root.join("hidden").exists());
    assert_eq!(repo.git(&["show", "refs/ralph/r1/found/1-2:hidden/file"])?, "hidden");
    Ok(())
}

#[test]
fn ralphs_folder_is_never_restored_even_where_branches_differ_in_it() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".ralph/plan.json", "old\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "plan"])?;
    repo.git(&["switch", "-qc", "ralph/work"])?;
    repo.git(&["commit", "-q", "--allow-empty", "-m", "its own"])?;
    repo.git(&["switch", "-q", "-"])?;
    repo.write(".ralph/plan.json", "new\n")?;
    repo.write(".ralph/prd.md", "new\n")?;
    repo.write("c.txt", "c\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "newer plan"])?;
    let mut session = repo.open()?;
    assert_eq!(repo.read("c.txt"), None, "the older branch is checked out");
    assert_eq!(repo.read(".ralph/plan.json").as_deref(), Some("new\n"));
    assert_eq!(repo.read(".ralph/prd.md").as_deref(), Some("new\n"));
    session.checkpoint()?;
    repo.write(".ralph/plan.json", "rendered\n")?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    assert_eq!(repo.git(&["show", "HEAD:.ralph/plan.json"])?, "old");
    session.checkpoint()?;
    session.close()?;
    assert_eq!(repo.read(".ralph/plan.json").as_deref(), Some("rendered\n"));
    Ok(())
}
