//! Every `.git` entry below the worktree: the ones recorded at open, and any other, which is moved away.
//!
//! Must run before git looks at a tree that an agent could write; never follows a symbolic link.

use std::{collections::BTreeSet, fs, path::Path};

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, is_within, join_nul, name_of, on_disk, paths, shown},
    obstructions::{Aside, is_behind_link},
    survey::{DotGit, Found, PARTS, look, survey},
};

/// What a sweep found and did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Repositories that were moved away, by the folder they were in.
    pub(crate) moved: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Whether a path is a repository's own folder, in whatever case.
pub(super) fn is_repository(path: &[u8]) -> bool {
    name_of(path).eq_ignore_ascii_case(b".git")
}

/// Moves away every `.git` entry that is not one of `recorded`, and puts moved ones back in place.
///
/// Builds fetch sources into ignored folders, where git never looks: repositories there may stay.
pub(crate) fn sweep(
    git: &Git,
    root: &Path,
    recorded: &[DotGit],
    submodules: &[RelPath],
    aside: &Aside,
) -> Result<Swept, GitError> {
    let Found { repositories: found, pipes, deep } = look(root)?;
    let mut swept = Swept::default();
    for path in pipes {
        aside.take(&on_disk(root, &path))?;
        swept.notes.push(format!("{} was no file; it was moved away", shown(&path)));
    }
    for path in deep {
        let place = aside.take(&on_disk(root, &path))?;
        let top = shown(path.split(|byte| *byte == b'/').next().unwrap_or_default());
        let place = place.display();
        swept.notes.push(format!("folders in {top} that are too deep were moved to {place}"));
    }
    if found == recorded {
        return Ok(swept);
    }
    check_root(root, recorded, &found)?;
    let strangers: Vec<&DotGit> = found.iter().filter(|entry| !recorded.contains(entry)).collect();
    let is_outside = |folder: &[u8]| !submodules.iter().any(|module| is_within(folder, module));
    let folders = strangers.iter().map(|entry| entry.folder().to_vec());
    let folders: Vec<RelPath> = folders.filter(|folder| is_outside(folder)).collect();
    let harmless = ignored(git, &folders)?;
    let mut away = Vec::new();
    for stranger in strangers {
        if harmless.contains(stranger.folder()) {
            continue;
        }
        if stranger.is_bare() {
            take_apart(root, stranger.folder(), aside)?;
            swept.moved.push(shown(stranger.folder()));
        } else {
            away.push((stranger, aside.take(&on_disk(root, &stranger.path))?));
        }
    }
    // Only now is every place free that one of the recorded may have to come back to.
    for (stranger, went_to) in away {
        let folder = shown(stranger.folder());
        let home = recorded.iter().find(|known| known.is_same_file(stranger));
        let is_home = home.is_some_and(|known| {
            let place = on_disk(root, &known.path);
            // A folder on the way back may be a link by now, to anywhere.
            !is_behind_link(root, &known.path)
                && fs::symlink_metadata(&place).is_err()
                && fs::rename(&went_to, &place).is_ok()
        });
        if !is_home {
            let place = went_to.display();
            swept.notes.push(format!("the repository in {folder} was moved to {place}"));
        }
        swept.moved.push(folder);
    }
    let after = survey(root)?;
    for known in recorded.iter().filter(|known| !after.contains(known)) {
        swept.notes.push(format!("{} is no longer a repository", shown(known.folder())));
    }
    Ok(swept)
}

/// Takes out of a folder what makes it a repository; what a tree has of it comes back with the tree.
fn take_apart(root: &Path, folder: &[u8], aside: &Aside) -> Result<(), GitError> {
    let place = on_disk(root, folder);
    for part in PARTS.iter().map(|part| place.join(part)) {
        if fs::symlink_metadata(&part).is_ok() {
            aside.take(&part)?;
        }
    }
    Ok(())
}

/// Without its own `.git`, nothing can be done in a worktree, and nothing must be guessed.
fn check_root(root: &Path, recorded: &[DotGit], found: &[DotGit]) -> Result<(), GitError> {
    let own = |entries: &[DotGit]| entries.iter().find(|entry| entry.folder().is_empty()).cloned();
    match (own(recorded), own(found)) {
        (Some(known), Some(now)) if known == now => Ok(()),
        (Some(_), None) => {
            Err(GitError::Damaged { what: format!("{}/.git is gone", root.display()) })
        }
        _ => Err(GitError::Damaged {
            what: format!("{}/.git is not the one the run began with", root.display()),
        }),
    }
}

/// Which of these folders git ignores. Reads the index and ignore files only, nothing of a nested repository.
fn ignored(git: &Git, folders: &[RelPath]) -> Result<BTreeSet<RelPath>, GitError> {
    if folders.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = git.call(&["check-ignore", "-z", "--stdin"]).reads().stdin(join_nul(folders));
    Ok(paths(&call.found()?.stdout))
}
