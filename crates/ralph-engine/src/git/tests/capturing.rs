//! What a capture writes down, what it leaves out, and which refs it puts back.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

use ralph_core::{gates::protect::Touched, vocabulary::Violation};

use super::*;

fn moved(name: &str) -> Violation {
    Violation::MovedRef { name: name.into() }
}

#[test]
fn capture_writes_exactly_what_the_agent_left_and_the_users_index_is_untouched() -> Outcome {
    for program in gits() {
        let repo = TestRepo::with(program)?;
        repo.write("gone.txt", "x")?;
        repo.write("dir/inner.txt", "x")?;
        repo.write("flat", "x")?;
        repo.write("tool.sh", "#!/bin/sh\n")?;
        repo.write(".gitignore", "*.o\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-qm", "more"])?;
        let mut session = repo.open()?;
        session.checkpoint()?;
        let index = fs::read(repo.root.join(".git/index"))?;
        repo.write("a.txt", "changed\n")?;
        fs::remove_file(repo.root.join("gone.txt"))?;
        fs::remove_dir_all(repo.root.join("dir"))?;
        repo.write("dir", "now a file")?;
        fs::remove_file(repo.root.join("flat"))?;
        repo.write("flat/inner.txt", "now a folder")?;
        make_executable(&repo.root.join("tool.sh"))?;
        symlink("a.txt", repo.root.join("link"))?;
        symlink("/etc", repo.root.join("outside"))?;
        repo.write("grüße/naïve ☃.txt", "unicode")?;
        repo.write("two\nlines", "newline")?;
        fs::write(repo.root.join(OsStr::from_bytes(b"latin-\xe9")), "bytes")?;
        repo.write("ignored.o", "object")?;
        let captured = session.capture()?;
        assert_eq!(fs::read(repo.root.join(".git/index"))?, index);
        let tree = captured.tree.clone().unwrap_or_default();
        let listed = repo.git(&["ls-tree", "-r", "-z", tree.as_str()]);
        assert!(listed.is_err(), "a name that is no text");
        let names = repo.git(&["ls-tree", "-r", tree.as_str()])?;
        assert!(names.contains("100755 blob") && names.contains("tool.sh"), "{names}");
        assert_eq!(names.matches("120000 blob").count(), 2);
        assert!(names.contains("\tdir\n") && names.contains("\tflat/inner.txt\n"), "{names}");
        assert!(names.contains("\"two\\nlines\"") && names.contains("\"latin-\\351\""), "{names}");
        assert!(!names.contains("gone.txt") && !names.contains("ignored.o"), "{names}");
        assert_eq!(captured.changed, 12);
        let outside = Violation::LinkOutside { path: "outside".into(), target: "/etc".into() };
        assert_eq!(captured.violations, [outside]);
        assert_eq!(session.capture()?, captured, "a second look finds the same");
        let tree = captured.tree.clone().unwrap_or_default();
        assert_eq!(session.worktree.undo_meddling(&tree)?, Vec::<String>::new());
        session.head = session.worktree.commit(&session.commit_request(&captured))?;
        assert_eq!(repo.git(&["status", "--porcelain"])?, "");
        session.checkpoint()?;
        let began = session.workspace.head.clone();
        assert_eq!(session.worktree.repository().undo_to(&began, "now")?.from, session.head);
        assert_eq!(repo.git(&["status", "--porcelain"])?, "");
        assert_eq!(repo.read("flat").as_deref(), Some("x"));
        assert_eq!(repo.read("ignored.o").as_deref(), Some("object"));
    }
    Ok(())
}

#[test]
fn an_agent_that_changed_nothing_gives_the_start_tree() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let captured = session.capture()?;
    assert_eq!((captured.tree, captured.changed), (Some(session.start.clone()), 0));
    Ok(())
}

#[test]
fn the_users_untracked_files_and_ralphs_folder_are_never_staged() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    repo.write("gone.txt", "mine\n")?;
    repo.write(".ralph/plan.json", "{}")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("mine.txt", "changed by the agent\n")?;
    fs::remove_file(repo.root.join("gone.txt"))?;
    repo.write(".ralph/plan.json", "{\"by\":\"agent\"}")?;
    repo.write("work.txt", "work\n")?;
    let captured = session.accept()?;
    assert_eq!(captured.sample, ["work.txt"]);
    let notes = captured.notes.join("\n");
    assert!(notes.contains("mine.txt was changed") && notes.contains("gone.txt was deleted"));
    assert!(notes.contains("refs/ralph/r1/untracked"), "{notes}");
    assert_eq!(repo.git(&["show", "refs/ralph/r1/untracked:gone.txt"])?, "mine");
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD"])?, "a.txt\nsrc/lib.rs\nwork.txt");
    assert_eq!(repo.read("mine.txt").as_deref(), Some("changed by the agent\n"));
    Ok(())
}

#[test]
fn commits_the_agent_made_itself_are_kept_as_history() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("mine.txt", "mine\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "agent's own"])?;
    let own = repo.git(&["rev-parse", "HEAD"])?;
    repo.write("c.txt", "c\n")?;
    let captured = session.accept()?;
    assert_eq!(captured.head.as_str(), own);
    assert_eq!(captured.violations, []);
    assert_eq!(captured.sample, ["b.txt", "c.txt"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"])?, own);
    let files = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"])?;
    assert_eq!(files, "a.txt\nb.txt\nc.txt\nsrc/lib.rs", "the user's file is taken out again");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "?? mine.txt");
    Ok(())
}

#[test]
fn a_run_branch_moved_back_is_put_right_and_its_value_kept() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    repo.git(&["reset", "-q", "--hard", "HEAD~1"])?;
    repo.write("x.txt", "on the wrong base\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "elsewhere"])?;
    let wrong = repo.git(&["rev-parse", "HEAD"])?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, [moved("refs/heads/ralph/work")]);
    assert_eq!(captured.head, session.head);
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, session.head.as_str());
    assert_eq!(repo.git(&["rev-parse", "refs/ralph/r1/moved/1"])?, wrong);
    assert!(session.checkpoint()?.is_some());
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"));
    Ok(())
}

#[test]
fn a_head_the_agent_switched_is_put_back_and_new_branches_stay() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.git(&["checkout", "-q", "-b", "agents"])?;
    repo.write("b.txt", "b\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "on a branch of its own"])?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, [moved("HEAD")]);
    assert!(captured.notes.join("\n").contains("new branch agents"), "{:?}", captured.notes);
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"])?, "ralph/work");
    assert_eq!(repo.git(&["show", "agents:b.txt"])?, "b");
    session.checkpoint()?;
    repo.git(&["checkout", "-q", "--detach"])?;
    repo.git(&["commit", "-q", "--allow-empty", "-m", "detached"])?;
    let detached = repo.git(&["rev-parse", "HEAD"])?;
    assert_eq!(session.capture()?.violations, [moved("HEAD")]);
    assert_eq!(repo.git(&["rev-parse", "refs/ralph/r1/moved/1"])?, detached);
    Ok(())
}

#[test]
fn other_branches_and_tags_moved_or_deleted_are_put_back() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["branch", "other"])?;
    repo.git(&["tag", "-a", "v1", "-m", "one"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let main = repo.git(&["rev-parse", "main"])?;
    let tag = repo.git(&["rev-parse", "v1"])?;
    repo.git(&["branch", "-qD", "other"])?;
    repo.git(&["tag", "-d", "v1"])?;
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"])?;
    let stray = repo.git(&["commit-tree", &tree, "-m", "stray"])?;
    repo.git(&["update-ref", "refs/heads/main", &stray])?;
    let captured = session.capture()?;
    let expected = [moved("refs/heads/main"), moved("refs/heads/other"), moved("refs/tags/v1")];
    assert_eq!(captured.violations, expected);
    assert_eq!(repo.git(&["rev-parse", "main"])?, main);
    assert_eq!(repo.git(&["rev-parse", "other"])?, main);
    assert_eq!(repo.git(&["rev-parse", "v1"])?, tag);
    assert_eq!(repo.git(&["rev-parse", "refs/ralph/r1/moved/1"])?, stray);
    assert_eq!(
        session.capture()?.violations,
        expected,
        "a capture that is repeated judges the same"
    );
    session.checkpoint()?;
    assert_eq!(session.capture()?.violations, [], "a new attempt starts clean");
    Ok(())
}

#[test]
fn a_deleted_run_branch_comes_back() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.git(&["update-ref", "-d", "refs/heads/ralph/work"])?;
    assert_eq!(session.capture()?.violations, [moved("refs/heads/ralph/work")]);
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, session.head.as_str());
    Ok(())
}

#[test]
fn files_that_were_ignored_before_are_neither_taken_nor_removed() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".gitignore", ".env\nbuild/\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "ignore"])?;
    repo.write(".env", "secret\n")?;
    repo.write("build/old.o", "old\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write(".gitignore", "")?;
    repo.write("build/new.txt", "made now, in the open\n")?;
    let captured = session.capture()?;
    assert_eq!(captured.sample, [".gitignore", "build/new.txt"]);
    assert!(captured.notes.join("\n").contains("2 files that were ignored"), "{captured:?}");
    session.checkpoint()?;
    assert_eq!(repo.read(".env").as_deref(), Some("secret\n"));
    assert_eq!(repo.read("build/old.o").as_deref(), Some("old\n"));
    assert_eq!(repo.read(".gitignore").as_deref(), Some(".env\nbuild/\n"));
    Ok(())
}

#[test]
fn a_special_file_in_the_place_of_a_tracked_one_does_not_stop_the_run() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::remove_file(repo.root.join("a.txt"))?;
    let made = Command::new("mkfifo").arg(repo.root.join("a.txt")).status()?;
    assert!(made.success());
    let captured = session.capture()?;
    assert_eq!(captured.sample, ["a.txt"]);
    session.checkpoint()?;
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"));
    Ok(())
}

#[test]
fn an_iteration_starts_few_git_processes() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("warm.txt", "up")?;
    session.accept()?;
    let count = |session: &Session| session.worktree.repository().git.started();
    let begin = count(&session);
    session.checkpoint()?;
    let after_checkpoint = count(&session);
    repo.write("b.txt", "b")?;
    let captured = session.capture()?;
    let after_capture = count(&session);
    let tree = captured.tree.clone().unwrap_or_default();
    session.worktree.undo_meddling(&tree)?;
    let after_gates = count(&session);
    session.worktree.commit(&session.commit_request(&captured))?;
    let after_commit = count(&session);
    let steps = [
        after_checkpoint - begin,
        after_capture - after_checkpoint,
        after_gates - after_capture,
        after_commit - after_gates,
    ];
    assert_eq!(steps, [1, 6, 1, 2], "checkpoint, capture, after gates, commit");
    Ok(())
}

#[test]
fn a_sparse_checkout_loses_none_of_the_files_that_are_not_there() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("docs/guide.md", "guide\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "docs"])?;
    repo.git(&["sparse-checkout", "set", "src"])?;
    assert_eq!(repo.read("docs/guide.md"), None);
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("src/new.rs", "fn new() {}\n")?;
    assert_eq!(session.accept()?.sample, ["src/new.rs"]);
    assert_eq!(repo.git(&["show", "HEAD:docs/guide.md"])?, "guide");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    session.checkpoint()?;
    repo.write("src/new.rs", "worse\n")?;
    session.checkpoint()?;
    assert_eq!(repo.read("docs/guide.md"), None);
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    Ok(())
}

#[test]
fn line_endings_and_the_users_filters_survive_a_rollback() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.autocrlf", "true"])?;
    repo.git(&["config", "filter.upper.clean", "tr a-z A-Z"])?;
    repo.git(&["config", "filter.upper.smudge", "tr A-Z a-z"])?;
    repo.write(".gitattributes", "*.up filter=upper\n")?;
    repo.write("word.up", "word\n")?;
    repo.write("dos.txt", "one\r\ntwo\r\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "filters"])?;
    let repository = repo.repository()?.with_filters(&["upper".into()]);
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    fs::remove_file(repo.root.join("word.up"))?;
    fs::remove_file(repo.root.join("dos.txt"))?;
    session.checkpoint()?;
    assert_eq!(repo.read("word.up").as_deref(), Some("word\r\n"));
    assert_eq!(repo.read("dos.txt").as_deref(), Some("one\r\ntwo\r\n"));
    assert_eq!(repo.git(&["show", "HEAD:word.up"])?, "WORD");
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    Ok(())
}

#[test]
fn repositories_with_long_object_names_work_too() -> Outcome {
    let repo = TestRepo::empty(PathBuf::from("git"))?;
    fs::remove_dir_all(repo.root.join(".git"))?;
    repo.git(&["init", "-q", "-b", "main", "--object-format=sha256"])?;
    repo.git(&["config", "user.name", "A User"])?;
    repo.git(&["config", "user.email", "user@example.org"])?;
    repo.write("a.txt", "one\n")?;
    repo.write(".ralph/plan.json", "{}")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "first"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    repo.write("c.txt", "c\n")?;
    assert!(session.checkpoint()?.is_some());
    assert_eq!(repo.git(&["status", "--porcelain"])?, "");
    assert_eq!(session.head.as_str().len(), 64);
    Ok(())
}

#[test]
fn what_runs_later_or_is_protected_is_listed_for_all_that_would_be_committed() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("docs/guide.md", "guide\n")?;
    repo.write("tests/old.rs", "old\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "more"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("Makefile", "all:\n")?;
    fs::remove_file(repo.root.join("tests/old.rs"))?;
    repo.write("src/lib.rs", "fn two() {}\n")?;
    repo.write(".ralph/Makefile", "ours\n")?;
    let first = session.capture()?;
    let listed = |captured: &Captured| -> Vec<String> {
        let shown =
            |touched: &Touched| format!("{}: {}", touched.path, touched.exposure.describe());
        captured.touched.iter().map(shown).collect()
    };
    assert_eq!(listed(&first), ["Makefile: run by builds", "tests/old.rs: test"]);
    session.checkpoint_at(first.tree.clone())?;
    fs::rename(repo.root.join("docs/guide.md"), repo.root.join("docs/moved.md"))?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "agent's own"])?;
    let repaired = session.capture()?;
    assert_eq!((repaired.changed, repaired.touched_left_out), (2, 0));
    assert_eq!(
        listed(&repaired),
        [
            "Makefile: run by builds",
            "docs/guide.md: protected by docs/**",
            "docs/moved.md: protected by docs/**",
            "tests/old.rs: test",
        ]
    );
    session.accept()?;
    session.checkpoint()?;
    assert_eq!(session.capture()?.touched, []);
    Ok(())
}

#[test]
fn programs_links_out_hooks_and_hidden_files_are_listed_by_mode_and_content() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.hooksPath", "./scripts/git/"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("bin/by-mode", "text\n")?;
    fs::set_permissions(repo.root.join("bin/by-mode"), fs::Permissions::from_mode(0o755))?;
    repo.write("bin/by-content", "#!/bin/sh\n")?;
    repo.write("scripts/git/pre-push", "text\n")?;
    repo.write(".unknown/x", "text\n")?;
    repo.write("src/plain.rs", "fn one() {}\n")?;
    symlink("../outside", repo.root.join("out"))?;
    symlink("src/plain.rs", repo.root.join("in"))?;
    let captured = session.capture()?;
    let listed: Vec<String> = captured
        .touched
        .iter()
        .map(|one| format!("{}: {}", one.path, one.exposure.describe()))
        .collect();
    assert_eq!(
        listed,
        [
            ".unknown/x: hidden file that tools may load",
            "bin/by-content: executable",
            "bin/by-mode: executable",
            "out: link that leads out of the project",
            "scripts/git/pre-push: run by git",
        ]
    );
    Ok(())
}

#[test]
fn a_clean_up_of_the_users_takes_no_captured_tree_away() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    let kept =
        |repo: &TestRepo| repo.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/r1"]);
    for is_accepted in [true, false] {
        session.checkpoint()?;
        repo.write("new/file.txt", &format!("work {is_accepted}\n"))?;
        let captured = session.capture()?;
        assert_eq!(kept(&repo)?.trim(), "refs/ralph/r1/captured");
        repo.git(&["gc", "--quiet", "--prune=now"])?;
        if is_accepted {
            session.head = session.worktree.commit(&session.commit_request(&captured))?;
            assert_eq!(kept(&repo)?, "", "a commit holds it now");
        } else {
            let request = Quarantine {
                tree: captured.tree.unwrap_or_default(),
                parent: session.head.clone(),
                name: "rejected".into(),
                message: "rejected".into(),
                hints: Vec::new(),
            };
            assert_eq!(session.worktree.quarantine(&request)?, "refs/ralph/r1/rejected");
            assert_eq!(kept(&repo)?.trim(), "refs/ralph/r1/rejected");
        }
    }
    Ok(())
}

/// A git before whose call of this number another git removes what no ref holds, as `git gc --prune=now` does.
fn git_beside_a_clean_up(repo: &TestRepo, call: usize) -> Result<GitEnv, Box<dyn Error>> {
    let (script, count) = (repo.home.path().join("cleaned-git"), repo.home.path().join("count"));
    let text = format!(
        "#!/bin/sh\nread n <'{count}'\nn=$((n + 1))\necho $n >'{count}'\n\
         [ $n -ne {call} ] || git -C '{root}' prune --expire=now\nexec git \"$@\"\n",
        count = count.display(),
        root = repo.root.display()
    );
    fs::write(&count, "-100000")?;
    fs::write(&script, text)?;
    make_executable(&script)?;
    Ok(GitEnv::new(script, repo.vars()))
}

#[test]
fn a_clean_up_at_any_moment_ends_neither_a_capture_nor_what_follows() -> Outcome {
    for is_accepted in [true, false] {
        for call in 1.. {
            let repo = TestRepo::new()?;
            let env = git_beside_a_clean_up(&repo, call)?;
            let found = Repository::discover_with(&env, &repo.root)?;
            let opening = found.open(&request(), &run(), &repo.truth(), &repo.state())?;
            let mut session = Session::new(opening.0, opening.1);
            session.checkpoint()?;
            repo.write("new/file.txt", "work\n")?;
            repo.write("a.txt", "changed\n")?;
            let count = repo.home.path().join("count");
            fs::write(&count, "0")?;
            let captured = session.capture().map_err(|error| format!("{call}: {error}"))?;
            let tree = captured.tree.clone().unwrap_or_default();
            let kept = if is_accepted {
                session.worktree.commit(&session.commit_request(&captured))?.to_string()
            } else {
                let (parent, hints) = (session.head.clone(), Vec::new());
                let (name, message) = ("rejected".to_owned(), "rejected".to_owned());
                let request = Quarantine { tree, parent, name, message, hints };
                session.worktree.quarantine(&request)?
            };
            assert_eq!(repo.git(&["show", &format!("{kept}:new/file.txt")])?, "work", "{call}");
            assert_eq!(repo.git(&["show", &format!("{kept}:a.txt")])?, "changed", "{call}");
            if fs::read_to_string(count)?.trim().parse::<usize>()? < call {
                assert!(call > 5, "{call} calls cannot be all");
                break;
            }
        }
    }
    Ok(())
}

#[test]
fn a_link_that_leads_out_rejects_only_the_attempt_that_makes_it() -> Outcome {
    let repo = TestRepo::new()?;
    symlink("../elsewhere", repo.root.join("old"))?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "a link of the user's"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "x")?;
    symlink("b.txt", repo.root.join("inside"))?;
    assert_eq!(session.capture()?.violations, [], "the old link may stay");
    let own = repo.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let by_own_name = format!("../../{own}/b.txt");
    fs::create_dir(repo.root.join("d"))?;
    symlink(&by_own_name, repo.root.join("d/link"))?;
    fs::remove_file(repo.root.join("old"))?;
    symlink("/etc/passwd", repo.root.join("old"))?;
    let link = |path: &str, target: &str| Violation::LinkOutside {
        path: path.into(),
        target: target.into(),
    };
    let expected = [link("d/link", &by_own_name), link("old", "/etc/passwd")];
    assert_eq!(session.capture()?.violations, expected);
    Ok(())
}
