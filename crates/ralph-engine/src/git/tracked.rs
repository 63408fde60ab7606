//! Whether git tracks a file: what came with the repository must not open the box. And one file as git has it.

use std::path::Path;

use super::{error::GitError, repository::Repository};

impl Repository {
    /// Whether git tracks a file, whatever the case of its letters. In doubt it does.
    pub fn tracks(&self, path: &Path) -> bool {
        let Some(inside) = path.strip_prefix(self.main_root()).ok().and_then(Path::to_str) else {
            return true;
        };
        let pathspec = format!(":(top,icase){}", inside.replace(['*', '?', '[', '\\'], "?"));
        let untracked = self
            .git
            .call(&["ls-files", "-z", "--", &pathspec])
            .reads()
            .run()
            .is_ok_and(|reply| reply.code == 0 && reply.stdout.is_empty());
        !untracked
    }

    /// Writes a file as the index has it, if it is there and in this worktree.
    pub fn put_back(&self, path: &Path) -> Result<(), GitError> {
        let Ok(inside) = path.strip_prefix(self.root()) else {
            return Ok(());
        };
        let call = self.git.call(&["checkout-index", "--quiet", "--force", "-u", "--"]);
        call.arg(inside).run().map(drop)
    }
}
