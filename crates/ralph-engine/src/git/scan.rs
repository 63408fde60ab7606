//! What lies in a worktree beside what an index knows of it: one `git status`, read and sorted.

use std::{collections::BTreeSet, path::Path};

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, below, folders_of, is_ralphs, is_within, split_nul},
};

/// Files to take into the private index.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) gone: Vec<RelPath>,
    /// Changed and new files.
    pub(crate) present: Vec<RelPath>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.present.is_empty()
    }

    /// All paths, in order.
    pub(crate) fn paths(&self) -> BTreeSet<RelPath> {
        self.gone.iter().chain(&self.present).cloned().collect()
    }
}

/// One `git status`, apart from `.ralph/` and submodules.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Differs between HEAD and the index.
    pub(crate) staged: Vec<RelPath>,
    /// In the index, not on disk.
    pub(crate) gone: Vec<RelPath>,
    /// In the index, other on disk.
    pub(crate) modified: Vec<RelPath>,
    /// Only on disk; a trailing slash marks a repository of its own.
    pub(crate) unknown: Vec<RelPath>,
    /// Waits for a merge to be finished.
    pub(crate) is_unmerged: bool,
}

impl Status {
    /// Looks at the worktree; `index` is the private index, `None` the user's, which is only read.
    pub(crate) fn read(
        git: &Git,
        index: Option<&Path>,
        submodules: &[RelPath],
    ) -> Result<Self, GitError> {
        Self::look(git, index, (submodules, "--untracked-files=all"))
    }

    /// The same for tracked files alone, by the user's index: nothing is searched for.
    pub(crate) fn of_tracked(git: &Git, submodules: &[RelPath]) -> Result<Self, GitError> {
        Self::look(git, None, (submodules, "--untracked-files=no"))
    }

    fn look(
        git: &Git,
        index: Option<&Path>,
        (submodules, untracked): (&[RelPath], &str),
    ) -> Result<Self, GitError> {
        let args = ["status", "--porcelain=v2", "-z", untracked, "--no-renames"];
        let look = || {
            let call = git.call(&args).arg("--ignore-submodules=all").arg("--no-ahead-behind");
            let call = match index {
                // Only ralph uses its own index: writing refreshed entries back keeps the next look fast.
                Some(file) => call.index(file),
                None => call.reads(),
            };
            call.arg("--").arg(".").arg(":(top,exclude).ralph").ok()
        };
        // Git dies over a file that somebody shortens while it reads it.
        let out = look().or_else(|_| look()).or_else(|_| look())?;
        let mut status = Self::default();
        for entry in split_nul(&out) {
            status.take(entry, submodules);
        }
        Ok(status)
    }

    /// Every tracked file that differs from HEAD, in order.
    pub(crate) fn dirty(&self) -> BTreeSet<RelPath> {
        [&self.staged, &self.gone, &self.modified].into_iter().flatten().cloned().collect()
    }

    /// Counts untracked files that stand where HEAD has others as changes of those: `git rm --cached`, or a folder in
    /// the place of a file. A checkout of HEAD would have to move them out of its way.
    pub(crate) fn count_displacing(&mut self) {
        let lost: BTreeSet<RelPath> = self.staged.iter().chain(&self.gone).cloned().collect();
        let stands_above = |path: &[u8]| below(&lost, path).next().is_some();
        let stands_below =
            |path: &[u8]| folders_of(path).chain([path]).any(|above| lost.contains(above));
        let (displacing, unknown): (Vec<RelPath>, _) = std::mem::take(&mut self.unknown)
            .into_iter()
            .partition(|path| !path.ends_with(b"/") && (stands_below(path) || stands_above(path)));
        self.unknown = unknown;
        self.modified.extend(displacing);
    }

    fn take(&mut self, entry: &[u8], submodules: &[RelPath]) {
        let is_left_out = |path: &[u8]| {
            is_ralphs(path) || submodules.iter().any(|module| is_within(path, module))
        };
        match entry {
            [b'?', b' ', path @ ..] if !is_left_out(path) => self.unknown.push(path.to_vec()),
            [b'u', ..] => self.is_unmerged = true,
            [b'1', b' ', x, y, b' ', ..] => {
                let mut fields = entry.splitn(9, |byte| *byte == b' ').skip(2);
                let is_module = fields.next().is_some_and(|field| field.starts_with(b"S"));
                let Some(path) = fields.last() else { return };
                if is_module || is_left_out(path) {
                    return;
                }
                if *x != b'.' {
                    self.staged.push(path.to_vec());
                }
                match y {
                    b'.' => {}
                    b'D' => self.gone.push(path.to_vec()),
                    _ => self.modified.push(path.to_vec()),
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entries: &[&str]) -> Status {
        let mut status = Status::default();
        for entry in entries {
            status.take(entry.as_bytes(), &[b"module".to_vec()]);
        }
        status
    }

    #[test]
    fn staged_and_unstaged_changes_are_told_apart_and_names_may_hold_spaces() {
        let status = read(&[
            "1 M. N... 100644 100644 100644 aa bb a file",
            "1 .D N... 100644 100644 000000 aa aa gone",
            "1 .T N... 100644 100644 120000 aa aa turned",
            "? new file",
        ]);
        assert_eq!(status.staged, [b"a file".to_vec()]);
        assert_eq!(status.gone, [b"gone".to_vec()]);
        assert_eq!(status.modified, [b"turned".to_vec()]);
        assert_eq!(status.unknown, [b"new file".to_vec()]);
    }

    #[test]
    fn what_stands_where_a_tracked_file_was_counts_as_its_change() {
        let mut status = read(&[
            "1 D. N... 100644 000000 000000 aa 00 untracked now",
            "1 .D N... 100644 100644 000000 aa aa file",
            "1 .D N... 100644 100644 000000 aa aa folder/file",
            "? untracked now",
            "? file/inside",
            "? folder",
            "? new",
            "? file/repository/",
        ]);
        status.count_displacing();
        let paths =
            |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>();
        assert_eq!(status.modified, paths(&["untracked now", "file/inside", "folder"]));
        assert_eq!(status.unknown, paths(&["new", "file/repository/"]));
    }

    #[test]
    fn ralphs_folder_and_submodules_are_left_out() {
        let status = read(&[
            "1 .M N... 100644 100644 100644 aa aa .ralph/plan.json",
            "1 .M S.M. 160000 160000 160000 aa aa other",
            "? module/new",
            "? .ralphs",
        ]);
        assert!(status.dirty().is_empty());
        assert_eq!(status.unknown, [b".ralphs".to_vec()]);
    }
}
