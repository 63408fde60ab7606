//! Rows K, L, N of the escapes measured for the sandbox: a planted repository must never be executed.

use ralph_core::vocabulary::Violation;

use super::*;

/// A repository whose configuration runs a program as soon as git looks into it.
struct Trap {
    canary: PathBuf,
    script: String,
}

impl Trap {
    fn new(repo: &TestRepo) -> Result<Self, Box<dyn Error>> {
        let canary = repo.home.path().join("canary");
        let script = repo.home.path().join("trap.sh");
        fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", canary.display()))?;
        make_executable(&script)?;
        Ok(Self { canary, script: script.display().to_string() })
    }

    /// Plants it: a valid repository with a commit, a monitor and a filter.
    fn plant(&self, repo: &TestRepo, folder: &str) -> Outcome {
        let dir = repo.root.join(folder);
        fs::create_dir_all(&dir)?;
        repo.git_in(&dir, &["init", "-q"])?;
        fs::write(dir.join("file.txt"), "x\n")?;
        let name = ["-c", "user.name=x", "-c", "user.email=x@y"];
        repo.git_in(&dir, &[&name[..], &["add", "-A"]].concat())?;
        repo.git_in(&dir, &[&name[..], &["commit", "-qm", "x"]].concat())?;
        fs::write(dir.join(".gitattributes"), "* filter=trap\n")?;
        fs::write(dir.join("file.txt"), "changed, so that git looks\n")?;
        repo.git_in(&dir, &["config", "core.fsmonitor", &self.script])?;
        repo.git_in(&dir, &["config", "filter.trap.clean", &self.script])?;
        repo.git_in(&dir, &["config", "filter.trap.smudge", &self.script])?;
        Ok(())
    }

    fn check(&self) {
        assert!(!self.canary.exists(), "the planted program ran");
    }

    /// Shows that the trap works: git that looks into the repository does run it.
    fn springs(&self, repo: &TestRepo, folder: &str) -> Outcome {
        repo.git_in(&repo.root.join(folder), &["status"])?;
        assert!(self.canary.exists(), "the trap is no trap");
        Ok(())
    }
}

fn nested(path: &str) -> Violation {
    Violation::NestedRepository { path: path.into() }
}

#[test]
fn the_trap_of_these_tests_works() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    trap.plant(&repo, "sub")?;
    trap.check();
    trap.springs(&repo, "sub")
}

#[test]
fn a_new_nested_repository_is_moved_away_unopened() -> Outcome {
    for program in gits() {
        let repo = TestRepo::with(program)?;
        let trap = Trap::new(&repo)?;
        let mut session = repo.open()?;
        session.checkpoint()?;
        trap.plant(&repo, "sub/deep")?;
        let captured = session.capture()?;
        assert_eq!(captured.violations, [nested("sub/deep")]);
        assert!(!repo.root.join("sub/deep/.git").exists());
        assert!(repo.truth().join("set-aside/0001-.git/config").exists());
        let tree = captured.tree.unwrap_or_default();
        let listed = repo.git(&["ls-tree", "-r", tree.as_str()])?;
        assert!(!listed.contains("160000") && listed.contains("sub/deep/file.txt"), "{listed}");
        session.checkpoint()?;
        session.close()?;
        assert!(!repo.root.join("sub").exists());
        trap.check();
    }
    Ok(())
}

#[test]
fn a_nested_repository_the_agent_recorded_in_the_index_never_gets_into_a_tree() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    trap.plant(&repo, "sub")?;
    repo.git(&["-c", "core.fsmonitor=false", "add", "-A"])?;
    assert!(repo.git(&["ls-files", "--stage", "sub"])?.starts_with("160000"));
    let captured = session.capture()?;
    assert_eq!(captured.violations, [nested("sub")]);
    session.checkpoint()?;
    assert_eq!(repo.git(&["ls-files", "--stage", "sub"])?, "");
    trap.check();
    Ok(())
}

#[test]
fn an_agents_commit_that_records_a_repository_is_not_history() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    trap.plant(&repo, "sub")?;
    repo.git(&["-c", "core.fsmonitor=false", "add", "-A"])?;
    repo.git(&["-c", "core.fsmonitor=false", "commit", "-qm", "with a gitlink"])?;
    let _ = fs::remove_file(&trap.canary);
    let captured = session.capture()?;
    assert_eq!(captured.head, session.head);
    assert!(captured.violations.contains(&nested("sub")), "{captured:?}");
    assert_eq!(repo.git(&["rev-parse", "HEAD"])?, session.head.as_str());
    session.checkpoint()?;
    trap.check();
    Ok(())
}

fn with_submodule() -> Result<(TestRepo, TestRepo), Box<dyn Error>> {
    let (repo, other) = (TestRepo::new()?, TestRepo::new()?);
    let url = other.root.display().to_string();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"])?;
    repo.git(&["commit", "-qm", "submodule"])?;
    Ok((repo, other))
}

#[test]
fn a_submodule_whose_repository_was_replaced_is_not_executed() -> Outcome {
    let (repo, _other) = with_submodule()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::remove_file(repo.root.join("sub/.git"))?;
    trap.plant(&repo, "sub")?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, [nested("sub")]);
    session.checkpoint()?;
    assert!(repo.git(&["ls-tree", "HEAD", "sub"])?.starts_with("160000"));
    trap.check();
    Ok(())
}

#[test]
fn a_submodule_moved_aside_for_a_planted_one_gets_its_own_back() -> Outcome {
    let (repo, _other) = with_submodule()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::rename(repo.root.join("sub"), repo.root.join("s2"))?;
    trap.plant(&repo, "sub")?;
    let captured = session.capture()?;
    assert!(captured.violations.contains(&nested("sub")), "{captured:?}");
    assert!(captured.violations.contains(&nested("s2")), "{captured:?}");
    assert!(repo.read("sub/.git").is_some_and(|file| file.starts_with("gitdir:")));
    session.checkpoint()?;
    assert!(!repo.root.join("s2").exists());
    trap.check();
    Ok(())
}

#[test]
fn a_repository_that_a_gate_leaves_is_moved_away_too() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let tree = session.capture()?.tree.unwrap_or_default();
    trap.plant(&repo, "sub")?;
    let names = session.worktree.undo_meddling(&tree)?;
    assert!(names.contains(&"sub".to_owned()), "{names:?}");
    assert!(!repo.root.join("sub").exists());
    trap.check();
    Ok(())
}

#[test]
fn repositories_in_ignored_folders_stay_unopened_until_they_are_ignored_no_longer() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    repo.write(".gitignore", "build/\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "ignore"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    trap.plant(&repo, "build/fetched")?;
    let captured = session.accept()?;
    assert_eq!(captured.violations, []);
    session.checkpoint()?;
    assert!(repo.root.join("build/fetched/.git").exists());
    repo.write(".gitignore", "")?;
    assert_eq!(session.capture()?.violations, [nested("build/fetched")]);
    trap.check();
    Ok(())
}

#[test]
fn the_users_own_nested_repository_is_left_alone() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    trap.plant(&repo, "mine")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    repo.write("mine/more.txt", "more\n")?;
    let captured = session.accept()?;
    assert_eq!((captured.sample, captured.violations), (vec!["b.txt".to_owned()], vec![]));
    session.checkpoint()?;
    session.close()?;
    assert!(repo.root.join("mine/.git").exists() && repo.root.join("mine/more.txt").exists());
    trap.check();
    Ok(())
}

#[test]
fn planted_attributes_run_nothing_that_the_user_did_not_configure() -> Outcome {
    let repo = TestRepo::new()?;
    let trap = Trap::new(&repo)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write(".gitattributes", "* filter=trap diff=trap merge=trap\n")?;
    repo.write(".gitconfig", &format!("[filter \"trap\"]\n\tclean = {}\n", trap.script))?;
    repo.write("b.txt", "b\n")?;
    session.accept()?;
    session.checkpoint()?;
    trap.check();
    Ok(())
}

#[test]
fn a_worktree_without_its_own_repository_is_said_so() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::rename(repo.root.join(".git"), repo.home.path().join("stolen"))?;
    let Some(error) = session.capture().err() else {
        return Err("no error".into());
    };
    assert!(error.to_string().ends_with("/.git is gone"), "{error}");
    repo.git(&["init", "-q"])?;
    let Some(error) = session.capture().err() else {
        return Err("no error".into());
    };
    assert!(error.to_string().contains("not the one the run began with"), "{error}");
    Ok(())
}

#[test]
fn pipes_where_git_reads_its_rules_are_moved_away() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("sub/b.txt", "b\n")?;
    for name in [".gitignore", "sub/.gitattributes", "sub/.gitignore", ".mailmap", ".gitmodules"] {
        nix::unistd::mkfifo(&repo.root.join(name), nix::sys::stat::Mode::S_IRWXU)?;
    }
    let captured = session.capture()?;
    assert_eq!(captured.sample, ["sub/b.txt"]);
    let told =
        captured.notes.iter().filter(|note| note.ends_with("was no file; it was moved away"));
    assert_eq!(told.count(), 5, "{:?}", captured.notes);
    session.accept()?;
    Ok(())
}
