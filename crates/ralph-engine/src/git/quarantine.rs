//! Trees that were not accepted, each kept as a commit under a ref of its own; a given-up task's on a branch.
//!
//! Must never overwrite a ref: another tree under the same name gets a number behind it.

use ralph_core::{
    effect::{GiveUp, Quarantine},
    ids::{CommitId, TreeId},
    stuck,
};

use super::{error::GitError, files::RelPath, refs, worktree::Worktree};

/// What is to be kept, and where.
pub(crate) struct Keep<'a> {
    pub(crate) tree: &'a TreeId,
    pub(crate) parents: &'a [&'a CommitId],
    /// Full name wanted for the ref.
    pub(crate) reference: String,
    pub(crate) message: &'a str,
}

impl Worktree {
    /// Keeps a tree under `refs/ralph/<run>/<name>` and gives the full name of the ref.
    pub fn quarantine(&mut self, request: &Quarantine) -> Result<String, GitError> {
        let reference = self.own_ref(&request.name);
        let reference = self.keep(&Keep {
            tree: &request.tree,
            parents: &[&request.parent],
            reference,
            message: &request.message,
        })?;
        self.kept.insert(request.tree.clone(), reference.clone());
        self.release_captured()?;
        Ok(reference)
    }

    /// The files of the tree that the failure leads to.
    pub(crate) fn files_hinted_at(&self, request: &Quarantine) -> Result<Vec<String>, GitError> {
        if request.hints.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", request.tree.as_str()];
        let paths: Vec<RelPath> = self.repo.git.call(&args).reads().paths()?;
        let paths = paths.into_iter().filter_map(|path| String::from_utf8(path).ok()).collect();
        Ok(stuck::files(&request.hints, &paths))
    }

    /// Keeps a given-up task's work on a branch of its own and takes the run branch back to where the task began. Gives
    /// both.
    pub fn give_up(&mut self, request: &GiveUp) -> Result<(String, CommitId), GitError> {
        let tree = match &request.tree {
            Some(tree) => tree.clone(),
            None => self.tree_of(&request.head)?,
        };
        let reference = self.keep(&Keep {
            tree: &tree,
            parents: &[&request.head],
            reference: format!("refs/heads/{}", refs::tame(&self.harmless(&request.branch))),
            message: &request.message,
        })?;
        self.kept.insert(tree, reference.clone());
        self.release_captured()?;
        let run_branch = self.full_branch();
        let call = self.repo.git.set_ref("give up", &run_branch, request.began_at.as_str());
        let reply = call.arg(request.head.as_str()).run()?;
        if reply.code != 0 {
            let found = self.repo.commit_at(&run_branch)?.unwrap_or_default();
            if found != request.began_at {
                self.catch_up(&found, &request.head, &request.began_at)?;
            }
        }
        self.proved = None;
        self.users_index = None;
        let branch = reference.trim_start_matches("refs/heads/").to_owned();
        Ok((branch, request.began_at.clone()))
    }

    /// The full name of a ref of this run.
    pub(crate) fn own_ref(&self, name: &str) -> String {
        format!("refs/ralph/{}/{}", refs::tame(self.run.as_str()), refs::tame(&self.harmless(name)))
    }

    /// Keeps what was found in the worktree, unless this tree is kept already.
    pub(crate) fn set_aside(
        &mut self,
        tree: &TreeId,
        head: &CommitId,
        name: &str,
    ) -> Result<String, GitError> {
        if let Some(reference) = self.kept.get(tree) {
            return Ok(reference.clone());
        }
        let message = format!("set aside by ralph in run {}", self.run);
        let request = Quarantine {
            tree: tree.clone(),
            parent: head.clone(),
            name: name.to_owned(),
            message,
            hints: Vec::new(),
        };
        self.quarantine(&request)
    }

    /// Makes the commit and the first free ref for it; one that already holds the same will do.
    pub(crate) fn keep(&self, keep: &Keep<'_>) -> Result<String, GitError> {
        let flat = flattened(&keep.reference);
        let (mut base, mut number, mut refusals) = (keep.reference.clone(), 1, 0);
        loop {
            let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
            let (_, reply) = refs::write_held(
                || self.write_commit(keep.tree, keep.parents, keep.message),
                |commit| self.repo.git.set_ref("keep", &name, commit.as_str()).arg("").run(),
            )?;
            if reply.code == 0 {
                return Ok(name);
            }
            match self.repo.commit_at(&name)? {
                Some(there) if self.holds(&there, keep)? => return Ok(name),
                Some(_) => number += 1,
                // Not taken and yet refused: a ref stands where a folder must be, or the other way round.
                None if refusals == 2 => return Err(reply.error("update-ref")),
                None if base == flat => (number, refusals) = (number + 1, refusals + 1),
                None => (base, number, refusals) = (flat.clone(), 1, refusals + 1),
            }
        }
    }

    fn holds(&self, there: &CommitId, keep: &Keep<'_>) -> Result<bool, GitError> {
        let args = ["log", "-1", "--encoding=UTF-8", "--format=%T%x00%P%x00%B", there.as_str()];
        let found = self.repo.git.call(&args).reads().line()?;
        let parents: Vec<&str> = keep.parents.iter().map(|parent| parent.as_str()).collect();
        let message = self.harmless(keep.message).replace('\0', "");
        let wanted = format!("{}\0{}\0{message}", keep.tree, parents.join(" "));
        Ok(found.trim_end() == wanted.trim_end())
    }
}

/// A folder of refs and a ref cannot share a name; then the slashes below the run become dashes.
fn flattened(reference: &str) -> String {
    let depth = if reference.starts_with("refs/heads/") { 2 } else { 3 };
    let parts: Vec<&str> = reference.split('/').collect();
    let (folder, name) = parts.split_at(depth.min(parts.len()));
    format!("{}/{}", folder.join("/"), name.join("-"))
}
