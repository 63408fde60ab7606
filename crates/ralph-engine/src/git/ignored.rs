//! Files that were ignored before an ignore file changed: not new, so neither taken nor removed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::SystemTime,
};

use ralph_core::ids::TreeId;

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, about_and_path, join_nul, name_of, on_disk, paths, split_nul, word},
    objects::objects,
};

/// True if one of these files changes what git ignores.
pub(crate) fn changes_rules<'a>(paths: impl IntoIterator<Item = &'a RelPath>) -> bool {
    paths.into_iter().any(|path| is_rule_file(path))
}

/// Of the `candidates`, those that `tree`'s own ignore files ignore and that are older than `since`.
pub(crate) fn formerly_ignored(
    git: &Git,
    root: &Path,
    tree: &TreeId,
    candidates: &[RelPath],
    since: Option<SystemTime>,
) -> Result<BTreeSet<RelPath>, GitError> {
    let rules = tempfile::tempdir().map_err(GitError::io("cannot make a temporary folder"))?;
    lay_out_rules(git, tree, rules.path())?;
    let call = git.call(&["check-ignore", "--no-index", "-z", "--stdin"]).dir(rules.path());
    let reply = call.reads().stdin(join_nul(candidates)).found()?;
    let mut ignored: BTreeSet<RelPath> = paths(&reply.stdout);
    ignored.retain(|path| !is_born_since(&on_disk(root, path), since));
    Ok(ignored)
}

fn is_rule_file(path: &[u8]) -> bool {
    name_of(path) == b".gitignore"
}

/// Where a file's birth is unknown it counts as old: keeping too much is the safe side.
pub(crate) fn is_born_since(file: &Path, since: Option<SystemTime>) -> bool {
    let born = fs::symlink_metadata(file).and_then(|entry| entry.created()).ok();
    matches!((born, since), (Some(born), Some(since)) if born >= since)
}

/// Writes the tree's ignore files, and nothing else of it, below `folder`.
fn lay_out_rules(git: &Git, tree: &TreeId, folder: &Path) -> Result<(), GitError> {
    let listing = git.call(&["ls-tree", "-r", "-z", tree.as_str()]).reads().ok()?;
    let rules = split_nul(&listing).filter_map(about_and_path);
    let rules = rules.filter(|(about, path)| is_rule_file(path) && about.starts_with(b"100"));
    let rules: Vec<(&[u8], &[u8])> =
        rules.filter_map(|(about, path)| Some((word(about, 2)?, path))).collect();
    let wanted = rules.iter().flat_map(|(id, _)| [*id, b"\n"].concat()).collect();
    let blobs = git.call(&["cat-file", "--batch"]).reads().stdin(wanted).ok()?;
    let content: BTreeMap<&[u8], &[u8]> =
        objects(&blobs).into_iter().map(|blob| (blob.id, blob.bytes)).collect();
    for (id, path) in rules {
        let Some(text) = content.get(id) else { continue };
        let file = on_disk(folder, path);
        let write = || {
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            fs::write(&file, text)
        };
        write().map_err(GitError::io("cannot lay out ignore files"))?;
    }
    Ok(())
}
