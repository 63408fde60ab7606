//! Secrets in what an agent wrote: found before anything is staged, so that no object ever holds one.
//!
//! A file with a new one leaves the worktree; a copy without it is kept aside.

use std::{ffi::OsStr, fs, io::Read as _, os::unix::ffi::OsStrExt as _, path::Path};

use ralph_core::{ids::CommitId, input::Violation, redact::Secret};

use super::{
    error::GitError,
    files::{RelPath, join_nul, on_disk, shown},
    scan::Changes,
    worktree::Worktree,
};

/// Most bytes of one file that are looked at.
const LARGEST: u64 = 4 << 20;
/// Most bytes of all changed files that are looked at.
const MOST: u64 = 256 << 20;
/// Most bytes that are kept of a file that had to leave: one without end must not fill ralph's memory.
const KEPT: u64 = 64 << 20;
/// Bytes in which a zero byte tells a file that is no text.
const HEAD: usize = 8 << 10;
/// So many secrets of one file are told.
const TOLD: usize = 3;
/// So many files are looked through for where a secret was before.
const COMPARED: usize = 1000;
/// So many files are told.
const FILES: usize = 10;

/// What is told about all of them.
pub(crate) fn violations(withheld: &[Withheld]) -> impl Iterator<Item = Violation> {
    withheld.iter().take(FILES).flat_map(Withheld::violations)
}

/// A file that must not be taken in.
#[derive(Debug)]
pub(crate) struct Withheld {
    path: RelPath,
    is_tracked: bool,
    secrets: Vec<Secret>,
}

impl Withheld {
    fn violations(&self) -> impl Iterator<Item = Violation> {
        let path = shown(&self.path);
        self.secrets.iter().take(TOLD).map(move |secret| Violation::Secret {
            path: path.clone(),
            line: secret.line,
            kind: secret.kind.clone(),
        })
    }
}

impl Worktree {
    /// Changed and new files with secrets that the private index does not know already.
    pub(crate) fn files_with_secrets(&self, changes: &Changes) -> Result<Vec<Withheld>, GitError> {
        let screen = self.repo.secrets();
        let (mut withheld, mut left) = (Vec::new(), MOST);
        for path in &changes.present {
            let text = text_of(&on_disk(self.repo.root(), path), left.min(LARGEST));
            left = left.saturating_sub(text.len() as u64);
            let secrets = screen.secrets(path, &text, b"");
            if !secrets.is_empty() {
                withheld.push(Withheld { path: path.clone(), is_tracked: false, secrets });
            }
        }
        if withheld.is_empty() {
            return Ok(withheld);
        }
        // What only moved from one file to another is not new.
        let old = self.known_versions(changes)?;
        for one in &mut withheld {
            let text = text_of(&on_disk(self.repo.root(), &one.path), LARGEST);
            one.secrets = screen.secrets(&one.path, &text, &old);
            one.is_tracked = self.known_version(&one.path)?.is_some();
        }
        withheld.retain(|one| !one.secrets.is_empty());
        Ok(withheld)
    }

    /// Takes these files out of the changes and puts the worktree back to what the index knows of them.
    pub(crate) fn withhold(
        &self,
        withheld: &[Withheld],
        changes: &mut Changes,
    ) -> Result<(), GitError> {
        if withheld.is_empty() {
            return Ok(());
        }
        changes.present.retain(|path| withheld.iter().all(|one| one.path != *path));
        for one in withheld {
            let file = on_disk(self.repo.root(), &one.path);
            let text = text_of(&file, KEPT);
            self.aside.keep(&file, &self.repo.secrets().redactor().bytes(&text))?;
            fs::remove_file(&file)
                .map_err(GitError::io(format!("cannot remove {}", file.display())))?;
            // Git knows no empty folders either; one that holds something stays.
            let above = file.ancestors().skip(1).take_while(|folder| *folder != self.repo.root());
            let _ = above.map(fs::remove_dir).take_while(Result::is_ok).count();
        }
        let known = withheld.iter().filter(|one| one.is_tracked).map(|one| &one.path);
        let known = join_nul(known);
        if known.is_empty() {
            return Ok(());
        }
        let call = self.repo.git.call(&["checkout-index", "--force", "-u", "-z", "--stdin"]);
        call.index(self.index.file()).stdin(known).ok().map(drop)
    }

    /// What an agent's own commits brought in, wherever in them it stands.
    pub(crate) fn secrets_in_commits(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Vec<Violation>, GitError> {
        let range = format!("{from}..{to}");
        let args =
            ["log", "-p", "-U0", "--format=%x00", "--no-color", "--no-ext-diff", "--no-textconv"];
        let out = self.repo.git.call(&args).arg(&range).arg("--").reads().ok()?;
        let screen = self.repo.secrets();
        // Commit by commit: what a later one takes away again is in the history all the same.
        let commits = out.split(|byte| *byte == 0);
        let found = commits.flat_map(|patch| screen.secrets_in_patch(patch)).take(TOLD);
        let told = found.map(|(path, secret)| Violation::Secret {
            path: format!("a commit of its own, {path}"),
            line: 0,
            kind: secret.kind,
        });
        Ok(told.collect())
    }

    /// What the private index knows of the changed files, one after another.
    fn known_versions(&self, changes: &Changes) -> Result<Vec<u8>, GitError> {
        let paths = changes.gone.iter().chain(&changes.present);
        let paths = paths.filter(|path| !path.contains(&b'\n')).take(COMPARED);
        let names: Vec<u8> =
            paths.flat_map(|path| [b":", path.as_slice(), b"\n"].concat()).collect();
        let call = self.repo.git.call(&["cat-file", "--batch", "--buffer"]);
        call.index(self.index.file()).stdin(names).ok()
    }

    fn known_version(&self, path: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        let mut name = b":".to_vec();
        name.extend_from_slice(path);
        let name = OsStr::from_bytes(&name);
        let call = self.repo.git.call(&["cat-file", "blob"]).arg(name).index(self.index.file());
        let reply = call.run()?;
        Ok((reply.code == 0).then_some(reply.stdout))
    }
}

/// The beginning of an ordinary file of text; nothing if it is something else.
fn text_of(file: &Path, most: u64) -> Vec<u8> {
    let mut text = Vec::new();
    let is_plain = fs::symlink_metadata(file).is_ok_and(|about| about.is_file());
    if is_plain && let Ok(open) = fs::File::open(file) {
        let _ = open.take(most).read_to_end(&mut text);
    }
    let is_text = !text.get(..HEAD.min(text.len())).unwrap_or_default().contains(&0);
    if is_text { text } else { Vec::new() }
}
