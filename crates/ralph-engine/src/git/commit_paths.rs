//! A commit of some paths and nothing else: what is staged or changed besides stays as it is.

use std::{collections::BTreeSet, path::Path};

use ralph_core::ids::{CommitId, TreeId};

use super::{
    command::Call,
    error::GitError,
    files::{RelPath, about_and_path, join_nul, on_disk, read_if_there, split_nul, word},
    index::PrivateIndex,
    locks,
    repository::Repository,
};

impl Repository {
    /// Commits what is on disk at these files and folders, named from the repository's root, onto the branch that is
    /// checked out. New files that git ignores are left out; `None` if nothing differs.
    pub fn commit_paths(
        &self,
        paths: &[String],
        message: &str,
    ) -> Result<Option<CommitId>, GitError> {
        self.check()?;
        self.check_nothing_in_progress()?;
        let specs: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        self.check_filters_of(&specs.iter().map(String::as_str).collect::<Vec<_>>())?;
        locks::remove_stale(self.git_dir(), self.common_dir(), self.root())?;
        let lock = self.git_dir().join("index.lock");
        if lock.exists() {
            return Err(GitError::Busy { lock });
        }
        let (branch, head) = (self.branch()?, self.head()?);
        let before = self.tree_at(head.as_str())?;
        let folder = self.common_dir().join("ralph");
        let users = self.git_dir().join("index");
        let mut index = PrivateIndex::scratch(&self.git, self.root(), folder.join("paths/index"))?;
        index.load(&before)?;
        let changed = self.files_below(paths, index.file())?;
        self.refuse_secrets(&changed)?;
        self.take_in(&changed, &index)?;
        let tree = index.write_tree()?;
        self.refuse_what_is_only_staged(&specs, [&before, &tree])?;
        let commit = if tree == before {
            None
        } else {
            let commit = self.write_branch_commit(&tree, &[&head], message)?;
            let name = format!("refs/heads/{branch}");
            let call = self.git.set_ref("commit paths", &name, commit.as_str());
            call.arg(head.as_str()).ok()?;
            Some(commit)
        };
        // The user's index must know of them too, or the next commit would take them back.
        index.start_from(&users)?;
        self.take_in(&changed, &index)?;
        if index.install(&users)?.is_some() { Ok(commit) } else { Err(GitError::Busy { lock }) }
    }

    /// A version that the user staged and that is in none of these trees would be nowhere afterwards.
    fn refuse_what_is_only_staged(
        &self,
        specs: &[String],
        trees: [&TreeId; 2],
    ) -> Result<(), GitError> {
        let staged = self.git.call(&["ls-files", "-s", "-z", "--"]);
        let staged = specs.iter().fold(staged, Call::arg).reads().ok()?;
        let mut known = BTreeSet::new();
        for tree in trees {
            let listing = self.git.call(&["ls-tree", "-r", "-z", tree.as_str()]).reads().ok()?;
            let entries = split_nul(&listing).filter_map(about_and_path);
            known.extend(entries.filter_map(|(about, _)| Some(word(about, 2)?.to_vec())));
        }
        let staged = split_nul(&staged).filter_map(about_and_path);
        let lost = staged.filter(|(about, _)| word(about, 1).is_some_and(|id| !known.contains(id)));
        let paths: Vec<String> = lost.map(|(_, path)| self.secrets().shown(path)).collect();
        if paths.is_empty() { Ok(()) } else { Err(GitError::OnlyStaged { paths }) }
    }

    /// What is committed may be pushed.
    fn refuse_secrets(&self, files: &BTreeSet<RelPath>) -> Result<(), GitError> {
        let mut paths = Vec::new();
        for path in files {
            let text = read_if_there(&on_disk(self.root(), path))?.unwrap_or_default();
            if !self.secrets().look(path, &text, b"").secrets.is_empty() {
                paths.push(self.secrets().shown(path));
            }
        }
        if paths.is_empty() { Ok(()) } else { Err(GitError::SecretInFiles { paths }) }
    }

    /// Files below the paths that are new and not ignored, or that one of the indexes knows: after a kill the user's
    /// may know some that the last commit has not.
    fn files_below(&self, paths: &[String], index: &Path) -> Result<BTreeSet<RelPath>, GitError> {
        let specs: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let list = |kind: &[&str], index: Option<&Path>| {
            let mut args = vec!["ls-files", "-z"];
            args.extend(kind);
            args.push("--");
            args.extend(specs.iter().map(String::as_str));
            let call = self.git.call(&args).reads();
            index.into_iter().fold(call, Call::index).paths::<BTreeSet<RelPath>>()
        };
        let mut found = list(&["--cached"], Some(index))?;
        found.extend(list(&["--cached"], None)?);
        found.extend(list(&["--others", "--exclude-standard"], Some(index))?);
        Ok(found)
    }

    /// Makes an index say of these files what is on disk.
    fn take_in(&self, paths: &BTreeSet<RelPath>, index: &PrivateIndex) -> Result<(), GitError> {
        let args = ["update-index", "--add", "--remove", "-z", "--stdin"];
        self.git.call(&args).stdin(join_nul(paths)).index(index.file()).ok().map(drop)
    }
}
