//! What judges see of a tree: its files as git gives them, not as their writer left them on disk. Line endings, modes and
//! expanded keywords of a checkout are in no tree, but they decide gates.
//!
//! Never follows a link, neither in the worktree nor in what git wrote.

use std::{collections::BTreeSet, fs, io, os::unix::ffi::OsStrExt as _, path::Path};

use nix::{
    errno::Errno,
    sys::stat::{Mode, SFlag, mknod},
};
use ralph_core::ids::TreeId;

use crate::remove::remove_all;

use super::{
    diff::{Changed, diff},
    error::GitError,
    files::{RelPath, is_ralphs, is_within, join_nul, name_of, on_disk},
    layer::{Kind, Layer},
    replace::MakeWay,
    strip::Beneath,
    worktree::Worktree,
};

impl Worktree {
    /// Makes the layer in `up` over the worktree, which must hold `tree`: all files that the run changed, as a checkout
    /// would write them, apart from those that are the same on disk. So is whatever agents touched, though git may take
    /// it for what was there before: what it would write is put on the disk as well.
    pub(crate) fn lay_out(&mut self, tree: &TreeId, up: &Path) -> Result<(), GitError> {
        if self.laid_out.as_ref() == Some(tree) && up.is_dir() {
            return self.hide_untracked(up);
        }
        let fail = || GitError::io("cannot write what gates see");
        self.laid_out = None;
        if up.exists() {
            remove_all(up).map_err(fail())?;
        }
        fs::create_dir_all(up).map_err(fail())?;
        let head = self.record.head.clone();
        let first = self.tree_of(&head)?;
        let unwatched = self.unwatched()?;
        if first != *tree || !self.touched.is_empty() || !unwatched.is_empty() {
            self.index.load(tree)?;
            self.check_out(&first, tree, up)?;
            self.check_out_unwatched(&unwatched, tree, up)?;
            let others = self.drop_same(up)?;
            self.write_as_git_would(&others, tree)?;
        }
        self.laid_out = Some(tree.clone());
        self.hide_untracked(up)
    }

    /// Files and folders of the user's that are in no commit decide nothing: a clone does not have them.
    fn hide_untracked(&self, up: &Path) -> Result<(), GitError> {
        let tracked = self.tracked()?;
        let hollow = self.hollow_folders()?;
        let is_inside = |path: &RelPath| hollow.iter().any(|folder| path.starts_with(folder));
        let files = self.untracked.iter().filter(|path| !tracked.holds(path) && !is_inside(path));
        let fail = || GitError::io("cannot hide your untracked files from gates");
        for path in files.chain(&hollow) {
            let mark = on_disk(up, path.strip_suffix(b"/").unwrap_or(path));
            fs::create_dir_all(mark.parent().unwrap_or(up)).map_err(fail())?;
            if mark.is_dir() {
                remove_all(&mark).map_err(fail())?;
            }
            match mknod(&mark, SFlag::S_IFCHR, Mode::empty(), 0) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(error) => return Err(fail()(error.into())),
            }
        }
        Ok(())
    }

    /// Folders without a file that is in the tree or ignored, each with a slash at its end: git knows none of them, and
    /// a clone has none.
    pub(super) fn hollow_folders(&self) -> Result<Vec<RelPath>, GitError> {
        let args = ["ls-files", "-z", "--others", "--directory", "--exclude-standard"];
        let call = self.repo.git.call(&args).index(self.index.file()).reads();
        let mut folders: Vec<RelPath> = call.paths()?;
        folders.retain(|path| {
            path.ends_with(b"/")
                && !is_ralphs(path)
                && !self.record.submodules.iter().any(|module| is_within(path, module))
                && self.has_only_untracked(path).unwrap_or(false)
        });
        Ok(folders)
    }

    /// Whether all that lies below a folder is among what the user has untracked.
    fn has_only_untracked(&self, folder: &[u8]) -> io::Result<bool> {
        if self.untracked.holds(folder) {
            return Ok(true);
        }
        for entry in fs::read_dir(on_disk(self.repo.root(), folder))? {
            let entry = entry?;
            let path = [folder, entry.file_name().as_bytes()].concat();
            let is_apart = if entry.file_type()?.is_dir() {
                self.has_only_untracked(&[&path, b"/".as_slice()].concat())?
            } else {
                self.untracked.holds(&path)
            };
            if !is_apart {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Files on disk that the user told git not to look at: what they hold is in no commit.
    fn unwatched(&self) -> Result<Vec<RelPath>, GitError> {
        let is_there = |path: &&RelPath| on_disk(self.repo.root(), path).symlink_metadata().is_ok();
        Ok(self.tracked()?.unwatched().filter(is_there).cloned().collect())
    }

    /// They are seen as they are in the tree; an index of its own does not know that git is not to look.
    fn check_out_unwatched(
        &self,
        paths: &[RelPath],
        tree: &TreeId,
        up: &Path,
    ) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let index = self.scratch_index("plain-index")?;
        let call = self.repo.git.call(&["read-tree", "--no-sparse-checkout"]).index(index.file());
        call.arg(tree.as_str()).ok()?;
        let call = self.repo.git.call(&["checkout-index", "--force", "--quiet", "-z", "--stdin"]);
        call.index(index.file()).dir(up).stdin(join_nul(paths)).ok().map(drop)
    }

    /// Has git write the files into an otherwise empty place: attributes come from the index then.
    fn check_out(&self, first: &TreeId, tree: &TreeId, up: &Path) -> Result<(), GitError> {
        let mut changed = diff(&self.repo.git, first.as_str(), tree.as_str())?;
        changed.retain(|it| !it.is_no_file());
        let are_all = changed.iter().any(|it| name_of(&it.path) == b".gitattributes");
        let is_there = |it: &Changed| !it.is_gone() && !is_ralphs(&it.path);
        let mut paths: Vec<RelPath> =
            changed.into_iter().filter(is_there).map(|it| it.path).collect();
        let tracked = self.tracked()?;
        paths.extend(self.touched.iter().filter(|path| tracked.is_watched(path)).cloned());
        let call = self.repo.git.call(&["checkout-index", "--force", "--quiet"]);
        let call = call.index(self.index.file()).dir(up);
        if are_all {
            // What attributes say can change any file.
            call.arg("--all").ok()?;
        } else if !paths.is_empty() {
            call.arg("-z").arg("--stdin").stdin(join_nul(&paths)).ok()?;
        }
        Ok(())
    }

    /// What is the same on disk is seen there, with its time: builds stay warm. Gives the others.
    fn drop_same(&self, up: &Path) -> Result<Vec<RelPath>, GitError> {
        let fail = || GitError::io("cannot compare what gates see");
        let Some(layer) = Layer::open(up).map_err(fail())? else { return Ok(Vec::new()) };
        let mut others = Vec::new();
        let folders = vec![self.repo.root().to_owned()];
        let beneath = Beneath { paths: BTreeSet::new(), folders };
        let (mut folders, mut visited) = (vec![RelPath::new()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in layer.entries(&folder).map_err(fail())? {
                match entry.kind {
                    Kind::Folder { .. } => folders.push(entry.path),
                    _ if beneath.is_same(&entry, &layer) => {
                        layer.drop(&entry.path).map_err(fail())?;
                    }
                    _ => others.push(entry.path),
                }
            }
            visited.push(folder);
        }
        layer.tidy(&visited).map_err(fail())?;
        Ok(others)
    }

    /// Nothing that an agent wrote stays on disk behind a state that git calls clean. What somebody wrote since is left.
    fn write_as_git_would(&mut self, others: &[RelPath], tree: &TreeId) -> Result<(), GitError> {
        let place = |path: &RelPath| on_disk(self.repo.root(), path);
        let is_agents =
            |path: &&RelPath| self.touched.contains(*path) && !self.is_changed_since(&place(path));
        let paths: Vec<RelPath> = others.iter().filter(is_agents).cloned().collect();
        if paths.is_empty() {
            return Ok(());
        }
        let mut way = MakeWay::new(&self.aside);
        for path in &paths {
            // Git leaves what it takes for unchanged as it is.
            way.take_out(path, &place(path))
                .map_err(GitError::io("cannot write what gates see"))?;
        }
        let displaced = way.displaced;
        self.put_back(&paths)?;
        let kept = self.keep_displaced(displaced, tree)?;
        self.unsaid.extend(kept.map(|(note, _)| note));
        Ok(())
    }
}
