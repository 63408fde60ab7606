//! Files as git names them: bytes relative to the worktree, and durable writes of ralph's own records.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Write},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::error::GitError;

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

/// Joins paths for git's `-z --stdin`.
pub(crate) fn join_nul<'a>(paths: impl IntoIterator<Item = &'a RelPath>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path);
        bytes.push(0);
    }
    bytes
}

/// Replaces a file so that after a crash either the old or the new content is there.
pub(crate) fn write_durably(file: &Path, content: &[u8]) -> Result<(), GitError> {
    let write = || -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(content)?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|failed| failed.error)?;
        File::open(folder)?.sync_all()
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

/// Removes a file that may not be there.
pub(crate) fn remove_if_there(file: &Path) -> Result<(), GitError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(GitError::Io { what: format!("cannot remove {}", file.display()), source: error })
        }
        _ => Ok(()),
    }
}
