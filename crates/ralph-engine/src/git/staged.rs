//! What somebody staged or began to merge beside a run, or after its process died: it may be in no file and in no
//! commit.

use std::{collections::BTreeMap, fs};

use ralph_core::ids::TreeId;

use super::{
    error::GitError,
    files::{about_and_path, free_place, make_folder, split_nul},
    index::PrivateIndex,
    quarantine::Keep,
    repository::IN_PROGRESS,
    worktree::Worktree,
};

impl Worktree {
    /// Keeps what the user's own index holds beyond what ralph left there and what is kept anyway, and says so.
    pub(crate) fn keep_staged(
        &mut self,
        next: Option<&TreeId>,
    ) -> Result<Option<String>, GitError> {
        let mut index = self.scratch_index("staged-index")?;
        index.start_from(&self.repo.git_dir().join("index"))?;
        self.settle_conflicts(&index)?;
        let (Ok(staged), Ok(head)) = (index.write_tree(), self.repo.head()) else {
            return Ok(None);
        };
        // A kill between a commit and what follows it leaves the index of the commit before.
        let known = ["HEAD", "HEAD~1"].map(|name| self.repo.tree_at(name).ok());
        let is_kept = match next {
            Some(next) => self.kept.contains_key(&staged) || self.says_the_same(&staged, next)?,
            None => false,
        };
        if is_kept || known.into_iter().flatten().any(|tree| tree == staged) {
            return Ok(None);
        }
        let reference = self.keep(&Keep {
            tree: &staged,
            parents: &[&head],
            reference: self.own_ref("staged"),
            message: "what was staged beside the run, kept by ralph",
        })?;
        Ok(Some(format!("what was staged is kept as {reference}")))
    }

    /// An index in the middle of a merge has no tree: of each file in conflict the version from here stands for all, because
    /// commits have every one of them.
    fn settle_conflicts(&self, index: &PrivateIndex) -> Result<(), GitError> {
        let git = &self.repo.git;
        let listing =
            git.call(&["ls-files", "--unmerged", "-z"]).index(index.file()).reads().ok()?;
        let mut versions: BTreeMap<&[u8], (&[u8], &[u8])> = BTreeMap::new();
        for line in split_nul(&listing) {
            let Some((about, path)) = about_and_path(line) else { continue };
            let (version, stage) = about.split_at(about.len().saturating_sub(1));
            if stage == b"2" || versions.get(path).is_none_or(|(_, known)| *known != b"2") {
                versions.insert(path, (version, stage));
            }
        }
        if versions.is_empty() {
            return Ok(());
        }
        let settled = versions
            .iter()
            .flat_map(|(path, (version, _))| [*version, b"0\t", *path, b"\0"].concat());
        let call = git.call(&["update-index", "-z", "--index-info"]).index(index.file());
        call.stdin(settled.collect()).ok().map(drop)
    }

    /// Whether two trees differ in nothing but ralph's own files, which whoever stages everything stages too.
    fn says_the_same(&self, one: &TreeId, other: &TreeId) -> Result<bool, GitError> {
        let trees = ["diff-tree", "-r", "--quiet", one.as_str(), other.as_str()];
        let call = self.repo.git.call(&trees).arg("--").arg(".").arg(":(top,exclude).ralph");
        Ok(call.run()?.code == 0)
    }

    /// Ends a merge or the like that somebody began meanwhile: its index is about to be another, and whoever went on
    /// with it would commit that.
    pub(crate) fn give_up_what_is_in_progress(&self) -> Result<Vec<String>, GitError> {
        let mut notes = Vec::new();
        for (name, what) in IN_PROGRESS {
            let sign = self.repo.git_dir().join(name);
            if fs::symlink_metadata(&sign).is_err() {
                continue;
            }
            let folder = self.truth.join("given-up");
            make_folder(&folder)?;
            let place = free_place(|number| folder.join(format!("{name}-{number}")));
            fs::rename(&sign, place).map_err(GitError::io(format!("cannot move {name} away")))?;
            notes.push(format!(
                "a {what} was begun in the worktree meanwhile; ralph ended it, so begin it again when the run is over"
            ));
        }
        Ok(notes)
    }
}
