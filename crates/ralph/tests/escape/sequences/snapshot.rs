//! What a machine looks like where neither an agent nor ralph has any business: names, modes, contents.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Component, Path, PathBuf},
};

/// Parts of a git folder that ralph changes for its commits.
const COMMITS: &[&str] = &[
    "objects",
    "refs",
    "logs",
    "ralph",
    "index",
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "COMMIT_EDITMSG",
    "packed-refs",
    "worktrees",
    "lfs",
];

/// Every place by its path: mode and a digest of what it holds.
pub(crate) struct Snapshot(BTreeMap<PathBuf, (u32, u64)>);

impl Snapshot {
    /// Looks at everything below a machine's folder that is not a run's own.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut seen = BTreeMap::new();
        let mut left = vec![folder.to_owned()];
        while let Some(path) = left.pop() {
            let Ok(entry) = fs::symlink_metadata(&path) else { continue };
            let inside = path.strip_prefix(folder).unwrap_or(&path);
            if is_of_the_run(inside) {
                continue;
            }
            let mut digest = DefaultHasher::new();
            if entry.is_dir() {
                let below = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(below.map(|entry| entry.path()));
            } else if entry.is_symlink() {
                fs::read_link(&path).unwrap_or_default().as_os_str().as_bytes().hash(&mut digest);
            } else if entry.is_file() {
                fs::read(&path).unwrap_or_default().hash(&mut digest);
            }
            seen.insert(inside.to_owned(), (entry.mode(), digest.finish()));
        }
        Self(seen)
    }

    /// What is not as it was, in words.
    pub(crate) fn changes(&self, after: &Self) -> Vec<String> {
        let gone = self.0.keys().filter(|path| !after.0.contains_key(*path));
        let gone = gone.map(|path| format!("{} is gone", path.display()));
        let other = after.0.iter().filter_map(|(path, look)| match self.0.get(path) {
            None => Some(format!("{} is new", path.display())),
            Some(before) if before != look => Some(format!("{} was changed", path.display())),
            Some(_) => None,
        });
        gone.chain(other).collect()
    }
}

/// Whether ralph or an agent may change this place: a worktree, ralph's own state, the test's own log.
fn is_of_the_run(inside: &Path) -> bool {
    let parts: Vec<&str> = inside
        .components()
        .filter_map(|part| if let Component::Normal(part) = part { part.to_str() } else { None })
        .collect();
    match parts.as_slice() {
        ["home", ".local", "state", "ralph", rest @ ..] => rest.first() != Some(&"other"),
        ["home", "code", _, ".git", rest @ ..] => {
            let is_lock = |part: &str| Path::new(part).extension().is_some_and(|it| it == "lock");
            rest.iter().any(|part| COMMITS.contains(part) || is_lock(part))
        }
        ["home", "code", _, ".ralph", rest @ ..] => !matches!(rest, [] | ["settings.toml"]),
        ["home", "code", _, _, ..] | ["log", ..] => true,
        _ => false,
    }
}
