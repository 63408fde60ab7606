//! Work that waits for a person: parked on a branch of its own, re-applied later onto whatever the run is by then.

use ralph_core::{
    effect::{GiveUp, Reapply},
    input::Reapplied,
};

use super::*;

fn park(session: &Session, began_at: &CommitId, tree: Option<TreeId>) -> GiveUp {
    GiveUp {
        task: "T-1".into(),
        branch: "ralph/parked/T-1".into(),
        tree,
        head: session.head.clone(),
        began_at: began_at.clone(),
        message: "parked: two findings are open".into(),
        push: None,
    }
}

fn reapply(session: &Session, branch: &str) -> Result<Reapplied, GitError> {
    let request = Reapply { branch: branch.into(), onto: session.head.clone() };
    session.worktree.repository().reapply(&request)
}

/// One attempt that writes these files and is accepted.
fn accepted(repo: &TestRepo, session: &mut Session, files: &[(&str, &str)]) -> Outcome {
    session.checkpoint()?;
    for (path, content) in files {
        repo.write(path, content)?;
    }
    session.accept()?;
    Ok(())
}

/// Parks what the run branch has beyond `began_at`, and goes on from there.
fn parked(session: &mut Session, began_at: &CommitId) -> Result<String, Box<dyn Error>> {
    let ask = park(session, began_at, None);
    let (branch, head) = session.worktree.give_up(&ask)?;
    assert_eq!(head, *began_at);
    session.head = head;
    session.checkpoint()?;
    Ok(branch)
}

#[test]
fn a_parked_task_leaves_the_accepted_one_before_it_as_it_was() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    let mut session = repo.open()?;
    accepted(&repo, &mut session, &[("first.txt", "1\n"), ("src/lib.rs", "fn first() {}\n")])?;
    let began_at = session.head.clone();
    accepted(&repo, &mut session, &[("second.txt", "2\n")])?;
    accepted(&repo, &mut session, &[("src/lib.rs", "fn second() {}\n"), ("deep/er/x", "x\n")])?;
    session.checkpoint()?;
    repo.write("third.txt", "not accepted\n")?;
    let tree = session.capture()?.tree;
    let ask = park(&session, &began_at, tree);
    let (branch, head) = session.worktree.give_up(&ask)?;
    assert_eq!((branch.as_str(), &head), ("ralph/parked/T-1", &began_at));
    session.head = head;
    let kept = session.checkpoint()?;
    assert!(kept.is_none_or(|kept| repo.git(&["show", &format!("{kept}:third.txt")]).is_ok()));
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, began_at.as_str());
    assert_eq!(repo.git(&["symbolic-ref", "HEAD"])?, "refs/heads/ralph/work");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? mine.txt");
    let there = ["first.txt", "second.txt", "third.txt", "deep"].map(|path| repo.root.join(path));
    assert_eq!(there.map(|path| path.exists()), [true, false, false, false]);
    assert_eq!(repo.read("src/lib.rs").as_deref(), Some("fn first() {}\n"));
    assert_eq!(session.capture()?.changed, 0, "nothing counts as the next agent's");
    assert_eq!(repo.git(&["show", "ralph/parked/T-1:third.txt"])?, "not accepted");
    assert_eq!(repo.git(&["show", "ralph/parked/T-1:second.txt"])?, "2");
    Ok(())
}

#[test]
fn a_task_without_any_work_is_parked_with_its_diagnosis() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let began_at = session.head.clone();
    let ask = park(&session, &began_at, None);
    let (branch, head) = session.worktree.give_up(&ask)?;
    assert_eq!((branch.as_str(), &head), ("ralph/parked/T-1", &began_at));
    let message = |branch: &str| repo.git(&["log", "-1", "--format=%s", branch]);
    assert_eq!(message(&branch)?, "parked: two findings are open");
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, began_at.as_str());
    assert_eq!(session.worktree.give_up(&ask)?.0, branch, "twice is once");
    let later = GiveUp { message: "parked: another question".into(), ..ask };
    let branch = session.worktree.give_up(&later)?.0;
    assert_eq!(branch, "ralph/parked/T-1-2");
    assert_eq!(message(&branch)?, "parked: another question");
    Ok(())
}

#[test]
fn a_run_branch_in_the_way_of_the_name_is_no_obstacle() -> Outcome {
    for run_branch in ["ralph", "ralph/parked", "ralph/parked/T-1"] {
        let repo = TestRepo::new()?;
        let (workspace, worktree) =
            repo.open_with(&OpenWorkspace { branch: run_branch.into(), ..request() })?;
        let mut session = Session::new(workspace, worktree);
        session.checkpoint()?;
        let ask = park(&session, &session.head.clone(), None);
        let (branch, head) = session.worktree.give_up(&ask)?;
        let expected = if run_branch == "ralph/parked/T-1" {
            "ralph/parked/T-1-2"
        } else {
            "ralph-parked-T-1"
        };
        assert_eq!(branch, expected);
        assert_eq!(repo.git(&["rev-parse", run_branch])?, head.as_str());
        assert_eq!(reapply(&session, &branch)?.tree, Some(session.start.clone()));
    }
    Ok(())
}

#[test]
fn parked_work_comes_back_on_top_of_what_was_accepted_since() -> Outcome {
    for git in gits() {
        let repo = TestRepo::with(git)?;
        let mut session = repo.open()?;
        let began_at = session.head.clone();
        accepted(&repo, &mut session, &[("parked.txt", "p\n")])?;
        accepted(&repo, &mut session, &[("src/lib.rs", "fn one() {}\nfn parked() {}\n")])?;
        let branch = parked(&mut session, &began_at)?;
        accepted(&repo, &mut session, &[("other.txt", "o\n")])?;
        session.checkpoint()?;
        let refs = repo.git(&["for-each-ref"])?;
        let Reapplied { tree, notes } = reapply(&session, &branch)?;
        let tree = tree.ok_or("no tree")?;
        assert_eq!(notes, [""; 0]);
        let names = repo.git(&["ls-tree", "-r", "--name-only", tree.as_str()])?;
        assert_eq!(names, "a.txt\nother.txt\nparked.txt\nsrc/lib.rs");
        let lib = repo.git(&["show", &format!("{tree}:src/lib.rs")])?;
        assert_eq!(lib, "fn one() {}\nfn parked() {}");
        assert_eq!(repo.git(&["for-each-ref"])?, refs);
        assert_eq!(repo.git(&["status", "--porcelain"])?, "");
        session.checkpoint_at(Some(tree))?;
        assert_eq!(repo.read("parked.txt").as_deref(), Some("p\n"));
        assert_eq!(session.capture()?.changed, 0);
    }
    Ok(())
}

#[test]
fn parked_changes_follow_a_file_that_was_renamed_since() -> Outcome {
    let repo = TestRepo::new()?;
    let lines: Vec<String> = (0..40).map(|number| format!("line {number}\n")).collect();
    let lines = lines.concat();
    repo.write("long.txt", &lines)?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "long"])?;
    let mut session = repo.open()?;
    let began_at = session.head.clone();
    accepted(&repo, &mut session, &[("long.txt", &format!("{lines}parked\n"))])?;
    let branch = parked(&mut session, &began_at)?;
    fs::rename(repo.root.join("long.txt"), repo.root.join("renamed.txt"))?;
    session.accept()?;
    let tree = reapply(&session, &branch)?.tree.ok_or("no tree")?;
    let merged = repo.git(&["show", &format!("{tree}:renamed.txt")])?;
    assert!(merged.ends_with("line 39\nparked"), "{merged}");
    assert!(repo.git(&["show", &format!("{tree}:long.txt")]).is_err());
    Ok(())
}

#[test]
fn work_that_does_not_fit_any_more_is_told_with_a_few_of_its_paths() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    let began_at = session.head.clone();
    let names: Vec<String> = (0..12).map(|n| format!("f{n:02}.txt")).collect();
    let files = |content| names.iter().map(|name| (name.as_str(), content)).collect::<Vec<_>>();
    accepted(&repo, &mut session, &files("parked\n"))?;
    let branch = parked(&mut session, &began_at)?;
    accepted(&repo, &mut session, &files("accepted\n"))?;
    let Reapplied { tree, notes } = reapply(&session, &branch)?;
    assert_eq!(tree, None);
    let note = notes.join("\n");
    assert!(note.contains("f00.txt, f01.txt") && note.contains("f09.txt and 2 more"), "{note}");
    assert!(!note.contains("f10.txt"), "{note}");
    Ok(())
}

#[test]
fn a_branch_that_is_gone_or_was_replaced_gives_no_tree() -> Outcome {
    let repo = TestRepo::new()?;
    let session = repo.open()?;
    let gone = reapply(&session, "ralph/parked/T-9")?;
    assert_eq!(gone.tree, None);
    assert_eq!(gone.notes, ["branch ralph/parked/T-9 is gone, there is nothing to re-apply"]);
    let tree = session.start.as_str();
    let alone = repo.git(&["commit-tree", tree, "-m", "alone"])?;
    repo.git(&["branch", "ralph/parked/T-2", &alone])?;
    let replaced = reapply(&session, "ralph/parked/T-2")?;
    assert_eq!(replaced.tree, None);
    assert!(replaced.notes.join("").contains("no history in common"), "{replaced:?}");
    Ok(())
}

#[test]
fn attributes_choose_no_program_to_merge_with() -> Outcome {
    let repo = TestRepo::new()?;
    let canary = repo.home.path().join("canary");
    let driver = format!("touch '{}'", canary.display());
    repo.git(&["config", "merge.Trap.driver", &driver])?;
    repo.write(".gitattributes", "a.txt merge=Trap\nlist.txt merge=union\n")?;
    repo.write("list.txt", "start\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "attributes"])?;
    let mut session = repo.open()?;
    let began_at = session.head.clone();
    accepted(&repo, &mut session, &[("a.txt", "parked\n"), ("list.txt", "start\nparked\n")])?;
    let branch = parked(&mut session, &began_at)?;
    accepted(&repo, &mut session, &[("list.txt", "start\naccepted\n")])?;
    let tree = reapply(&session, &branch)?.tree.ok_or("git's own ways to merge still work")?;
    let list = repo.git(&["show", &format!("{tree}:list.txt")])?;
    assert_eq!(list, "start\naccepted\nparked");
    accepted(&repo, &mut session, &[("a.txt", "accepted\n")])?;
    let told = reapply(&session, &branch)?;
    assert_eq!(told.tree, None);
    assert!(told.notes.join("").ends_with("in conflict: a.txt"), "{told:?}");
    assert!(!canary.exists(), "the driver ran");
    repo.git(&["merge-tree", "--write-tree", "HEAD", &branch])?;
    assert!(canary.exists(), "the trap is no trap");
    Ok(())
}

#[test]
fn edits_made_while_the_run_waited_are_not_the_next_agents() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    accepted(&repo, &mut session, &[("b.txt", "b\n")])?;
    repo.write("a.txt", "a person was here\n")?;
    session.worktree.disturbed();
    let kept = session.checkpoint()?.ok_or("nothing was kept")?;
    assert_eq!(repo.git(&["show", &format!("{kept}:a.txt")])?, "a person was here");
    assert_eq!(session.capture()?.changed, 0);
    let tree = session.start.clone();
    repo.write("a.txt", "again\n")?;
    session.worktree.disturbed();
    session.worktree.ensure(&tree)?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"), "gates judge what was captured");
    Ok(())
}
