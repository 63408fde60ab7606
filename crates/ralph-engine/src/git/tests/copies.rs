//! Throwaway copies: whole enough to build in, and nothing that is done there reaches the original.

use std::{collections::BTreeMap, os::unix::fs::symlink};

use super::{super::untracked_copy::Limits, *};

/// Everything of the original that a copy must leave alone.
#[derive(Debug, PartialEq)]
struct Original {
    refs: String,
    config: String,
    status: String,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Original {
    fn of(repo: &TestRepo) -> Result<Self, Box<dyn Error>> {
        repo.git(&["fsck", "--full", "--strict", "--no-dangling"])?;
        let mut files = BTreeMap::new();
        read_all(&repo.root, &mut files)?;
        Ok(Self {
            refs: repo.git(&["for-each-ref"])? + &repo.git(&["rev-parse", "HEAD"])?,
            config: repo.git(&["config", "--local", "--list"])?,
            status: repo.git(&["status", "--porcelain", "--ignored"])?,
            files,
        })
    }
}

/// Every file below a folder, with what is in it; the index is left out, reading the status writes it.
fn read_all(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            read_all(&path, files)?;
        } else if path.is_file() && !path.ends_with(".git/index") {
            files.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(())
}

/// A run with one accepted commit on top of the first.
fn worked(repo: &TestRepo) -> Result<Session, Box<dyn Error>> {
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    Ok(session)
}

fn leftovers(repo: &TestRepo) -> Vec<PathBuf> {
    let projects = fs::read_dir(repo.state().join("ralph/copies")).into_iter().flatten().flatten();
    let copies = projects.flat_map(|project| fs::read_dir(project.path()).into_iter().flatten());
    copies.flatten().map(|copy| copy.path()).collect()
}

#[test]
fn a_copy_holds_the_commit_its_history_and_the_files_beside_it() -> Outcome {
    for git in gits() {
        let repo = TestRepo::with(git)?;
        repo.write(".gitignore", "node_modules/\n.env\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-qm", "ignore"])?;
        repo.git(&["tag", "-a", "v1", "-m", "one"])?;
        repo.write("node_modules/pkg/index.js", "1\n")?;
        symlink("../pkg/index.js", repo.root.join("node_modules/link"))?;
        repo.write("src/.env", "KEY=1\n")?;
        repo.write("mine [1].txt", "mine\n")?;
        repo.write(".ralph/runs/x", "view\n")?;
        let session = worked(&repo)?;
        let copy = session.worktree.copy(&session.head, &repo.state())?;
        let at = copy.root();
        assert_eq!(at.file_name(), repo.root.file_name());
        assert_eq!(fs::metadata(copy.holder())?.permissions().mode() & 0o777, 0o700);
        let ask = |args: &[&str]| repo.git_in(at, args);
        assert_eq!(ask(&["rev-parse", "HEAD"])?, session.head.as_str());
        assert_eq!(ask(&["symbolic-ref", "HEAD"])?, "refs/heads/ralph/work");
        assert_eq!(ask(&["status", "--porcelain"])?, "");
        assert_eq!(ask(&["log", "--format=%s", "main~1..HEAD"])?, "feat: work\nignore");
        assert_eq!(ask(&["diff", "--name-only", "main..HEAD"])?, "b.txt");
        assert!(ask(&["describe"])?.starts_with("v1-1-g"));
        assert_eq!(ask(&["remote"])?, "");
        assert_eq!(ask(&["config", "--local", "user.name"])?, "A User");
        assert_eq!(fs::read_to_string(at.join("b.txt"))?, "b\n");
        assert_eq!(fs::read_to_string(at.join("node_modules/pkg/index.js"))?, "1\n");
        assert_eq!(fs::read_link(at.join("node_modules/link"))?, Path::new("../pkg/index.js"));
        assert_eq!(fs::read_to_string(at.join("src/.env"))?, "KEY=1\n");
        assert_eq!(fs::read_to_string(at.join("mine [1].txt"))?, "mine\n");
        assert!(!at.join(".ralph").exists());
        let times = [repo.root.as_path(), at]
            .map(|root| fs::metadata(root.join("node_modules/pkg/index.js"))?.modified());
        let [Ok(ours), Ok(theirs)] = times else { return Err("no times".into()) };
        assert_eq!(ours, theirs);
        assert_eq!(copy.notes(), [""; 0]);
        let own: Vec<_> = fs::read_dir(at.join(".git/objects"))?.flatten().collect();
        assert!(own.len() <= 2, "no history is copied: {own:?}");
        assert_eq!(copy.remove(), None);
        assert_eq!(leftovers(&repo), [""; 0].map(PathBuf::from));
    }
    Ok(())
}

#[test]
fn whatever_is_done_in_a_copy_the_original_stays_as_it_is() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".gitignore", "built/\n")?;
    repo.write("built/out", "out\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "ignore"])?;
    let session = worked(&repo)?;
    let before = Original::of(&repo)?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    let at = copy.root().to_owned();
    let act = |args: &[&str]| repo.git_in(&at, args);
    fs::write(at.join("built/out"), "changed\n")?;
    fs::remove_dir_all(at.join("src"))?;
    fs::write(at.join("a.txt"), "changed\n")?;
    act(&["add", "-A"])?;
    act(&["commit", "-qm", "the reviewer's own"])?;
    act(&["branch", "-f", "main", "HEAD"])?;
    act(&["update-ref", "-d", "refs/heads/ralph/work"])?;
    act(&["switch", "-q", "--orphan", "nothing"])?;
    act(&["branch", "-D", "main"])?;
    act(&["config", "user.name", "Somebody Else"])?;
    act(&["reflog", "expire", "--expire=now", "--all"])?;
    act(&["gc", "-q", "--prune=now", "--aggressive"])?;
    act(&["repack", "-a", "-d", "-q"])?;
    act(&["prune", "--expire=now"])?;
    let canary = repo.home.path().join("canary");
    let hook = at.join(".git/hooks/post-commit");
    fs::create_dir_all(at.join(".git/hooks"))?;
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", canary.display()))?;
    make_executable(&hook)?;
    act(&["commit", "-q", "--allow-empty", "-m", "more"])?;
    assert!(!canary.exists(), "hooks are off");
    assert_eq!(Original::of(&repo)?, before);
    assert_eq!(copy.remove(), None);
    assert_eq!(Original::of(&repo)?, before);
    assert_eq!(leftovers(&repo), [""; 0].map(PathBuf::from));
    Ok(())
}

#[test]
fn a_copy_is_removed_whatever_was_done_to_its_folders() -> Outcome {
    let repo = TestRepo::new()?;
    let session = worked(&repo)?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    let at = copy.root().to_owned();
    let shut =
        |path: &str, mode| fs::set_permissions(at.join(path), fs::Permissions::from_mode(mode));
    put(&at, "shut/inner/file", "x")?;
    symlink(&repo.root, at.join("shut/inner/link"))?;
    for path in ["shut/inner/file", "shut/inner", "shut", "src", ".git"] {
        shut(path, 0o000)?;
    }
    shut("", 0o555)?;
    drop(copy);
    assert_eq!(leftovers(&repo), [""; 0].map(PathBuf::from));
    assert_eq!(repo.read("b.txt").as_deref(), Some("b\n"));
    Ok(())
}

#[test]
fn what_a_killed_run_left_is_removed_when_the_next_one_opens() -> Outcome {
    let repo = TestRepo::new()?;
    let session = worked(&repo)?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    fs::create_dir(copy.holder().with_extension("gone-1"))?;
    fs::set_permissions(copy.root().join("src"), fs::Permissions::from_mode(0o000))?;
    std::mem::forget(copy);
    assert_eq!(leftovers(&repo).len(), 2);
    drop(session);
    repo.open()?;
    assert_eq!(leftovers(&repo), [""; 0].map(PathBuf::from));
    Ok(())
}

#[test]
fn neither_filters_nor_submodules_make_a_copy_run_or_fetch_anything() -> Outcome {
    let repo = TestRepo::new()?;
    let canary = repo.home.path().join("canary");
    let trap = format!("touch '{}'; cat", canary.display());
    repo.write(".gitattributes", "*.big filter=trap\n")?;
    repo.write("data.big", "pointer\n")?;
    repo.git(&["add", "-A"])?;
    let module = format!("160000,{},module", repo.git(&["rev-parse", "HEAD"])?);
    repo.git(&["update-index", "--add", "--cacheinfo", &module])?;
    repo.write(".gitmodules", "[submodule \"module\"]\n\tpath = module\n\turl = /nowhere\n")?;
    repo.git(&["add", ".gitmodules"])?;
    repo.git(&["commit", "-qm", "filtered"])?;
    repo.write("module/.git", "gitdir: /nowhere\n")?;
    repo.write("module/file", "of the module\n")?;
    let session = repo.open()?;
    for name in ["clean", "smudge"] {
        repo.git(&["config", "--global", &format!("filter.trap.{name}"), &trap])?;
    }
    repo.git(&["config", "--global", "filter.trap.required", "true"])?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    assert_eq!(fs::read_to_string(copy.root().join("data.big"))?, "pointer\n");
    assert_eq!(fs::read_to_string(copy.root().join("module/file"))?, "of the module\n");
    assert!(!copy.root().join("module/.git").exists());
    assert_eq!(repo.git_in(copy.root(), &["status", "--porcelain"])?, "");
    assert!(!canary.exists(), "the filter ran");
    repo.write("data.big", "changed\n")?;
    repo.git(&["add", "data.big"])?;
    assert!(canary.exists(), "the trap is no trap");
    Ok(())
}

#[test]
fn what_is_too_much_stays_out_whole_and_is_named() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".git/info/exclude", "ignored/\nmany/\nsmall/\n")?;
    repo.write("ignored/large", &"x".repeat(2_000))?;
    repo.write("small/file", "small\n")?;
    for number in 0..30 {
        repo.write(&format!("many/{number}"), "")?;
    }
    let session = worked(&repo)?;
    let limits = Limits { bytes: 1_000, files: 20 };
    let copy = session.worktree.copy_within(&session.head, &repo.state(), limits)?;
    let there = ["ignored", "many", "small/file"].map(|path| copy.root().join(path).exists());
    assert_eq!(there, [false, false, true]);
    let expected = "not in the copy, because too large: ignored, many";
    assert_eq!(copy.notes(), [expected]);
    Ok(())
}

#[test]
fn a_link_in_the_commit_leads_no_file_out_of_the_copy() -> Outcome {
    let repo = TestRepo::new()?;
    let outside = repo.home.path().join("outside");
    fs::create_dir(&outside)?;
    symlink(&outside, repo.root.join("way"))?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "a link"])?;
    let session = repo.open()?;
    fs::remove_file(repo.root.join("way"))?;
    repo.write("way/file", "must not get out\n")?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    assert!(copy.root().join("way").is_symlink());
    assert_eq!(fs::read_dir(&outside)?.count(), 0);
    Ok(())
}

#[test]
fn shallow_and_long_named_repositories_and_linked_worktrees_can_be_copied() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("a.txt", "two\n")?;
    repo.git(&["commit", "-qam", "second"])?;
    let from = format!("file://{}", repo.root.display());
    let shallow = repo.home.path().join("a \"shallow\" one");
    repo.git(&["clone", "-q", "--depth=1", &from, &shallow.display().to_string()])?;
    repo.git_in(&shallow, &["config", "user.name", "A \"quoted\" \\ User"])?;
    repo.git_in(&shallow, &["config", "user.email", "user@example.org"])?;
    let truth = repo.home.path().join("truth");
    let found = Repository::discover_with(&repo.env(), &shallow)?;
    let (workspace, worktree) = found.open(&request(), &run(), &truth, &repo.state())?;
    let copy = worktree.copy(&workspace.head, &repo.state())?;
    assert_eq!(repo.git_in(copy.root(), &["log", "--format=%s"])?, "second");
    let name = repo.git_in(copy.root(), &["config", "--local", "user.name"])?;
    assert_eq!(name, "A \"quoted\" \\ User");

    let linked = OpenWorkspace { linked_worktree: true, ..request() };
    let (workspace, worktree) = repo.open_with(&linked)?;
    let copy = worktree.copy(&workspace.head, &repo.state())?;
    assert_eq!(repo.git_in(copy.root(), &["status", "--porcelain"])?, "");
    assert_eq!(repo.git_in(copy.root(), &["log", "--format=%s"])?, "second\nfirst");
    Ok(())
}

#[test]
fn a_large_repository_is_copied_with_few_processes() -> Outcome {
    let repo = TestRepo::new()?;
    let session = repo.open()?;
    let blob = repo.git(&["rev-parse", "HEAD:a.txt"])?;
    let lines = |count: usize, kind: &str, id: &str| {
        let line = |number| format!("{kind} {id}\tname-{number:04}\n");
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    let git = &session.worktree.repository().git;
    let tree = |listing: String| git.call(&["mktree"]).stdin(listing.into_bytes()).line();
    let folder = tree(lines(100, "100644 blob", &blob))?;
    let whole = tree(lines(50, "040000 tree", &folder))?;
    let commit = CommitId(repo.git(&["commit-tree", &whole, "-m", "many"])?);
    let before = git.started();
    let copy = session.worktree.copy(&commit, &repo.state())?;
    let started = git.started() - before;
    assert!(started <= 7, "{started} git processes");
    assert_eq!(fs::read_dir(copy.root().join("name-0049"))?.count(), 100);
    assert_eq!(repo.git_in(copy.root(), &["status", "--porcelain"])?, "");
    assert_eq!(copy.remove(), None);
    Ok(())
}
