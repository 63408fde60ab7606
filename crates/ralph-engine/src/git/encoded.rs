//! What git stores of files that lie on disk in another encoding (`working-tree-encoding` in `.gitattributes`): it is
//! that which must be looked at, and no object may be written for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
};

use super::{
    command::Call,
    error::GitError,
    files::{RelPath, folders_of, join_nul, on_disk},
    reading,
    worktree::Worktree,
};

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
            || files.any(|file| speaks(&reading::beginning(&file, LARGEST))))
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
