//! Reads what lies in the worktree in order to look for secrets in it. Follows no link, keeps little in memory.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::{ffi::OsStringExt as _, fs::PermissionsExt as _},
    path::Path,
};

use super::{content::is_packed, screen::Look};

/// Files up to this size are looked at in one piece; larger ones in several, which overlap.
const PIECE: usize = 64 << 20;
const OVERLAP: usize = 1 << 20;

/// What lies at a path.
pub(crate) enum Entry {
    File(File),
    Link(Vec<u8>),
    Unreadable,
    /// Nothing that git would take in.
    Other,
}

/// Opens a file, if need be with a mode that lets it be read: git will do the same.
pub(crate) fn open(path: &Path) -> Entry {
    let Ok(about) = fs::symlink_metadata(path) else {
        return Entry::Other;
    };
    if about.is_symlink() {
        return fs::read_link(path)
            .map_or(Entry::Unreadable, |target| Entry::Link(target.into_os_string().into_vec()));
    }
    if !about.is_file() {
        return Entry::Other;
    }
    let mode = about.permissions().mode();
    if mode & 0o400 == 0 {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600));
    }
    File::open(path).map_or(Entry::Unreadable, Entry::File)
}

/// Looks at a file from its beginning to its end, as long as there is something `left` to read.
pub(crate) fn look(mut file: File, left: &mut u64, look: impl Fn(&[u8]) -> Look) -> Look {
    let mut all = Look { secrets: Vec::new(), unread: None, is_plain: true };
    let (mut piece, mut lines, mut is_first) = (Vec::new(), 0, true);
    loop {
        let before = piece.len();
        let most = ((PIECE - before) as u64).min(*left);
        match Read::by_ref(&mut file).take(most).read_to_end(&mut piece) {
            Ok(0) if before > 0 || most > 0 => break,
            Ok(read) => *left -= read as u64,
            Err(_) => {
                all.unread.get_or_insert("it cannot be read".into());
                break;
            }
        }
        if piece.len() == before {
            all.unread.get_or_insert("too much changed at once".into());
            break;
        }
        let is_large = piece.len() == PIECE;
        if is_first && is_large && is_packed(&piece) {
            all.unread.get_or_insert(format!("it is packed and larger than {} MiB", PIECE >> 20));
        }
        let found = look(&piece);
        all.is_plain &= found.is_plain;
        all.unread = all.unread.or(found.unread);
        for mut secret in found.secrets {
            secret.line += if secret.line > 0 { lines } else { 0 };
            if !all.secrets.contains(&secret) {
                all.secrets.push(secret);
            }
        }
        if !is_large {
            break;
        }
        let done = piece.drain(..PIECE - OVERLAP);
        lines += done.filter(|byte| *byte == b'\n').count() as u64;
        is_first = false;
    }
    all
}

/// The beginning of a file, or a link's target.
pub(crate) fn beginning(path: &Path, most: u64) -> Vec<u8> {
    let read = |file: File| -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        file.take(most).read_to_end(&mut text)?;
        Ok(text)
    };
    match open(path) {
        Entry::File(file) => read(file).unwrap_or_default(),
        Entry::Link(target) => target,
        Entry::Unreadable | Entry::Other => Vec::new(),
    }
}
