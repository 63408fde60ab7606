//! What people have and do in the worktree while a run works there: never overwritten, never removed, never taken for
//! the agent's. Only where agents write over the worktree can the two be told apart.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use ralph_core::ids::TreeId;

use super::{
    error::GitError,
    files::{RelPath, join_nul, on_disk, sample},
    index::stamp,
    obstructions::blocker,
    reading::beginning,
    replace::{changed_at, is_same},
    scan::Changes,
    tracked::Tracked,
    worktree::Worktree,
};

/// So many paths are named.
const SAMPLE: usize = 5;

impl Worktree {
    /// A few of the user's untracked files and empty folders, and how many more there are.
    pub(crate) fn untracked_sample(&self) -> Vec<String> {
        #[cfg(target_os = "linux")]
        let mut hollow = self.hollow_folders().unwrap_or_default();
        #[cfg(not(target_os = "linux"))]
        let mut hollow = Vec::<RelPath>::new();
        hollow.retain(|folder| !self.untracked.iter().any(|path| path.starts_with(folder)));
        let mut names = sample(self.untracked.iter().chain(&hollow), SAMPLE);
        let more = usize::try_from(self.untracked.len()).unwrap_or_default() + hollow.len();
        let more = more.saturating_sub(SAMPLE);
        names.extend((more > 0).then(|| format!("{more} more")));
        names
    }

    /// Read again whenever somebody wrote the index.
    pub(crate) fn tracked(&self) -> Result<Arc<Tracked>, GitError> {
        let now = stamp(self.index.file());
        if let Some((then, tracked)) = &*self.tracked.borrow()
            && now.is_some()
            && now == *then
        {
            return Ok(Arc::clone(tracked));
        }
        let tracked = Arc::new(self.read_tracked()?);
        *self.tracked.borrow_mut() = Some((now, Arc::clone(&tracked)));
        Ok(tracked)
    }

    fn read_tracked(&self) -> Result<Tracked, GitError> {
        let call = self.repo.git.call(&["ls-files", "-z", "-v", "--cached"]);
        Ok(Tracked::read(&call.index(self.index.file()).reads().ok()?))
    }

    /// Whether something lies there that is in no tree of the run: nobody but the user has put it there. What an
    /// earlier, killed attempt to bring this very entry over has left does not count.
    pub(crate) fn is_yours(
        &self,
        path: &[u8],
        tracked: &Tracked,
        has_arrived: impl FnOnce(&Path) -> bool,
    ) -> bool {
        let place = on_disk(self.repo.root(), path);
        let is_there = fs::symlink_metadata(&place).is_ok_and(|there| !there.is_dir());
        is_there && !tracked.holds(path) && !has_arrived(&place)
    }

    /// Whether somebody wrote to it since the worktree was last looked at.
    pub(crate) fn is_changed_since(&self, place: &Path) -> bool {
        self.looked_at.is_some_and(|since| is_newer(place, since))
    }

    /// The tree that the private index stands for, also after a kill.
    pub(crate) fn known_tree(&mut self) -> Result<TreeId, GitError> {
        if let Some(tree) = self.index.tree() {
            return Ok(tree.clone());
        }
        if self.index.file().exists()
            && let Ok(tree) = self.index.write_tree()
        {
            return Ok(tree);
        }
        // Not written whole by a process that was killed.
        let tree = self.repo.tree_at("HEAD")?;
        self.index.load(&tree)?;
        Ok(tree)
    }

    /// Takes out of the changes what is not among what was brought over, and so is the user's: new files are left
    /// alone from now on, what was changed comes back when the run is over. Says so.
    pub(crate) fn leave_yours(
        &mut self,
        brought: &BTreeSet<RelPath>,
        since: SystemTime,
        changes: &mut Changes,
    ) -> Result<Vec<String>, GitError> {
        let root = self.repo.root().to_owned();
        let is_foreign = |path: &RelPath| !brought.contains(path);
        let is_new = |path: &RelPath| is_foreign(path) && is_newer(&on_disk(&root, path), since);
        let (present, rest) = std::mem::take(&mut changes.present).into_iter().partition(is_new);
        changes.present = rest;
        let (gone, rest) = std::mem::take(&mut changes.gone).into_iter().partition(is_foreign);
        changes.gone = rest;
        let (present, gone): (Vec<RelPath>, Vec<RelPath>) = (present, gone);
        if present.is_empty() && gone.is_empty() {
            return Ok(Vec::new());
        }
        let tracked = self.tracked()?;
        let (edited, new): (Vec<RelPath>, Vec<RelPath>) =
            Vec::into_iter(present).partition(|path| tracked.holds(path));
        let is_there = |path: &RelPath| {
            fs::symlink_metadata(on_disk(&root, path)).is_ok_and(|there| !there.is_dir())
        };
        let new = new.into_iter().filter(is_there).collect();
        let theirs = Changes { gone, present: edited };
        let base = self.index.tree_now()?;
        self.set_apart(theirs, new, &base)
    }

    /// Somebody may have written to a file after it was brought over and before git read it: the agent's is what it
    /// left. What the person wrote is theirs when the files are looked at next.
    pub(crate) fn take_again(
        &mut self,
        brought: &BTreeSet<RelPath>,
        tree: TreeId,
    ) -> Result<TreeId, GitError> {
        let screen = self.repo.secrets();
        let is_other = |path: &&RelPath| {
            let (left, now) = (on_disk(&self.copies, path), on_disk(self.repo.root(), path));
            let is_file = |place: &Path| fs::symlink_metadata(place).is_ok_and(|it| !it.is_dir());
            match (is_file(&left), is_file(&now)) {
                (false, is) => is,
                (true, true) if is_same(&left, &now).unwrap_or(false) => false,
                // Never through a link: where an agent lets one lead may have no end.
                (true, _) => {
                    let text = beginning(&left, u64::MAX);
                    screen.look(path, &text, b"").secrets.is_empty()
                }
            }
        };
        let other: Vec<RelPath> = brought.iter().filter(is_other).cloned().collect();
        if other.is_empty() {
            return Ok(tree);
        }
        self.index.take_from(&self.copies, &other)
    }

    /// Writes these files as the private index has them. Git would remove whole folders to make room: what stands in
    /// the way is moved aside before, and named.
    pub(crate) fn put_back(&self, paths: &[RelPath]) -> Result<Vec<(RelPath, PathBuf)>, GitError> {
        let mut moved = Vec::new();
        for path in paths {
            if let Some(blocker) = blocker(self.repo.root(), path) {
                let place = self.aside.take(&on_disk(self.repo.root(), &blocker))?;
                moved.push((blocker, place));
            }
        }
        let call = self.repo.git.call(&["checkout-index", "--quiet", "-u", "-z", "--stdin"]);
        let reply = call.index(self.index.file()).stdin(join_nul(paths)).run()?;
        let is_there = |path: &RelPath| on_disk(self.repo.root(), path).symlink_metadata().is_ok();
        // What somebody put there meanwhile stays.
        if reply.code != 0 && !paths.iter().all(is_there) {
            return Err(reply.error("checkout-index"));
        }
        Ok(moved)
    }
}

/// Whether somebody wrote to it since then.
pub(super) fn is_newer(place: &Path, since: SystemTime) -> bool {
    let changed = fs::symlink_metadata(place).ok().and_then(|there| changed_at(&there));
    changed.is_some_and(|changed| changed > since)
}
