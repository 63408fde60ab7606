//! Reads what lies in the worktree in order to look for secrets in it, and what git would store of it where files have
//! another encoding on disk (`working-tree-encoding` in `.gitattributes`).
//!
//! Follows no link, keeps little in memory, writes no object.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::PermissionsExt as _,
    },
    path::Path,
};

use super::{
    command::Call,
    content::is_packed,
    error::GitError,
    files::{RelPath, folders_of, join_nul, on_disk},
    screen::Look,
    worktree::Worktree,
};

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

const ATTRIBUTE: &str = "working-tree-encoding";
/// So many files are converted to be looked at.
const MOST: usize = 1000;

/// Git reads no larger file of attributes.
const LARGEST: u64 = 100 << 20;

/// What git will store of a file; `None` if that cannot be told.
pub(crate) type Stored = BTreeMap<RelPath, Option<Vec<u8>>>;

impl Worktree {
    /// Of these files those that git converts, and to what.
    pub(crate) fn stored(&self, paths: &[RelPath]) -> Result<Stored, GitError> {
        if !self.may_convert(paths)? {
            return Ok(Stored::new());
        }
        let call = self.repo.git.call(&["check-attr", "-z", "--stdin", ATTRIBUTE]).reads();
        let out = call.stdin(join_nul(paths)).ok()?;
        let fields: Vec<&[u8]> = out.split(|byte| *byte == 0).collect();
        let mut stored = Stored::new();
        for field in fields.chunks_exact(3) {
            let (path, value) = (field[0], field[2]);
            if !matches!(value, b"unspecified" | b"unset") {
                let text = if stored.len() < MOST { self.converted(path)? } else { None };
                stored.insert(path.to_vec(), text);
            }
        }
        Ok(stored)
    }

    /// Whether anything that concerns these files speaks of encodings: to ask git costs every attempt a process.
    fn may_convert(&self, paths: &[RelPath]) -> Result<bool, GitError> {
        let root: &[u8] = b"";
        let folders: BTreeSet<&[u8]> =
            paths.iter().flat_map(|path| folders_of(path)).chain([root]).collect();
        let files = folders.iter().map(|it| on_disk(self.repo.root(), it).join(".gitattributes"));
        let mut files = files.chain([self.repo.common_dir().join("info/attributes")]);
        let speaks =
            |text: &[u8]| text.windows(ATTRIBUTE.len()).any(|words| words == ATTRIBUTE.as_bytes());
        let own = self.repo.git.configuration()?;
        Ok(own.attributes.as_deref().is_some_and(speaks)
            || files.any(|file| speaks(&beginning(&file, LARGEST))))
    }

    /// A file as git would store it, by way of a comparison with nothing.
    fn converted(&self, path: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        if path == b"-" {
            return Ok(None);
        }
        let how = ["--text", "--no-color", "--no-ext-diff", "--no-textconv", "-U0"];
        let call = self.repo.git.call(&["diff", "--no-index"]).reads();
        let call = how.iter().fold(call, Call::arg);
        let call = call.arg("--").arg("/dev/null").arg(OsStr::from_bytes(path));
        let reply = match call.run() {
            Ok(reply) => reply,
            Err(GitError::Command { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok((reply.code <= 1).then(|| added(&reply.stdout)))
    }
}

/// The lines that a patch adds, without its marks.
fn added(patch: &[u8]) -> Vec<u8> {
    let lines = patch.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.skip_while(|line| !line.starts_with(b"@@"));
    let lines = lines.filter_map(|line| line.strip_prefix(b"+"));
    lines.flatten().copied().collect()
}
