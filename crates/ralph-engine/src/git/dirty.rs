//! The user's uncommitted changes at the start of a run: refused, committed as theirs, or kept as a stash.

use ralph_core::{
    effect::DirtyPolicy,
    ids::{CommitId, TreeId},
};

use super::{
    error::{Before, GitError},
    files::{RelPath, on_disk, sample},
    quarantine::Keep,
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
