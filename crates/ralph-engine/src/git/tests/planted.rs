//! What an agent plants so that ralph, or the user's next command, follows it: repositories, links, endless folders.

use ralph_core::vocabulary::Violation;

use super::*;

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ./\n";

fn bare(repo: &TestRepo, folder: &str) -> Outcome {
    repo.write(&format!("{folder}/HEAD"), "ref: refs/heads/main\n")?;
    repo.write(&format!("{folder}/config"), CONFIG)?;
    repo.write(&format!("{folder}/objects/x/k"), "")?;
    repo.write(&format!("{folder}/refs/heads/.k"), "")?;
    Ok(())
}

fn nested(path: &str) -> Violation {
    Violation::NestedRepository { path: path.into() }
}

#[test]
fn a_repository_without_dot_git_is_refused_and_taken_apart() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    bare(&repo, "docs")?;
    assert_eq!(session.capture()?.violations, [nested("docs")]);
    assert!(!repo.root.join("docs/HEAD").exists() && !repo.root.join("docs/objects").exists());
    session.checkpoint()?;
    assert!(!repo.root.join("docs/config").exists());
    Ok(())
}

/// Ways to be there: as a folder, a file that can be started, a file, a link to either, a link to nothing yet.
fn be_there(place: &Path, way: &str) -> Outcome {
    match way {
        "folder" => {
            fs::create_dir_all(place)?;
            fs::write(place.join("k"), "")?;
        }
        "program" | "file" => {
            fs::write(place, "#!/bin/sh\n")?;
            let mode = if way == "program" { 0o755 } else { 0o644 };
            fs::set_permissions(place, fs::Permissions::from_mode(mode))?;
        }
        "link" => std::os::unix::fs::symlink("/usr", place)?,
        _ => std::os::unix::fs::symlink("nowhere-yet", place)?,
    }
    Ok(())
}

#[test]
fn a_repository_is_one_whatever_its_parts_are() -> Outcome {
    let ways = ["folder", "program", "file", "link", "dangling"];
    for (objects, refs) in ways.iter().flat_map(|one| ways.iter().map(move |two| (one, two))) {
        let repo = TestRepo::new()?;
        repo.write("docs/HEAD", "ref: refs/heads/main\n")?;
        be_there(&repo.root.join("docs/objects"), objects)?;
        be_there(&repo.root.join("docs/refs"), refs)?;
        let found = super::super::survey::survey(&repo.root)?;
        assert!(found.iter().any(|one| one.folder() == b"docs"), "{objects} {refs}");
    }
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::create_dir(repo.root.join("docs"))?;
    std::os::unix::fs::symlink("refs/heads/main", repo.root.join("docs/HEAD"))?;
    std::os::unix::fs::symlink("/dev/zero", repo.root.join("docs/config"))?;
    be_there(&repo.root.join("docs/objects"), "program")?;
    be_there(&repo.root.join("docs/refs"), "program")?;
    assert_eq!(session.capture()?.violations.first(), Some(&nested("docs")));
    Ok(())
}

#[test]
fn one_that_is_made_in_two_steps_the_second_with_empty_folders_is_refused_too() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("docs/HEAD", "ref: refs/heads/main\n")?;
    repo.write("docs/config", CONFIG)?;
    assert_eq!(session.accept()?.violations, []);
    session.checkpoint()?;
    fs::create_dir_all(repo.root.join("docs/objects"))?;
    fs::create_dir_all(repo.root.join("docs/refs"))?;
    assert_eq!(session.capture()?.violations, [nested("docs")]);
    session.checkpoint()?;
    assert!(repo.root.join("docs/HEAD").exists() && !repo.root.join("docs/objects").exists());
    Ok(())
}

#[test]
fn repositories_that_tests_work_on_stay_until_their_configuration_changes() -> Outcome {
    let repo = TestRepo::new()?;
    bare(&repo, "fixtures/one.git")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "fixture"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("fixtures/one.git/refs/heads/main", "0\n")?;
    assert_eq!(session.accept()?.violations, []);
    session.checkpoint()?;
    repo.write("fixtures/one.git/config", "[core]\n\tfsmonitor = evil\n")?;
    assert_eq!(session.capture()?.violations, [nested("fixtures/one.git")]);
    session.checkpoint()?;
    assert_eq!(repo.read("fixtures/one.git/config").as_deref(), Some(CONFIG));
    assert!(repo.root.join("fixtures/one.git/objects/x/k").exists());
    Ok(())
}

#[test]
fn whoever_stands_in_such_a_folder_is_in_the_repository_around_it() -> Outcome {
    let repo = TestRepo::new()?;
    bare(&repo, "docs")?;
    let found = Repository::discover_with(&repo.env(), &repo.root.join("docs"))?;
    assert_eq!(found.root(), repo.root);
    assert_eq!(found.standing()?.branch.as_deref(), Some("main"));
    Ok(())
}

#[test]
fn a_missing_object_is_not_fetched_by_whatever_a_repository_names() -> Outcome {
    let repo = TestRepo::new()?;
    let canary = repo.home.path().join("canary");
    let head = repo.git(&["rev-parse", "HEAD"])?;
    fs::remove_file(repo.root.join(format!(".git/objects/{}/{}", &head[..2], &head[2..])))?;
    let url = format!("ext::touch {}", canary.display());
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("remote.evil.url", &url),
        ("protocol.ext.allow", "always"),
    ] {
        repo.git(&["config", key, value])?;
    }
    let repository = repo.repository()?;
    assert!(repository.head().is_err() && repository.tree_at("HEAD").is_err());
    assert!(!canary.exists(), "something was started to fetch it");
    let _ = repo.git(&["rev-parse", "--verify", "HEAD^{commit}"]);
    assert!(canary.exists(), "the trap is no trap");
    Ok(())
}

#[test]
fn folders_too_deep_to_be_named_end_neither_a_run_nor_the_next() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    for _ in 0..5 {
        // Built from the outside in: each round puts the whole chain into new folders.
        let outer = repo.home.path().join("outer");
        let inner = outer.join(["a-name-that-is-long-enough-to-matter"; 30].join("/"));
        fs::create_dir_all(&inner)?;
        if repo.root.join("deep").exists() {
            fs::rename(repo.root.join("deep"), inner.join("deep"))?;
        }
        fs::rename(&outer, repo.root.join("deep"))?;
    }
    // Another run may find it there.
    super::super::survey::survey(&repo.root)?;
    repo.write("b.txt", "b\n")?;
    let captured = session.capture()?;
    assert_eq!((captured.sample, captured.violations), (vec!["b.txt".to_owned()], Vec::new()));
    let told = captured.notes.iter().any(|note| note.contains("folders in deep that are too deep"));
    assert!(told, "{:?}", captured.notes);
    assert!(fs::read_dir(repo.truth().join("set-aside"))?.count() > 0);
    session.checkpoint()?;
    session.close()?;
    Ok(())
}

#[test]
fn a_repository_does_not_go_home_through_a_link() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["init", "-q", "mine/inner"])?;
    let outside = repo.home.path().join("outside");
    fs::create_dir(&outside)?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::rename(repo.root.join("mine/inner"), repo.root.join("moved"))?;
    fs::remove_dir(repo.root.join("mine"))?;
    fs::create_dir(outside.join("inner"))?;
    std::os::unix::fs::symlink(&outside, repo.root.join("mine"))?;
    session.capture()?;
    assert_eq!(fs::read_dir(outside.join("inner"))?.count(), 0, "it was put behind the link");
    Ok(())
}

#[test]
fn nothing_behind_a_link_comes_into_a_copy() -> Outcome {
    let (repo, other) = (TestRepo::new()?, TestRepo::new()?);
    let url = other.root.display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "libs/foo"];
    repo.git(&add)?;
    repo.git(&["commit", "-qm", "submodule"])?;
    let outside = repo.home.path().join("outside");
    put(&outside, "foo/.env", "SECRET")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::rename(repo.root.join("libs"), repo.home.path().join("stolen"))?;
    std::os::unix::fs::symlink(&outside, repo.root.join("libs"))?;
    let copy = session.worktree.copy(&session.head, &repo.state())?;
    assert!(!copy.root().join("libs/foo/.env").exists());
    Ok(())
}
