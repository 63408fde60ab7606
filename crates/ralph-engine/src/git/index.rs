//! The private index: what ralph knows of the worktree, apart from the user's own index.
//!
//! Losing it costs time only: it is rebuilt from a tree. Must never bring a new gitlink into a tree.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use ralph_core::ids::TreeId;

use super::{
    binding::Git,
    converse::Reply,
    diff::{Changed, diff},
    error::GitError,
    files::{
        RelPath, about_and_path, is_ralphs, join_nul, make_folder, on_disk, remove_if_there,
        split_nul,
    },
    obstructions::{Aside, in_the_way, is_behind_link},
    scan::Changes,
};

/// From so many files on, one flush for all is faster than one for each.
const MANY: usize = 64;

/// So often git is asked which of many files it does not take; whatever is still together then counts as one.
const CALLS: usize = 2000;

/// A file whose content git does not take, and git's words.
#[derive(Debug, Clone)]
pub(crate) struct Unfit {
    pub(crate) path: RelPath,
    pub(crate) why: String,
}

/// An index file of ralph's own and the tree it stands for.
#[derive(Debug)]
pub(crate) struct PrivateIndex {
    pub(super) git: Git,
    pub(super) root: PathBuf,
    pub(super) file: PathBuf,
    tree: Option<TreeId>,
    /// What it holds of `.ralph`, once it was asked: changes that are taken in are never there.
    ralphs: Option<Vec<RelPath>>,
    /// Whether git did not take everything that it was last given.
    was_refused: bool,
    /// Of that, files whose content it does not take.
    unfit: Vec<Unfit>,
    /// Whether nobody needs it afterwards.
    is_scratch: bool,
}

impl Drop for PrivateIndex {
    fn drop(&mut self) {
        if self.is_scratch {
            let _ = fs::remove_file(&self.file);
        }
    }
}

impl PrivateIndex {
    /// The index at `file`; what it stands for is not known yet.
    pub(crate) fn new(git: &Git, root: &Path, file: PathBuf) -> Result<Self, GitError> {
        // A folder of its own: it is all that a git in the box may write of ralph's files.
        make_folder(file.parent().unwrap_or(root))?;
        // Only this run uses it, so a lock here was left by a process that is gone.
        remove_if_there(&file.with_extension("lock"))?;
        let (git, root) = (git.clone(), root.to_owned());
        Ok(Self {
            git,
            root,
            file,
            tree: None,
            ralphs: None,
            was_refused: false,
            unfit: Vec::new(),
            is_scratch: false,
        })
    }

    /// An empty index that is gone when it is dropped.
    pub(crate) fn scratch(git: &Git, root: &Path, file: PathBuf) -> Result<Self, GitError> {
        remove_if_there(&file)?;
        let mut index = Self::new(git, root, file)?;
        index.is_scratch = true;
        Ok(index)
    }

    /// The file, for commands that read it.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The tree it stands for, if known.
    pub(crate) fn tree(&self) -> Option<&TreeId> {
        self.tree.as_ref()
    }

    /// Whether git did not take everything that it was last given.
    pub(crate) fn was_refused(&self) -> bool {
        self.was_refused
    }

    /// The files that were left out when it was last given some: git does not take what they hold.
    pub(crate) fn unfit(&mut self) -> Vec<Unfit> {
        std::mem::take(&mut self.unfit)
    }

    /// Begins with a copy of the user's index, which knows what the files on disk look like.
    pub(crate) fn start_from(&mut self, users: &Path) -> Result<(), GitError> {
        (self.tree, self.ralphs) = (None, None);
        if users.exists() { copy_index(users, &self.file) } else { remove_if_there(&self.file) }
    }

    /// Makes it stand for `tree` without looking at the worktree.
    pub(crate) fn load(&mut self, tree: &TreeId) -> Result<(), GitError> {
        if self.tree.as_ref() == Some(tree) && self.file.exists() {
            return Ok(());
        }
        (self.tree, self.ralphs) = (None, None);
        let read = |args: &[&str]| self.git.call(args).arg(tree.as_str()).index(&self.file).run();
        let is_merged = self.file.exists() && read(&["read-tree", "-i", "-m"])?.code == 0;
        if !is_merged {
            remove_if_there(&self.file)?;
            remove_if_there(&self.file.with_extension("lock"))?;
            let reply = read(&["read-tree"])?;
            if reply.code != 0 {
                let is_missing = reply.stderr.contains("not a tree");
                return Err(if is_missing {
                    GitError::MissingObject { id: tree.to_string() }
                } else {
                    reply.error("read-tree")
                });
            }
        }
        self.tree = Some(tree.clone());
        Ok(())
    }

    /// Takes the changed files in, and gives the tree of all.
    pub(crate) fn apply(&mut self, changes: &Changes, aside: &Aside) -> Result<TreeId, GitError> {
        self.was_refused = false;
        self.unfit.clear();
        if let (true, Some(tree)) = (changes.is_empty(), &self.tree) {
            return Ok(tree.clone());
        }
        self.tree = None;
        if !changes.is_empty() {
            for path in &changes.present {
                make_readable(&on_disk(&self.root, path), aside)?;
            }
            let (hidden, gone): (Vec<&RelPath>, _) =
                changes.gone.iter().partition(|path| is_behind_link(&self.root, path));
            if !hidden.is_empty() {
                let call = self.git.call(&["update-index", "--force-remove", "-z", "--stdin"]);
                call.index(&self.file).stdin(join_nul(hidden)).ok()?;
            }
            // What is gone comes first: a file may have become a folder, or the other way round.
            let count = changes.present.len();
            let all = join_nul(gone.iter().copied().chain(&changes.present));
            let reply = self.update(all, count)?;
            self.was_refused = reply.stderr.contains("Ignoring path ");
            if reply.code != 0 {
                let gone = self.update(join_nul(gone), 0)?;
                if gone.code != 0 {
                    return Err(gone.error("update-index"));
                }
                self.unfit = self.take_fitting(&changes.present)?;
                // Names that git refuses were told by a call that failed.
                self.was_refused = true;
            }
        }
        self.write_tree()
    }

    /// Takes in each file that git takes; gives the others. Fails if it is not the content that keeps git from it.
    fn take_fitting(&self, present: &[RelPath]) -> Result<Vec<Unfit>, GitError> {
        let (mut unfit, mut calls, mut left) = (Vec::new(), 0, vec![present]);
        while let Some(paths) = left.pop() {
            calls += 1;
            let reply = self.update(join_nul(paths), paths.len())?;
            if reply.code == 0 {
                continue;
            }
            if paths.len() > 1 && calls < CALLS {
                let (first, second) = paths.split_at(paths.len() / 2);
                left.extend([second, first]);
                continue;
            }
            for path in paths {
                self.check_disk(path, &reply)?;
                unfit.push(Unfit { path: path.clone(), why: why(&reply) });
            }
        }
        Ok(unfit)
    }

    /// A file that can be stored as it is shows that neither the disk nor the repository is at fault.
    fn check_disk(&self, path: &RelPath, reply: &Reply) -> Result<(), GitError> {
        let file = on_disk(&self.root, path);
        let is_file = fs::symlink_metadata(&file).is_ok_and(|about| about.is_file());
        let call = self.git.call(&["hash-object", "-w", "--no-filters", "--"]).arg(&file);
        if is_file && call.run()?.code == 0 { Ok(()) } else { Err(reply.error("update-index")) }
    }

    /// Gives git these paths, of which so many are there.
    fn update(&self, paths: Vec<u8>, count: usize) -> Result<Reply, GitError> {
        let args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let mut call = self.git.call(&args).index(&self.file).stdin(paths);
        if count > MANY {
            call = call.config("core.fsyncMethod=batch");
        }
        call.run()
    }

    /// The tree that it stands for, written if it is not known.
    pub(crate) fn tree_now(&mut self) -> Result<TreeId, GitError> {
        self.tree.clone().map_or_else(|| self.write_tree(), Ok)
    }

    /// Takes these files in as they are in another folder, and gives the tree of all; those that are not there go.
    pub(crate) fn take_from(
        &mut self,
        folder: &Path,
        paths: &[RelPath],
    ) -> Result<TreeId, GitError> {
        make_folder(folder)?;
        // What became a folder goes when the files in it come.
        let files = paths.iter().filter(|path| !on_disk(folder, path).is_dir());
        let args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let call = self.git.call(&args).index(&self.file).dir(folder);
        call.stdin(join_nul(files)).ok()?;
        self.ralphs = None;
        self.write_tree()
    }

    /// The tree of what the index holds.
    pub(crate) fn write_tree(&mut self) -> Result<TreeId, GitError> {
        let tree = TreeId(self.git.call(&["write-tree"]).index(&self.file).line()?);
        self.tree = Some(tree.clone());
        Ok(tree)
    }

    /// What lies where a file must come when the worktree changes from one tree to another, and is in neither.
    pub(crate) fn blockers(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<BTreeSet<RelPath>, GitError> {
        self.blockers_of(diff(&self.git, from.as_str(), to.as_str())?)
    }

    pub(super) fn blockers_of(
        &self,
        mut changed: Vec<Changed>,
    ) -> Result<BTreeSet<RelPath>, GitError> {
        changed.retain(|it| !it.is_no_file() && !is_ralphs(&it.path));
        let gone = changed.iter().filter(|it| it.is_gone()).map(|it| it.path.clone());
        let (gone, mut found) = (gone.collect(), BTreeSet::new());
        for new in changed.iter().filter(|it| it.is_new()) {
            found.extend(in_the_way(&self.root, &new.path, &gone)?);
        }
        Ok(found)
    }

    /// Gives the index the `.ralph/` entries of `to`, so that no command touches these files.
    pub(crate) fn align_ralph(&mut self, from: &TreeId, to: &TreeId) -> Result<TreeId, GitError> {
        let list = |tree: &TreeId| {
            let call = self.git.call(&["ls-tree", "-r", "-z", tree.as_str(), "--", ".ralph"]);
            call.reads().ok()
        };
        let (old, new) = (list(from)?, list(to)?);
        if old == new {
            return Ok(from.clone());
        }
        let zero = "0".repeat(from.as_str().len());
        let mut lines = Vec::new();
        for (_, path) in split_nul(&old).filter_map(about_and_path) {
            lines.extend_from_slice(format!("0 {zero}\t").as_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        }
        lines.extend_from_slice(&new);
        let call = self.git.call(&["update-index", "-z", "--index-info"]);
        call.index(&self.file).stdin(lines).ok()?;
        self.ralphs = None;
        self.write_tree()
    }

    /// The files below `.ralph/` that it holds.
    pub(crate) fn ralphs(&mut self) -> Result<Vec<RelPath>, GitError> {
        if let Some(paths) = &self.ralphs {
            return Ok(paths.clone());
        }
        let call = self.git.call(&["ls-files", "-z", "--cached", "--", ".ralph"]);
        let paths: Vec<RelPath> = call.index(&self.file).reads().paths()?;
        self.ralphs = Some(paths.clone());
        Ok(paths)
    }

    /// A copy for whoever judges the tree that it stands for.
    pub(crate) fn copy_to(&self, file: &Path) -> Result<(), GitError> {
        remove_if_there(file)?;
        copy_index(&self.file, file)
    }

    /// Puts a copy in the place of the user's index, unless another git holds its lock now.
    ///
    /// The stamp tells later whether anyone wrote there since.
    pub(crate) fn install(&self, users: &Path) -> Result<Option<Stamp>, GitError> {
        let lock = users.with_extension("lock");
        match File::options().write(true).create_new(true).open(&lock) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => {
                return Err(GitError::io(format!("cannot write {}", lock.display()))(error));
            }
        }
        copy_index(&self.file, &lock)?;
        fs::rename(&lock, users)
            .map_err(GitError::io(format!("cannot write {}", users.display())))?;
        Ok(stamp(users))
    }
}

/// What a file's inode, size and change time are.
pub(crate) type Stamp = (u64, u64, i64, i64);

/// The stamp of a file, if it is there.
pub(crate) fn stamp(file: &Path) -> Option<Stamp> {
    let entry = fs::symlink_metadata(file).ok()?;
    Some((entry.ino(), entry.len(), entry.ctime(), entry.ctime_nsec()))
}

/// Copies an index with its time, by which git tells which entries it must look at again.
pub(crate) fn copy_index(from: &Path, to: &Path) -> Result<(), GitError> {
    let copy = || -> io::Result<()> {
        let time = fs::metadata(from)?.modified()?;
        fs::copy(from, to)?;
        let file = File::options().write(true).open(to)?;
        file.set_modified(time)?;
        file.sync_all()
    };
    copy().map_err(GitError::io(format!("cannot copy {} to {}", from.display(), to.display())))
}

/// What git said, without the words that only say that it said something.
fn why(reply: &Reply) -> String {
    let lines = reply.stderr.lines().map(|line| {
        let line = line.trim_start_matches("error: ").trim_start_matches("fatal: ");
        line.trim_start_matches("warning: ").trim()
    });
    let mut telling = lines.filter(|line| !line.is_empty());
    let first = telling.find(|line| !line.starts_with("Unable to process path"));
    first.unwrap_or("its content cannot be converted").to_owned()
}

/// Git must be able to read what it takes in; what is neither file nor link cannot be kept and leaves.
fn make_readable(path: &Path, aside: &Aside) -> Result<(), GitError> {
    let Ok(entry) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let kind = entry.file_type();
    let mode = entry.permissions().mode();
    if kind.is_file() && mode & 0o400 == 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600))
            .map_err(GitError::io(format!("cannot read {}", path.display())))?;
    }
    if !kind.is_file() && !kind.is_symlink() && !kind.is_dir() {
        aside.take(path)?;
    }
    Ok(())
}
