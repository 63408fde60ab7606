//! Files whose content git does not take: text that does not fit the encoding its attributes name, line ends that would
//! not come back. They are found one by one, so that all others are taken.

use std::fs;

use ralph_core::vocabulary::Violation;

use super::{
    converse::Reply,
    error::GitError,
    files::{RelPath, join_nul, on_disk},
    index::PrivateIndex,
    violations::{self, Unfit, Whose},
    worktree::Worktree,
};

/// So often git is asked; whatever is still together then counts as one.
const CALLS: usize = 2000;
/// So many files are told.
const TOLD: usize = 10;

impl PrivateIndex {
    /// Takes in each file that git takes; gives the others. Fails if it is not the content that keeps git from it.
    pub(super) fn take_fitting(&self, present: &[RelPath]) -> Result<Vec<Unfit>, GitError> {
        let (mut unfit, mut calls, mut left) = (Vec::new(), 0, vec![present]);
        while let Some(paths) = left.pop() {
            calls += 1;
            let reply = self.update(join_nul(paths), paths.len())?;
            if reply.code == 0 {
                continue;
            }
            if paths.len() > 1 && calls < CALLS {
                let (first, second) = paths.split_at(paths.len() / 2);
                left.extend([second, first]);
                continue;
            }
            for path in paths {
                self.check_disk(path, &reply)?;
                unfit.push(Unfit { path: path.clone(), why: why(&reply) });
            }
        }
        Ok(unfit)
    }

    /// A file that can be stored as it is shows that neither the disk nor the repository is at fault.
    fn check_disk(&self, path: &RelPath, reply: &Reply) -> Result<(), GitError> {
        let file = on_disk(self.root(), path);
        let is_file = fs::symlink_metadata(&file).is_ok_and(|about| about.is_file());
        let call = self.git().call(&["hash-object", "-w", "--no-filters", "--"]).arg(&file);
        if is_file && call.run()?.code == 0 { Ok(()) } else { Err(reply.error("update-index")) }
    }
}

impl Worktree {
    /// What git refused leaves the worktree as it is, and is named; what the index knows of it comes back.
    pub(super) fn leave_unfit(&mut self, unfit: &[Unfit], whose: Whose) -> Result<(), GitError> {
        if unfit.is_empty() {
            return Ok(());
        }
        let screen = self.repo.secrets();
        let told = |one: &Unfit| (screen.shown(&one.path), screen.shown(one.why.as_bytes()));
        if whose == Whose::Agents {
            let found = unfit.iter().take(TOLD).map(told);
            let found = found.map(|(path, why)| Violation::Unfit { path, why });
            let mut known = violations::recall(&self.truth);
            violations::remember(&self.truth, &mut known, found)?;
        }
        let mut notes = Vec::new();
        for one in unfit {
            let kept = self.aside.take(&on_disk(self.repo.root(), &one.path))?;
            let (path, why) = told(one);
            let kept = kept.display();
            notes.push(format!(
                "git does not take {path} ({why}): it is in no commit and is now {kept}"
            ));
        }
        let more = notes.len().saturating_sub(TOLD);
        notes.truncate(TOLD);
        notes.extend(
            (more > 0)
                .then(|| format!("git does not take {more} more files; they lie beside these")),
        );
        let known = self.tracked()?;
        let old = unfit.iter().map(|one| one.path.clone()).filter(|path| known.holds(path));
        let old: Vec<RelPath> = old.collect();
        if !old.is_empty() {
            self.put_back(&old)?;
        }
        let place = if whose == Whose::Agents { &mut self.refused } else { &mut self.unsaid };
        place.append(&mut notes);
        Ok(())
    }
}

/// What git said, without the words that only say that it said something.
pub(super) fn why(reply: &Reply) -> String {
    let lines = reply.stderr.lines().map(|line| {
        let line = line.trim_start_matches("error: ").trim_start_matches("fatal: ");
        line.trim_start_matches("warning: ").trim()
    });
    let telling = lines.filter(|line| !line.is_empty());
    let first = telling.into_iter().find(|line| !line.starts_with("Unable to process path"));
    first.unwrap_or("its content cannot be converted").to_owned()
}
