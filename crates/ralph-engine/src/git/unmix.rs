//! Files that both a person and an agent changed: agents work over the worktree as it is, so what the person wrote there
//! may be in what they leave. It is taken out again, or said.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use ralph_core::ids::TreeId;

use super::{
    error::GitError,
    files::{RelPath, on_disk, shown},
    worktree::Worktree,
};

impl Worktree {
    /// The captured tree without what people changed of the files that they and the agent both changed. Says where that
    /// cannot be told apart.
    pub(crate) fn unmix(
        &mut self,
        tree: TreeId,
        start: &TreeId,
        notes: &mut Vec<String>,
    ) -> Result<TreeId, GitError> {
        let both = std::mem::take(&mut self.both);
        if both.is_empty() || tree == *start {
            return Ok(tree);
        }
        let theirs = self.with_theirs(start, &both)?;
        match self.merge(&theirs, &tree, start)? {
            Some(own) if own != tree => {
                self.turn(&tree, &own)?;
                self.users_index = None;
                Ok(own)
            }
            Some(_) => Ok(tree),
            None => {
                let names: Vec<String> = both.iter().map(|(path, _)| shown(path)).collect();
                let names = names.join(", ");
                notes.push(format!("what you changed in {names} may be part of the agent's work"));
                Ok(tree)
            }
        }
    }

    /// The tree that the attempt began with, as people have changed it.
    fn with_theirs(&self, start: &TreeId, both: &[(RelPath, PathBuf)]) -> Result<TreeId, GitError> {
        let mut index = self.scratch_index("unmix-index")?;
        index.load(start)?;
        for (path, place) in both {
            let about = fs::symlink_metadata(place);
            let Some(about) = about.ok().filter(fs::Metadata::is_file) else { continue };
            let bytes = fs::read(place)
                .map_err(GitError::io(format!("cannot read {}", place.display())))?;
            let mode = if about.permissions().mode() & 0o100 == 0 { "100644" } else { "100755" };
            let named = on_disk(self.repo.root(), path);
            let call = self.repo.git.call(&["hash-object", "-w", "--stdin", "--path"]);
            let blob = call.arg(&named).stdin(bytes).line()?;
            let mut entry = format!("{mode} {blob}\t").into_bytes();
            entry.extend_from_slice(path);
            entry.push(0);
            let call = self.repo.git.call(&["update-index", "-z", "--index-info"]);
            call.index(index.file()).stdin(entry).ok()?;
        }
        index.write_tree()
    }
}
