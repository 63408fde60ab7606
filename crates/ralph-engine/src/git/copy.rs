//! A throwaway copy of a commit for an agent that only looks: a repository of its own that borrows the objects.
//!
//! Nothing done there can reach the original through git: it has no remotes, and borrowed objects are only read.

use std::{
    fmt::Write as _,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
};

use ralph_core::ids::CommitId;

use crate::remove::remove_all;

use super::{
    binding::Git,
    command::name_and_address,
    error::GitError,
    files::{RelPath, quoted, shown},
    linked,
    refs::{Refs, tame},
    repository::Repository,
    untracked_copy::{self, Limits, Way},
    worktree::Worktree,
};

/// So many branches and tags of the original are named in a copy, the newest first.
const REFS: &str = "--count=2000";

/// Switched off in a copy, whatever the user's own configuration says.
const CONFIG: &str = "[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n\
    [commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n\
    [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Filters are programs of the user, and some fetch from elsewhere: in a copy none runs.
const ATTRIBUTES: &str = "* -filter\n";

/// A copy of a commit. Dropping it removes it.
#[derive(Debug)]
pub struct ThrowawayCopy {
    /// The folder that nobody else can enter, with the copy in it.
    holder: PathBuf,
    root: PathBuf,
    notes: Vec<String>,
}

impl Worktree {
    /// Makes a copy of a commit, with the files beside it that are in no commit.
    pub fn copy(&self, commit: &CommitId, state_home: &Path) -> Result<ThrowawayCopy, GitError> {
        self.copy_within(commit, state_home, Limits::default())
    }

    pub(crate) fn copy_within(
        &self,
        commit: &CommitId,
        state_home: &Path,
        limits: Limits,
    ) -> Result<ThrowawayCopy, GitError> {
        let record = &self.record;
        let origin =
            Origin { repo: &self.repo, branch: &record.branch, submodules: &record.submodules };
        origin.copy(commit, state_home, limits)
    }

    /// Puts back what was moved in the original while somebody worked in a copy of `head`: the copy leads nowhere,
    /// but who knows the original's path can reach it.
    pub fn after_copy(&mut self, head: &CommitId) -> Result<Vec<String>, GitError> {
        let run = tame(self.run.as_str());
        let git = self.repo.git.clone();
        let mut notes = Vec::new();
        if let Some(before) = &self.refs {
            let mut now = Refs::read(&git, self.repo.root(), &run)?;
            let moves = now.moved_since(before, &self.full_branch());
            notes = now.put_back(&git, &run, &moves)?;
        }
        notes.extend(self.hold_refs(head)?);
        Ok(notes)
    }
}

/// What a copy is made of.
pub(crate) struct Origin<'a> {
    pub(crate) repo: &'a Repository,
    /// The branch that the copy is on.
    pub(crate) branch: &'a str,
    pub(crate) submodules: &'a [RelPath],
}

impl Origin<'_> {
    /// Makes a copy of a commit, with the files beside it that are in no commit.
    pub(crate) fn copy(
        &self,
        commit: &CommitId,
        state_home: &Path,
        limits: Limits,
    ) -> Result<ThrowawayCopy, GitError> {
        let mut copy = self.make_folder(state_home)?;
        let git = self.make_repository(&copy.root, commit)?;
        let from = self.repo.root();
        let mut paths = untracked_copy::list(&git, from)?;
        paths.extend(self.submodules.iter().cloned());
        let brought = untracked_copy::bring(paths, &Way { from, to: &copy.root, limits });
        write(&copy.root.join(".git/info/exclude"), &exclusions(&brought.paths))?;
        copy.notes = brought.notes;
        Ok(copy)
    }

    fn make_folder(&self, state_home: &Path) -> Result<ThrowawayCopy, GitError> {
        let folder = copies(self.repo, state_home);
        let make = || {
            fs::create_dir_all(&folder)?;
            let private = fs::Permissions::from_mode(0o700);
            let holder = tempfile::Builder::new()
                .prefix("copy-")
                .permissions(private)
                .tempdir_in(fs::canonicalize(&folder)?)?
                .keep();
            // Some tools name what they build after the folder.
            let root = holder.join(self.repo.main_root().file_name().unwrap_or("copy".as_ref()));
            let copy = ThrowawayCopy { holder, root, notes: Vec::new() };
            fs::create_dir(&copy.root).map(|()| copy)
        };
        make().map_err(GitError::io(format!("cannot make a copy in {}", folder.display())))
    }

    /// A repository at `commit`, on a branch of the same name as here, with its files.
    fn make_repository(&self, root: &Path, commit: &CommitId) -> Result<Git, GitError> {
        let branch = self.branch;
        let format = if commit.as_str().len() > 40 { "sha256" } else { "sha1" };
        let anywhere = self.repo.git.released();
        let call = anywhere.call(&["init", "--quiet", "--template="]).dir(root);
        call.arg(format!("--initial-branch={branch}"))
            .arg(format!("--object-format={format}"))
            .config("core.fsync=none")
            .config("init.defaultRefFormat=files")
            .ok()?;
        let git_dir = root.join(".git");
        let objects = self.repo.common_dir().join("objects");
        let borrowed = [quoted(objects.as_os_str().as_bytes()), b"\n".to_vec()].concat();
        write(&git_dir.join("objects/info/alternates"), &borrowed)?;
        write(&git_dir.join("info/attributes"), ATTRIBUTES.as_bytes())?;
        self.write_config(&git_dir.join("config"))?;
        let shallow = self.repo.common_dir().join("shallow");
        if shallow.is_file() {
            fs::copy(&shallow, git_dir.join("shallow"))
                .map_err(GitError::io(format!("cannot copy {}", shallow.display())))?;
        }
        let git = self.repo.git.bound_anew(&git_dir, root, format)?;
        self.name_refs(&git)?;
        let head = format!("refs/heads/{branch}");
        let args = ["update-ref", &head, commit.as_str()];
        git.call(&args).config("core.fsync=none").ok()?;
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let stage = root.with_file_name(format!("{name}.stage"));
        fs::create_dir(&stage).map_err(GitError::io(format!("cannot make {}", stage.display())))?;
        let index = stage.join("index");
        let args = ["read-tree", "--reset", "-u", commit.as_str()];
        git.call(&args).config("core.fsync=none").index(&index).ok()?;
        fs::rename(&index, git_dir.join("index"))
            .and_then(|()| fs::remove_dir(&stage))
            .map_err(GitError::io(format!("cannot use {}", index.display())))?;
        Ok(git)
    }

    /// Of the user's configuration only the name for commits comes along.
    fn write_config(&self, file: &Path) -> Result<(), GitError> {
        let mut text = fs::read_to_string(file)
            .map_err(GitError::io(format!("cannot read {}", file.display())))?;
        text.push_str(CONFIG);
        // Who only looks needs no name.
        let ident = self.repo.git.call(&["var", "GIT_COMMITTER_IDENT"]).reads().line();
        if let Ok(ident) = ident
            && let Some((name, email)) = name_and_address(&ident)
        {
            let [name, email] = [name, email].map(|word| shown(&quoted(word.as_bytes())));
            let _ = writeln!(text, "[user]\n\tname = {name}\n\temail = {email}");
        }
        write(file, text.as_bytes())
    }

    /// Branches and tags, so that names in the history mean something. Doing without is no failure.
    fn name_refs(&self, git: &Git) -> Result<(), GitError> {
        let format = "--format=create %(refname) %(objectname)";
        let args = ["for-each-ref", REFS, "--sort=-creatordate", format, "refs/heads", "refs/tags"];
        let list = self.repo.git.call(&args).reads().run()?;
        if list.code != 0 {
            return Ok(());
        }
        let call = git.call(&["update-ref", "--stdin"]).config("core.fsync=none");
        call.stdin(list.stdout).run().map(drop)
    }
}

impl ThrowawayCopy {
    /// The folder to work in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder around it, beyond which no repository is to be looked for.
    pub fn holder(&self) -> &Path {
        &self.holder
    }

    /// What is missing in it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Removes it, and says if something stays. No process that works in it may be alive.
    pub fn remove(self) -> Option<String> {
        taken_away(&self.holder)
    }
}

impl Drop for ThrowawayCopy {
    fn drop(&mut self) {
        let _ = remove_all(&self.holder);
    }
}

/// Removes the copies that runs of this repository left when they were killed. Nobody else may be running here.
pub(crate) fn clear(repo: &Repository, state_home: &Path) -> Vec<String> {
    let left = fs::read_dir(copies(repo, state_home)).into_iter().flatten().flatten();
    // Removing makes new names in the same folder: all must be read first.
    let left: Vec<PathBuf> = left.map(|entry| entry.path()).collect();
    left.iter().filter_map(|path| taken_away(path)).collect()
}

fn taken_away(folder: &Path) -> Option<String> {
    let error = remove_all(folder).err()?;
    Some(format!("the throwaway copy {} could not be removed: {error}", folder.display()))
}

fn copies(repo: &Repository, state_home: &Path) -> PathBuf {
    linked::state_folder(repo, state_home, "copies")
}

/// What came along beside the commit is no change of the one who looks at it.
fn exclusions(paths: &[RelPath]) -> Vec<u8> {
    let mut lines = Vec::new();
    for path in paths.iter().filter(|path| !path.contains(&b'\n')) {
        lines.push(b'/');
        for byte in path {
            if b"*?[\\ !#".contains(byte) {
                lines.push(b'\\');
            }
            lines.push(*byte);
        }
        lines.push(b'\n');
    }
    lines
}

fn write(file: &Path, content: &[u8]) -> Result<(), GitError> {
    let written =
        fs::create_dir_all(file.parent().unwrap_or(file)).and_then(|()| fs::write(file, content));
    written.map_err(GitError::io(format!("cannot write {}", file.display())))
}
