//! Attempts on the repository's own folder, `.git`: rows A to D, F, G and I of the measured escapes.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    Alone::{self, Works},
    Attempt, Proof, Tried, World,
    files::mark,
    state::shove,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "git", with, proof: Proof::Word, alone, call: 1, act }
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("move-dot-git", "{work}/.git", Works, shove),
    attempt("move-and-copy-dot-git", "{work}/.git", Works, replace_by_copy),
    attempt("symlink-for-dot-git", "{work}/.git", Works, replace_by_link),
    attempt("file-for-dot-git", "{work}/.git", Works, replace_by_file),
    attempt("move-common-folder", "{git}", Works, shove),
    attempt("commondir", "{git}/commondir", Works, leave_and_take),
    attempt("commondir-of-worktree", "{git}/worktrees/second/commondir", Works, leave_and_take),
    attempt("gitdir-of-worktree", "{git}/worktrees/second/gitdir", Works, leave_and_take),
    attempt("config", "{git}/config", Works, leave_and_take),
    attempt("config-of-worktree", "{git}/config.worktree", Works, leave_and_take),
    attempt("config-of-submodule", "{git}/modules/module/config", Works, leave_and_take),
    attempt("attributes-of-repository", "{git}/info/attributes", Works, leave_and_take),
    attempt("alternates", "{git}/objects/info/alternates", Works, leave_and_take),
    attempt("new-object", "{git}/objects/planted", Works, leave_and_take),
    attempt("index", "{git}/index", Works, leave_and_take),
    attempt("head", "{git}/HEAD", Works, leave_and_take),
    attempt("branch", "{git}/refs/heads/planted", Works, leave_and_take),
    attempt("hook-of-commit", "{git}/hooks/post-commit", Works, leave_and_take),
    attempt("hook-of-index", "{git}/hooks/post-index-change", Works, leave_and_take),
    attempt("hook-of-submodule", "{git}/modules/module/hooks/x", Works, leave_and_take),
    attempt("move-config", "{git}/config", Works, shove),
    attempt("move-hooks", "{git}/hooks", Works, shove),
    attempt("git-config-fsmonitor", "core.fsmonitor", Works, git_config),
    attempt("git-config-filter", "filter.planted.clean", Works, git_config),
    attempt("git-config-hooks", "core.hooksPath", Works, git_config),
    attempt("git-branch", "planted-by-git", Works, git_branch),
    attempt("git-add", "escape/added", Works, git_add),
    attempt("delete-dot-git-of-submodule", "{work}/module/.git", Works, shove),
];

/// Writes into a file and restores what was there.
fn leave_and_take(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    let before = fs::read(&path).ok();
    let written = mark(&path, attempt);
    if written.is_ok() {
        let _ = match before {
            Some(bytes) => fs::write(&path, bytes),
            None => fs::remove_file(&path),
        };
    }
    Tried::of(written)
}

/// Moves `.git` away, puts something in its place, and takes both back.
fn replaced(path: &Path, put: impl FnOnce(&Path) -> std::io::Result<()>) -> Tried {
    let away = path.with_file_name("git-moved");
    if let Err(error) = fs::rename(path, &away) {
        return Tried::Refused(error.to_string());
    }
    let done = put(&away);
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    let _ = fs::rename(&away, path);
    Tried::of(done)
}

fn replace_by_copy(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    replaced(&path, |away| Command::new("cp").arg("-r").args([away, &path]).status().map(drop))
}

fn replace_by_link(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    replaced(&path, |_| symlink(world.own("planted"), &path))
}

fn replace_by_file(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    replaced(&path, |_| fs::write(&path, "gitdir: escape/planted\n"))
}

/// The system's git, whatever lies on the path.
pub(super) fn git_program() -> Command {
    let mut command = Command::new("git");
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
}

fn git(world: &World, args: &[&str]) -> std::io::Result<()> {
    let output = git_program().args(args).current_dir(world.work()).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn git_config(world: &World, attempt: &Attempt) -> Tried {
    let set = git(world, &["config", attempt.with, "planted"]);
    if set.is_ok() {
        let _ = git(world, &["config", "--unset", attempt.with]);
    }
    Tried::of(set)
}

fn git_branch(world: &World, attempt: &Attempt) -> Tried {
    let made = git(world, &["branch", attempt.with]);
    if made.is_ok() {
        let _ = git(world, &["branch", "-D", attempt.with]);
    }
    Tried::of(made)
}

fn git_add(world: &World, attempt: &Attempt) -> Tried {
    let file: PathBuf = world.work().join(attempt.with);
    let added = fs::write(file, "added\n").and_then(|()| git(world, &["add", "-f", attempt.with]));
    if added.is_ok() {
        let _ = git(world, &["rm", "-q", "--cached", "-f", attempt.with]);
    }
    Tried::of(added)
}
