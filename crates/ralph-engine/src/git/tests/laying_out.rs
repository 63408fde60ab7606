//! What judges see of a tree is what git gives of it.

use std::os::unix::fs::FileTypeExt as _;

use super::*;

/// The layer over the worktree, after the agent wrote and ralph captured.
fn laid_out(repo: &TestRepo, session: &mut Session) -> Result<PathBuf, Box<dyn Error>> {
    let tree = session.capture()?.tree.ok_or("no tree")?;
    let up = fs::canonicalize(repo.home.path())?.join("layer/up");
    session.worktree.lay_out(&tree, &up)?;
    Ok(up)
}

fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[test]
fn what_is_on_disk_as_git_would_give_it_is_seen_there() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("new/b.txt", "b\n")?;
    repo.write("a.txt", "two\n")?;
    std::os::unix::fs::symlink("a.txt", repo.root.join("link"))?;
    let up = laid_out(&repo, &mut session)?;
    assert!(names(&up)?.is_empty(), "{:?}", names(&up)?);
    Ok(())
}

#[test]
fn line_endings_modes_and_keywords_are_those_of_a_checkout() -> Outcome {
    let repo = TestRepo::new()?;
    repo.git(&["config", "core.fileMode", "false"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write(".gitattributes", "*.sh text eol=crlf\n*.id ident\n*.rs text eol=crlf\n")?;
    repo.write("run.sh", "exit 0\n")?;
    repo.write("a.id", "$Id$\n")?;
    repo.write("start", "#!/bin/sh\n")?;
    make_executable(&repo.root.join("start"))?;
    let up = laid_out(&repo, &mut session)?;
    assert_eq!(names(&up)?, ["a.id", "run.sh", "src", "start"]);
    assert_eq!(fs::read_to_string(up.join("run.sh"))?, "exit 0\r\n");
    assert!(fs::read_to_string(up.join("a.id"))?.starts_with("$Id: "));
    // Not touched by anybody, and another file by what attributes say now.
    assert_eq!(fs::read_to_string(up.join("src/lib.rs"))?, "fn one() {}\r\n");
    assert_eq!(fs::metadata(up.join("start"))?.permissions().mode() & 0o111, 0);
    assert_eq!(repo.read("run.sh").as_deref(), Some("exit 0\n"), "the worktree is as it was");
    Ok(())
}

#[test]
fn names_that_git_refuses_are_put_aside_and_told() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("git~1/works", "1\n")?;
    std::os::unix::fs::symlink("a.txt", repo.root.join(".gitmodules"))?;
    repo.write("b.txt", "b\n")?;
    let captured = session.capture()?;
    assert_eq!(repo.read("git~1/works"), None);
    assert!(fs::symlink_metadata(repo.root.join(".gitmodules")).is_err());
    let notes = captured.notes.join("\n");
    assert!(notes.contains("git~1/works") && notes.contains(".gitmodules"), "{notes}");
    let tree = captured.tree.ok_or("no tree")?;
    assert_eq!(repo.git(&["ls-tree", "--name-only", tree.as_str()])?, "a.txt\nb.txt\nsrc");
    Ok(())
}

#[test]
fn the_index_of_judges_lists_what_is_new() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let tree = session.capture()?.tree.ok_or("no tree")?;
    let file = repo.home.path().join("index");
    session.worktree.describe(&tree, &file)?;
    let mut command = Command::new(&repo.program);
    command.env_clear().envs(repo.vars()).env("GIT_INDEX_FILE", &file);
    let output = command.args(["ls-files"]).current_dir(&repo.root).output()?;
    assert_eq!(String::from_utf8(output.stdout)?, "a.txt\nb.txt\nsrc/lib.rs\n");
    assert_eq!(repo.git(&["ls-files"])?, "a.txt\nsrc/lib.rs", "the user's own is as it was");
    Ok(())
}

/// Git calls it clean, and it is not what anybody else would get.
#[test]
fn what_git_takes_for_unchanged_is_judged_and_left_as_git_would_write_it() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".gitattributes", "*.id ident\n*.lf text eol=lf\n")?;
    repo.write("a.id", "# $Id$\n")?;
    repo.write("b.lf", "b\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "attributes"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    let agents = repo.home.path().join("agents/up");
    put(&agents, "a.id", "# $Id: planted $\n")?;
    put(&agents, "b.lf", "b\r\n")?;
    let carried = session.worktree.carry(&agents)?;
    assert_eq!(carried.brought.len(), 2);
    let up = laid_out(&repo, &mut session)?;
    let seen = |name: &str| fs::read_to_string(up.join(name)).ok().or(repo.read(name));
    for text in [seen("a.id"), repo.read("a.id")] {
        assert!(text.is_some_and(|text| text.starts_with("# $Id") && !text.contains("planted")));
    }
    for text in [seen("b.lf"), repo.read("b.lf")] {
        assert_eq!(text.as_deref(), Some("b\n"));
    }
    assert_eq!(repo.git(&["diff"])?, "");
    Ok(())
}

#[test]
fn folders_that_no_clone_has_are_hidden_and_those_of_ignored_files_are_not() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(".gitignore", "*.o\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "ignore"])?;
    fs::create_dir_all(repo.root.join("empty/deeper"))?;
    fs::create_dir_all(repo.root.join("src/empty"))?;
    repo.write("mine/notes", "mine\n")?;
    repo.write("obj/a.o", "built\n")?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("b.txt", "b\n")?;
    let up = laid_out(&repo, &mut session)?;
    assert_eq!(names(&up)?, ["empty", "mine", "src"]);
    assert_eq!(names(&up.join("src"))?, ["empty"]);
    for hidden in ["empty", "mine", "src/empty"] {
        let mark = fs::symlink_metadata(up.join(hidden))?;
        assert!(mark.file_type().is_char_device(), "{hidden}");
        assert!(repo.root.join(hidden).is_dir(), "{hidden} is the user's");
    }
    let named = session.worktree.untracked_sample().join(" ");
    assert!(named.contains("empty/") && named.contains("mine/notes"), "{named}");
    Ok(())
}

#[test]
fn what_the_user_told_git_not_to_look_at_is_seen_as_it_is_committed() -> Outcome {
    for how in ["--skip-worktree", "--assume-unchanged"] {
        let repo = TestRepo::new()?;
        repo.git(&["update-index", how, "a.txt"])?;
        repo.write("a.txt", "local\n")?;
        let mut session = repo.open()?;
        session.checkpoint()?;
        repo.write("b.txt", "b\n")?;
        let up = laid_out(&repo, &mut session)?;
        assert_eq!(fs::read_to_string(up.join("a.txt"))?, "one\n", "{how}");
        assert_eq!(repo.read("a.txt").as_deref(), Some("local\n"), "{how}");
    }
    Ok(())
}
