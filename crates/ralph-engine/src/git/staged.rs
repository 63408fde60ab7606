//! What somebody staged after a run's process died: it may be in no file and in no commit.

use super::{
    error::GitError, files::remove_if_there, index::PrivateIndex, quarantine::Keep,
    worktree::Worktree,
};

impl Worktree {
    /// Keeps what the user's own index holds beyond what ralph left there, and says so.
    pub(crate) fn keep_staged(&mut self) -> Result<Option<String>, GitError> {
        let file = self.truth.join("stage/staged-index");
        remove_if_there(&file)?;
        let mut index = PrivateIndex::new(&self.repo.git, self.repo.root(), file.clone())?;
        index.start_from(&self.repo.git_dir().join("index"))?;
        // One in the middle of a merge has no tree, and is not touched by anybody.
        let staged = index.write_tree();
        remove_if_there(&file)?;
        let (Ok(staged), Ok(head)) = (staged, self.repo.head()) else {
            return Ok(None);
        };
        // A kill between a commit and what follows it leaves the index of the commit before.
        let known = ["HEAD", "HEAD~1"].map(|name| self.repo.tree_at(name).ok());
        if known.into_iter().flatten().any(|tree| tree == staged) {
            return Ok(None);
        }
        let reference = self.keep(&Keep {
            tree: &staged,
            parents: &[&head],
            reference: self.own_ref("staged"),
            message: "what was staged when the run was taken up, kept by ralph",
        })?;
        Ok(Some(format!("what was staged is kept as {reference}")))
    }
}
