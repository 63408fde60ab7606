//! Secrets in what an agent wrote: found before anything is staged, so that no object ever holds one.
//!
//! Everything that enters a commit was scanned, name and content, or it is said which file was not and why. What holds
//! a new secret leaves the worktree; a copy without it is kept aside.

use std::{collections::BTreeMap, fs, path::Path};

use ralph_core::vocabulary::Violation;
use ralph_text::redact::Secret;

use super::{
    error::GitError,
    files::{RelPath, on_disk, read_if_there, shown, write_durably},
    objects::objects,
    reading::{self, Entry, Stored},
    scan::Changes,
    screen::Old,
    violations::Whose,
    worktree::Worktree,
};

/// Most bytes of all changed files that are looked at.
const MOST: u64 = 4 << 30;
/// Most bytes that are kept of a file that had to leave: one without end must not fill ralph's memory.
const KEPT: u64 = 64 << 20;
/// So many secrets of one file are told.
const TOLD: usize = 3;
/// So many files are looked through for where a secret was before.
const COMPARED: usize = 1000;
/// So many files are told.
const FILES: usize = 10;

/// Files of a run that nobody could look into, and why.
pub(crate) type Unscanned = BTreeMap<String, String>;

/// What the scan of changed files came to.
#[derive(Debug, Default)]
pub(crate) struct Screened {
    /// What must not be taken in.
    pub(crate) withheld: Vec<Withheld>,
    /// What is taken in without having been looked into, and why that is.
    pub(crate) unscanned: Vec<(RelPath, String)>,
}

/// What is told about all of them.
pub(crate) fn violations(withheld: &[Withheld]) -> impl Iterator<Item = Violation> {
    withheld.iter().take(FILES).flat_map(|one| one.found.iter().take(TOLD).cloned())
}

/// A file that must not be taken in.
#[derive(Debug)]
pub(crate) struct Withheld {
    pub(crate) path: RelPath,
    found: Vec<Violation>,
    /// Whether a copy can be kept: its secrets stand in it as they are.
    can_keep: bool,
}

impl Worktree {
    /// Changed and new files with secrets that the private index does not know already, and those that cannot be
    /// looked into.
    pub(crate) fn screen(&self, changes: &Changes) -> Result<Screened, GitError> {
        let (mut screened, mut left) = (Screened::default(), MOST);
        let stored = self.stored(&changes.present)?;
        for path in &changes.present {
            let (one, unread) = self.look_at(path, &stored, &Old::default(), &mut left);
            screened.withheld.extend(one);
            screened.unscanned.extend(unread.map(|why| (path.clone(), why)));
        }
        if screened.withheld.is_empty() {
            return Ok(screened);
        }
        // What only moved from one file to another is not new.
        let old = self.old(changes)?;
        let mut withheld = Vec::new();
        for one in screened.withheld {
            withheld.extend(self.look_at(&one.path, &stored, &old, &mut MOST.clone()).0);
        }
        Ok(Screened { withheld, ..screened })
    }

    /// Looks at one path. Gives it if it must not be taken in; else why it could not be looked into, if so.
    fn look_at(
        &self,
        path: &RelPath,
        stored: &Stored,
        old: &Old,
        left: &mut u64,
    ) -> (Option<Withheld>, Option<String>) {
        let screen = self.repo.secrets();
        let place = screen.shown(path);
        let named = screen.in_words(path, path, &old.names);
        let mut found = told(&named, &format!("the name of {place}"));
        let (mut unread, mut can_keep) = (None, true);
        match reading::open(&on_disk(self.repo.root(), path)) {
            Entry::Link(target) => {
                let secrets = screen.in_words(path, &target, &old.content);
                found.extend(told(&secrets, &format!("the target of the link {place}")));
            }
            Entry::File(file) => {
                let look =
                    reading::look(file, left, |bytes| screen.look(path, bytes, &old.content));
                can_keep = look.is_plain;
                found.extend(told(&look.secrets, &place));
                unread = look.unread;
                match stored.get(path) {
                    Some(Some(text)) if found.is_empty() => {
                        // What is found only there could not be taken out of a copy.
                        let secrets = screen.look(path, text, &old.content).secrets;
                        can_keep &= secrets.is_empty();
                        found.extend(told(&secrets, &place));
                    }
                    Some(None) => unread = Some("git stores it in another encoding".into()),
                    _ => {}
                }
            }
            Entry::Unreadable => unread = Some("it cannot be read".into()),
            Entry::Other => {}
        }
        if found.is_empty()
            && let Some(why) = unread.take_if(|_| screen.must_read(path))
        {
            can_keep = false;
            found.push(Violation::Unscanned { path: place, why });
        }
        let withheld =
            (!found.is_empty()).then(|| Withheld { path: path.clone(), found, can_keep });
        (withheld, unread)
    }

    /// Those of the user's untracked files that hold secrets: they must not become objects.
    pub(crate) fn holding_secrets(&self, paths: &[RelPath]) -> Result<Vec<RelPath>, GitError> {
        let (stored, mut left) = (self.stored(paths)?, MOST);
        let mut holds = |path: &&RelPath| {
            let (withheld, _) = self.look_at(path, &stored, &Old::default(), &mut left);
            let is_secret = |one: &Violation| matches!(one, Violation::Secret { .. });
            withheld.is_some_and(|one| one.found.iter().any(is_secret))
        };
        Ok(paths.iter().filter(&mut holds).cloned().collect())
    }

    /// Takes these files out of the changes and puts the worktree back to what the index knows of them.
    pub(crate) fn withhold(
        &mut self,
        withheld: &[Withheld],
        whose: Whose,
        changes: &mut Changes,
    ) -> Result<(), GitError> {
        changes.present.retain(|path| withheld.iter().all(|one| one.path != *path));
        for one in withheld {
            let kept = self.take_away(one, whose)?;
            self.unsaid.extend(kept);
        }
        let paths: Vec<RelPath> = withheld.iter().map(|one| one.path.clone()).collect();
        self.put_back_known(&paths)
    }

    /// What an agent wrote is kept without its secrets; what may be a person's is moved as it is, and named.
    fn take_away(&self, one: &Withheld, whose: Whose) -> Result<Option<String>, GitError> {
        let file = on_disk(self.repo.root(), &one.path);
        let screen = self.repo.secrets();
        let place = screen.shown(&one.path);
        let mut note = None;
        if whose == Whose::Nobodys {
            let kept = self.aside.take(&file)?;
            note = Some(format!(
                "{place} has what looks like a secret, so it is in no commit: it is now {}",
                kept.display()
            ));
        } else {
            if one.can_keep {
                let text = reading::beginning(&file, KEPT);
                self.aside.keep(Path::new(&place), &screen.redactor().bytes(&text))?;
            }
            fs::remove_file(&file).map_err(GitError::io(format!("cannot remove {place}")))?;
        }
        // Git knows no empty folders either; one that holds something stays.
        let above = file.ancestors().skip(1).take_while(|folder| *folder != self.repo.root());
        let _ = above.map(fs::remove_dir).take_while(Result::is_ok).count();
        Ok(note)
    }

    /// Remembers what was taken in without having been looked into: later attempts go on from it.
    pub(crate) fn note_unscanned(
        &self,
        changes: &Changes,
        new: Vec<(RelPath, String)>,
    ) -> Result<Unscanned, GitError> {
        let file = self.truth.join("unscanned");
        let bytes = read_if_there(&file)?.unwrap_or_default();
        let mut all: Unscanned = serde_json::from_slice(&bytes).unwrap_or_default();
        let before = all.clone();
        if !all.is_empty() {
            changes.paths().iter().for_each(|path| drop(all.remove(&shown(path))));
        }
        all.extend(new.into_iter().map(|(path, why)| (shown(&path), why)));
        if all != before {
            write_durably(&file, &serde_json::to_vec(&all).unwrap_or_default())?;
        }
        Ok(all)
    }

    /// What the private index knows of the changed files, and all its names.
    fn old(&self, changes: &Changes) -> Result<Old, GitError> {
        let paths = changes.gone.iter().chain(&changes.present);
        let paths = paths.filter(|path| !path.contains(&b'\n')).take(COMPARED);
        let names: Vec<u8> =
            paths.flat_map(|path| [b":", path.as_slice(), b"\n"].concat()).collect();
        let call = self.repo.git.call(&["cat-file", "--batch", "--buffer"]);
        let out = call.index(self.index.file()).stdin(names).ok()?;
        let mut old = Old::default();
        for object in objects(&out) {
            old.add(object.bytes);
        }
        old.names =
            self.repo.git.call(&["ls-files", "-z"]).index(self.index.file()).reads().ok()?;
        Ok(old)
    }
}

/// Secrets at a place, in words that hold none of them.
pub(crate) fn told(secrets: &[Secret], place: &str) -> Vec<Violation> {
    let one = |secret: &Secret| Violation::Secret {
        path: place.to_owned(),
        line: secret.line,
        kind: secret.kind.clone(),
    };
    secrets.iter().map(one).collect()
}
