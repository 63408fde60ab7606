//! Files that were ignored before an ignore file changed: not new, so neither taken nor removed.

use std::{collections::BTreeSet, fs, path::Path, time::SystemTime};

use ralph_core::ids::TreeId;

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, join_nul, on_disk, split_nul},
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
    let reply = call.reads().stdin(join_nul(candidates)).run()?;
    if !matches!(reply.code, 0 | 1) {
        return Err(reply.error("check-ignore"));
    }
    let ignored = split_nul(&reply.stdout).map(<[u8]>::to_vec);
    Ok(ignored.filter(|path| !is_born_since(&on_disk(root, path), since)).collect())
}

fn is_rule_file(path: &[u8]) -> bool {
    path == b".gitignore" || path.ends_with(b"/.gitignore")
}

/// Where a file's birth is unknown it counts as old: keeping too much is the safe side.
pub(crate) fn is_born_since(file: &Path, since: Option<SystemTime>) -> bool {
    let born = fs::symlink_metadata(file).and_then(|entry| entry.created()).ok();
    matches!((born, since), (Some(born), Some(since)) if born >= since)
}

/// Writes the tree's ignore files, and nothing else of it, below `folder`.
fn lay_out_rules(git: &Git, tree: &TreeId, folder: &Path) -> Result<(), GitError> {
    let listing = git.call(&["ls-tree", "-r", "-z", tree.as_str()]).reads().ok()?;
    let mut files = Vec::new();
    let mut wanted = Vec::new();
    for line in split_nul(&listing) {
        let mut halves = line.splitn(2, |byte| *byte == b'\t');
        let (Some(what), Some(path)) = (halves.next(), halves.next()) else {
            continue;
        };
        if is_rule_file(path) && what.starts_with(b"100") {
            wanted.extend_from_slice(what.rsplit(|byte| *byte == b' ').next().unwrap_or_default());
            wanted.push(b'\n');
            files.push(on_disk(folder, path));
        }
    }
    let blobs = git.call(&["cat-file", "--batch"]).reads().stdin(wanted).ok()?;
    let mut rest = blobs.as_slice();
    for file in files {
        let Some((content, behind)) = next_blob(rest) else {
            break;
        };
        rest = behind;
        let write = || {
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            fs::write(&file, content)
        };
        write().map_err(GitError::io("cannot lay out ignore files"))?;
    }
    Ok(())
}

/// The first object of `cat-file --batch` output, and what comes after it.
fn next_blob(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = header.rsplit(' ').next()?.parse().ok()?;
    let content = bytes.get(end + 1..end + 1 + size)?;
    Some((content, bytes.get(end + 2 + size..).unwrap_or_default()))
}
