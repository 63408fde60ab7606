//! Linked worktrees below the state folder: the user's own checkout is not touched.

use std::{
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use ralph_core::ids::{CommitId, RunId};
use ralph_text::fingerprint;

use super::{
    error::GitError,
    files::{make_folder, remove_if_there},
    index::PrivateIndex,
    obstructions::Aside,
    record::Record,
    refs::tame,
    repository::Repository,
    survey,
    worktree::Worktree,
};

/// Where everything of one kind of this repository is, below the state folder.
pub(crate) fn state_folder(repo: &Repository, state_home: &Path, kind: &str) -> PathBuf {
    let name = repo.main_root().file_name().unwrap_or_default().to_string_lossy();
    let hash = fingerprint::digest(&[repo.common_dir().as_os_str().as_bytes()]);
    // Long enough that no two of all repositories on a machine ever share it.
    let project = format!("{}-{hash:.16}", tame(&name.replace('/', "-")));
    state_home.join("ralph").join(kind).join(project)
}

impl Repository {
    /// Where what agents have of their own during a call is kept.
    pub fn calls_folder(&self, state_home: &Path) -> PathBuf {
        state_folder(self, state_home, "calls")
    }

    /// Where what is written in boxes, over folders that stay as they are, is kept.
    pub fn layers_folder(&self, state_home: &Path) -> PathBuf {
        state_folder(self, state_home, "layers")
    }

    /// Where ralph keeps what it makes for the boxes of this repository.
    pub fn cache_folder(&self, state_home: &Path) -> PathBuf {
        state_folder(self, state_home, "caches")
    }
}

/// Where a run's linked worktree is.
pub(crate) fn place(repo: &Repository, run: &RunId, state_home: &Path) -> PathBuf {
    state_folder(repo, state_home, "worktrees").join(tame(run.as_str()).replace('/', "-"))
}

/// Makes the linked worktree, with the branch's files in it; one that is there already will do.
pub(crate) fn add(repo: &Repository, path: &Path, branch: &str) -> Result<Repository, GitError> {
    let is_usable = path.join(".git").exists() && Repository::locate(&repo.git, path).is_ok();
    if !is_usable {
        clear_away(repo, path)?;
        repo.git.call(&["worktree", "prune"]).ok()?;
        let call = repo.git.call(&["worktree", "add", "--quiet", "--no-checkout"]);
        call.arg(path).arg(branch).ok()?;
        let linked = Repository::locate(&repo.git, path)?;
        check_out(&linked, branch)?;
        return Ok(linked);
    }
    let linked = Repository::locate(&repo.git, path)?;
    if linked.common_dir() == repo.common_dir() {
        return Ok(linked);
    }
    let what = format!("{} belongs to another repository", path.display());
    Err(GitError::Damaged { what })
}

/// Writes the files of a branch into a new worktree.
fn check_out(linked: &Repository, branch: &str) -> Result<(), GitError> {
    let tree = linked.tree_at(branch)?;
    let stage = linked.git_dir().join("stage");
    let mut index = PrivateIndex::scratch(&linked.git, linked.root(), stage.join("index"))?;
    index.load(&tree)?;
    let call = linked.git.call(&["checkout-index", "--all", "--index", "--force"]);
    call.index(index.file()).ok()?;
    index.install(&linked.git_dir().join("index"))?;
    drop(index);
    // Nobody misses it, and nobody minds it.
    let _ = fs::remove_dir(&stage);
    Ok(())
}

/// What a kill left of a worktree that was being made or removed goes out of the way.
fn clear_away(repo: &Repository, path: &Path) -> Result<(), GitError> {
    make_folder(path.parent().unwrap_or(path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.exists() {
        Aside::new(path.with_file_name(format!("{name}.set-aside"))).take(path)?;
    }
    // Git keeps a worktree locked while it makes it, and never prunes a locked one.
    remove_if_there(&repo.common_dir().join("worktrees").join(name).join("locked"))
}

/// The linked worktree of an earlier process; made anew if it is gone.
pub(crate) fn again(
    repo: &Repository,
    record: &mut Record,
    head: &CommitId,
) -> Result<Repository, GitError> {
    let is_there = record.root.join(".git").exists();
    let name = format!("refs/heads/{}", record.branch);
    if repo.commit_at(&name)?.is_none() {
        repo.git.call(&["update-ref", &name, head.as_str(), ""]).ok()?;
    }
    let linked = add(repo, &record.root, &record.branch)?;
    if !is_there || record.dot_gits.is_empty() {
        record.dot_gits = survey::survey(linked.root())?;
    }
    Ok(linked)
}

/// Removes the linked worktree; everything of worth in it is in commits by now, unless somebody works there too.
pub(crate) fn remove(worktree: &Worktree) -> Result<Vec<String>, GitError> {
    let root = worktree.repo.root().to_owned();
    if holds_more(worktree)? {
        let root = root.display();
        return Ok(vec![format!(
            "the worktree {root} holds files of yours and stays; git worktree remove --force {root} drops it"
        )]);
    }
    let main = worktree.repo.main_root();
    let git = worktree.repo.git.bound(worktree.repo.common_dir(), main);
    let reply = git.call(&["worktree", "remove", "--force", "--force"]).arg(&root).run()?;
    if reply.code == 0 {
        return Ok(Vec::new());
    }
    let said = reply.stderr.trim().to_owned();
    Ok(vec![format!("the worktree {} was left in place: {said}", root.display())])
}

/// Whether there is anything but the commit. Agents write nothing there but what is committed or kept.
fn holds_more(worktree: &Worktree) -> Result<bool, GitError> {
    let args = ["status", "--porcelain", "--ignored", "--", ".", ":(top,exclude).ralph"];
    Ok(!worktree.repo.git.call(&args).reads().ok()?.is_empty())
}
