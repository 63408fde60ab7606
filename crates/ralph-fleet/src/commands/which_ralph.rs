//! Which `ralph` this program starts: the one that is named, the one beside it, or the one on the path.

use crate::error::CommandError;
use std::path::{Path, PathBuf};

/// The program, as an absolute path.
pub(super) fn find(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let found = match named {
        Some(path) => path.is_file().then(|| path.to_owned()),
        None => beside().or_else(on_path),
    };
    let found = found.and_then(|path| std::path::absolute(path).ok());
    found.ok_or_else(|| {
        let what = match named {
            Some(path) => format!("no such program: {}", path.display()),
            None => "ralph is neither beside this program nor on PATH".into(),
        };
        CommandError::usage(what, "install ralph, or name it with --ralph FILE")
    })
}

fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(own.parent()?.join("ralph")).filter(|path| path.is_file())
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("ralph")).find(|path| path.is_file())
}
