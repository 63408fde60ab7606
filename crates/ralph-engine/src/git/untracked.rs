//! The user's untracked and ignored files: remembered, the former kept in a ref, never staged, never removed. So are those
//! that were ignored before an ignore file changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use ralph_core::ids::TreeId;

use super::{
    binding::Git,
    error::GitError,
    files::{
        RelPath, about_and_path, join_nul, name_of, named, on_disk, paths, read_if_there, shown,
        split_nul, word, write_durably,
    },
    objects::objects,
};

/// Larger files are left where they are and not copied into the repository.
const LARGEST: u64 = 50 << 20;
/// More than this is not copied in all.
const MOST: u64 = 1 << 30;
/// So many files are watched for changes.
const WATCHED: usize = 10_000;
/// The file that lists those without a copy.
const UNCOPIED: &str = "uncopied";

/// The files that are the user's, and what they looked like at the last checkpoint.
#[derive(Debug, Default)]
pub(crate) struct Untracked {
    file: PathBuf,
    paths: BTreeSet<RelPath>,
    /// What git ignored when the run began; a folder of nothing else once, with a slash.
    ignored: BTreeSet<RelPath>,
    began: Option<SystemTime>,
    /// Of these there is no copy.
    uncopied: BTreeSet<RelPath>,
    looks: BTreeMap<RelPath, Look>,
}

/// Size and times: enough to tell that a file was written.
type Look = (u64, i64, i64, u64);

impl Untracked {
    fn at(truth: &Path) -> PathBuf {
        truth.join("untracked")
    }

    fn ignored_at(truth: &Path) -> PathBuf {
        truth.join("ignored")
    }

    /// Whether an earlier process of the run came as far as remembering them.
    pub(crate) fn is_remembered(truth: &Path) -> bool {
        Self::at(truth).exists()
    }

    /// What an earlier process remembered.
    pub(crate) fn load(truth: &Path) -> Result<Self, GitError> {
        let file = Self::at(truth);
        let read = |file: &Path| -> Result<BTreeSet<RelPath>, GitError> {
            Ok(paths(&read_if_there(file)?.unwrap_or_default()))
        };
        let ignored = Self::ignored_at(truth);
        let began = fs::metadata(&ignored).and_then(|it| it.modified()).ok();
        let (paths, ignored) = (read(&file)?, read(&ignored)?);
        let uncopied = read(&file.with_file_name(UNCOPIED))?;
        Ok(Self { file, paths, ignored, began, uncopied, looks: BTreeMap::new() })
    }

    /// Remembers these files, and what git ignores now.
    pub(crate) fn remember(
        truth: &Path,
        paths: &[RelPath],
        ignored: &[RelPath],
    ) -> Result<Self, GitError> {
        write_durably(&Self::ignored_at(truth), &join_nul(ignored))?;
        write_durably(&Self::at(truth), &join_nul(paths))?;
        Self::load(truth)
    }

    /// Whether this was there and ignored when the run began, whatever the rules say now.
    pub(crate) fn was_ignored(&self, root: &Path, path: &[u8]) -> bool {
        self.ignored.contains(path)
            || names_folder_of(&self.ignored, path)
                && !is_born_since(&on_disk(root, path), self.began)
    }

    /// Counts these as the user's from now on.
    pub(crate) fn add(&mut self, paths: BTreeSet<RelPath>) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.paths.extend(paths);
        write_durably(&self.file, &join_nul(&self.paths))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RelPath> {
        self.paths.iter()
    }

    pub(crate) fn len(&self) -> u64 {
        self.paths.len() as u64
    }

    /// True for one of these files, and for anything in a repository that is one of them.
    pub(crate) fn holds(&self, path: &[u8]) -> bool {
        self.paths.contains(path) || names_folder_of(&self.paths, path)
    }

    /// The files small enough to be copied into the repository, and notes on the others.
    pub(crate) fn keepable(&self, root: &Path) -> (Vec<RelPath>, Vec<String>) {
        let (mut keep, mut large, mut total) = (Vec::new(), Vec::new(), 0);
        for path in self.paths.iter().filter(|path| !path.ends_with(b"/")) {
            let Ok(entry) = fs::symlink_metadata(on_disk(root, path)) else {
                continue;
            };
            let fits = entry.len() <= LARGEST && total + entry.len() <= MOST;
            if fits && (entry.is_file() || entry.is_symlink()) {
                total += entry.len();
                keep.push(path.clone());
            } else {
                large.push(path.clone());
            }
        }
        let mut notes = Vec::new();
        if !large.is_empty() {
            notes.push(format!(
                "{} left alone but not copied: {}",
                match large.len() {
                    1 => "a large untracked file is".to_owned(),
                    many => format!("{many} large untracked files are"),
                },
                named(&large, 5)
            ));
        }
        (keep, notes)
    }

    /// These are not copied.
    pub(crate) fn leave(&mut self, paths: Vec<RelPath>) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.uncopied.extend(paths);
        write_durably(&self.file.with_file_name(UNCOPIED), &join_nul(&self.uncopied))
    }

    /// Takes down what they look like now. What ralph itself prints into the worktree is nobody's change.
    pub(crate) fn watch(&mut self, root: &Path) {
        let printed = ["/dev/stdout", "/dev/stderr"].map(|path| place(Path::new(path)));
        let is_printed = |path: &RelPath| {
            let entry = place(&on_disk(root, path));
            entry.is_some() && printed.contains(&entry)
        };
        let looks = self.paths.iter().take(WATCHED).filter(|path| !is_printed(path));
        self.looks = looks.filter_map(|path| Some((path.clone(), look(root, path)?))).collect();
    }

    /// What became of them since the last watch, with the ref that has them as they were at the start.
    pub(crate) fn changes(&self, root: &Path, reference: Option<&str>) -> Vec<String> {
        let changed = self.looks.iter().filter_map(|(path, before)| match look(root, path) {
            None => Some((path, "deleted")),
            Some(now) if now != *before => Some((path, "changed")),
            Some(_) => None,
        });
        let told = |(path, what): (&RelPath, &str)| {
            let note = format!("your untracked file {} was {what}", shown(path));
            match reference.filter(|_| !self.uncopied.contains(path)) {
                Some(reference) => format!("{note}; {reference} has it as it was"),
                None => note,
            }
        };
        changed.take(20).map(told).collect()
    }
}

/// Whether these name a folder that a path is in, with a slash at its end.
fn names_folder_of(paths: &BTreeSet<RelPath>, path: &[u8]) -> bool {
    let mut slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.any(|(at, _)| paths.contains(&path[..=at]))
}

/// Which file it is, whatever its name.
fn place(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|entry| (entry.dev(), entry.ino()))
}

fn look(root: &Path, path: &[u8]) -> Option<Look> {
    let entry = fs::symlink_metadata(on_disk(root, path)).ok()?;
    // A repository of the user's own changes its folder's times whenever it is used.
    let is_folder = entry.is_dir();
    (!is_folder).then(|| (entry.len(), entry.mtime(), entry.mtime_nsec(), entry.ino()))
}

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

pub(crate) fn is_rule_file(path: &[u8]) -> bool {
    name_of(path) == b".gitignore"
}

/// Where a file's birth is unknown it counts as old: keeping too much is the safe side.
fn is_born_since(file: &Path, since: Option<SystemTime>) -> bool {
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
