//! The user's uncommitted changes: at the start of a run refused, committed as theirs, or kept as a stash; later, what
//! somebody staged or began to merge beside it, which may be in no file and in no commit.

use std::{collections::BTreeMap, fs};

use ralph_core::{
    effect::DirtyPolicy,
    ids::{CommitId, TreeId},
};

use super::{
    error::{Before, GitError},
    files::{RelPath, about_and_path, free_place, make_folder, on_disk, sample, split_nul},
    index::PrivateIndex,
    quarantine::Keep,
    repository::IN_PROGRESS,
    scan::{Changes, Status},
    worktree::Worktree,
};

/// So many files are named in a message.
pub(crate) const SAMPLE: usize = 5;

/// What became of the user's changes.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    /// There were none.
    pub(crate) is_nothing: bool,
    /// The tree with all of them.
    pub(crate) tree: TreeId,
    /// The commit made of them on the user's branch.
    pub(crate) wip: Option<CommitId>,
    /// The ref that keeps them until the run ends.
    pub(crate) stash: Option<String>,
    pub(crate) notes: Vec<String>,
}

/// Refuses changes if nothing else was asked for.
pub(crate) fn check(status: &Status, policy: DirtyPolicy, before: Before) -> Result<(), GitError> {
    let dirty = status.dirty();
    if dirty.is_empty() || policy != DirtyPolicy::Refuse {
        return Ok(());
    }
    Err(GitError::Dirty { total: dirty.len(), sample: sample(&dirty, SAMPLE), before })
}

/// Puts the user's changes where nothing can happen to them; the worktree is not changed yet.
pub(crate) fn save(
    worktree: &mut Worktree,
    status: &Status,
    policy: DirtyPolicy,
    head: &CommitId,
) -> Result<Saved, GitError> {
    let count = status.dirty().len();
    if count == 0 {
        return Ok(Saved { is_nothing: true, ..Saved::default() });
    }
    let heads_tree = worktree.tree_of(head)?;
    if policy == DirtyPolicy::Wip {
        worktree.index.load(&heads_tree)?;
        refuse_secrets(worktree, status)?;
    }
    worktree.index.start_from(&worktree.repo.git_dir().join("index"))?;
    let staged = worktree.index.write_tree()?;
    let changes = Changes { gone: status.gone.clone(), present: status.modified.clone() };
    let tree = worktree.index.apply(&changes, &worktree.aside)?;
    if let Some(one) = worktree.index.unfit().into_iter().next() {
        return Err(GitError::Command { command: "update-index".into(), said: one.why });
    }
    let tree = worktree.index.align_ralph(&tree, &heads_tree)?;
    let index = worktree.write_commit(&staged, &[head], "index, kept by ralph")?;
    let mut saved = Saved { tree: tree.clone(), ..Saved::default() };
    if policy == DirtyPolicy::Wip && staged != tree && staged != heads_tree {
        let reference = worktree.own_ref("index");
        let message = "what was staged, kept by ralph";
        let kept = worktree.keep(&Keep { tree: &staged, parents: &[head], reference, message })?;
        saved.notes.push(format!("what was staged and is not in the files is kept as {kept}"));
    }
    if tree == heads_tree && policy == DirtyPolicy::Wip {
        worktree.line_up_users_index(&tree)?;
    } else if policy == DirtyPolicy::Wip {
        let message = format!("wip: saved by ralph before run {}\n", worktree.run);
        let commit = worktree.write_commit(&tree, &[head], &message)?;
        let call = worktree.repo.git.set_ref("wip", "HEAD", commit.as_str());
        call.arg(head.as_str()).ok()?;
        saved.notes.push(format!(
            "{}committed as {}",
            counted(count, "was", "were"),
            commit.short()
        ));
        worktree.line_up_users_index(&tree)?;
        worktree.kept.insert(tree, format!("refs/heads/{}", worktree.record.came_from));
        saved.wip = Some(commit);
    } else {
        let reference = worktree.keep(&Keep {
            tree: &tree,
            parents: &[head, &index],
            reference: worktree.own_ref("stash"),
            message: &format!(
                "On {}: kept by ralph before run {}\n",
                worktree.record.came_from, worktree.run
            ),
        })?;
        worktree.kept.insert(tree, reference.clone());
        saved.notes.push(format!("{}kept as {reference}", counted(count, "is", "are")));
        saved.stash = Some(reference);
    }
    Ok(saved)
}

/// What is committed as the user's may be pushed with the run's work.
fn refuse_secrets(worktree: &Worktree, status: &Status) -> Result<(), GitError> {
    let is_there = |path: &RelPath| on_disk(worktree.repo.root(), path).is_file();
    let present = status.dirty().into_iter().filter(is_there).collect();
    let withheld = worktree.screen(&Changes { gone: Vec::new(), present })?.withheld;
    let paths = withheld.iter().map(|one| worktree.repo.secrets().shown(&one.path));
    let paths: Vec<String> = paths.collect();
    if paths.is_empty() { Ok(()) } else { Err(GitError::SecretInChanges { paths }) }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 changed file {one} "),
        _ => format!("{count} changed files {more} "),
    }
}

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
                "a {what} was started in the worktree meanwhile; ralph ended it: start it again when the run is over"
            ));
        }
        Ok(notes)
    }
}
