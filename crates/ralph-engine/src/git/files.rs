//! Files as git names them: bytes relative to the worktree, and durable writes of ralph's own records.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::error::GitError;
use crate::atomic_write::{self, Access};

/// A path relative to the worktree, as git prints it with `-z`.
pub(crate) type RelPath = Vec<u8>;

/// Where a relative path is on disk.
pub(crate) fn on_disk(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

/// A relative path for people.
pub(crate) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// The first few of many paths, for people.
pub(crate) fn sample<'a>(paths: impl IntoIterator<Item = &'a RelPath>, most: usize) -> Vec<String> {
    paths.into_iter().take(most).map(|path| shown(path)).collect()
}

/// The first few of many paths in one line, and how many more there are.
pub(crate) fn named<'a, I>(paths: I, most: usize) -> String
where
    I: IntoIterator<Item = &'a RelPath, IntoIter: Clone>,
{
    let paths = paths.into_iter();
    let names = sample(paths.clone(), most).join(", ");
    match paths.count().saturating_sub(most) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// The last part of a path.
pub(crate) fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// A path with one more part.
pub(crate) fn child(folder: &[u8], name: &OsStr) -> RelPath {
    let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
    [folder, slash, name.as_bytes()].concat()
}

/// The folders that a path is in, the outermost first.
pub(crate) fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at])
}

/// Those of many paths that are in a folder.
pub(crate) fn below<'a>(
    paths: &'a BTreeSet<RelPath>,
    folder: &[u8],
) -> impl Iterator<Item = &'a RelPath> + use<'a> {
    let start = [folder, b"/"].concat();
    paths.range(start.clone()..).take_while(move |path| path.starts_with(&start))
}

/// True for ralph's own folder, which git work never touches.
pub(crate) fn is_ralphs(path: &[u8]) -> bool {
    path == b".ralph" || path.starts_with(b".ralph/")
}

/// True if `path` is `folder` or lies in it.
pub(crate) fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Splits NUL-separated output.
pub(crate) fn split_nul(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}

/// The paths in NUL-separated output.
pub(crate) fn paths<C: FromIterator<RelPath>>(bytes: &[u8]) -> C {
    split_nul(bytes).map(<[u8]>::to_vec).collect()
}

/// What git says of an entry in a tree or an index, and the path of the entry.
pub(crate) fn about_and_path(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    Some((&line[..tab], &line[tab + 1..]))
}

/// One of the words that git says of an entry.
pub(crate) fn word(about: &[u8], number: usize) -> Option<&[u8]> {
    about.split(|byte| *byte == b' ').nth(number)
}

/// Joins paths for git's `-z --stdin`.
pub(crate) fn join_nul<'a>(paths: impl IntoIterator<Item = &'a RelPath>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path);
        bytes.push(0);
    }
    bytes
}

/// A value or a path as git reads it whatever is in it.
pub(crate) fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            b'\n' => quoted.extend(b"\\n"),
            _ => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

/// Replaces a file so that after a crash either the old or the new content is there.
pub(crate) fn write_durably(file: &Path, content: &[u8]) -> Result<(), GitError> {
    let write = || -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        atomic_write::replace(file, content, Access::Private)
    };
    write().map_err(GitError::io(format!("cannot write {}", file.display())))
}

/// A file's content, or `None` if there is no such file.
pub(crate) fn read_if_there(file: &Path) -> Result<Option<Vec<u8>>, GitError> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => {
            Err(GitError::Io { what: format!("cannot read {}", file.display()), source })
        }
    }
}

/// Makes a folder with those above it.
pub(crate) fn make_folder(folder: &Path) -> Result<(), GitError> {
    fs::create_dir_all(folder).map_err(GitError::io(format!("cannot make {}", folder.display())))
}

/// The first of these places at which nothing is.
pub(crate) fn free_place(numbered: impl Fn(u32) -> PathBuf) -> PathBuf {
    let is_free = |place: &PathBuf| fs::symlink_metadata(place).is_err();
    (1..u32::MAX).map(&numbered).find(is_free).unwrap_or_else(|| numbered(0))
}

/// Removes a file that may not be there.
pub(crate) fn remove_if_there(file: &Path) -> Result<(), GitError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(GitError::Io { what: format!("cannot remove {}", file.display()), source: error })
        }
        _ => Ok(()),
    }
}
