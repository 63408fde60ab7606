//! What people did in the worktree between calls, or after a run's process died. Where agents write over the worktree and not into it,
//! whatever differs from what ralph left there is somebody's own: it comes back when the run is over.
//!
//! Must fall back to keeping everything under a ref where ralph itself was in the middle of writing.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    path::PathBuf,
};

use ralph_core::ids::{CommitId, TreeId};

use super::{
    error::GitError,
    files::{RelPath, is_within, named, on_disk, paths, remove_if_there, shown},
    quarantine::Keep,
    refs::is_ancestor,
    replace::{Displaced, Theirs, discard},
    scan::{Changes, Status},
    survey::{self, DotGit},
    violations::Whose,
    worktree::Worktree,
    yours::is_newer,
};

/// So many files are named.
const SAMPLE: usize = 5;

impl Worktree {
    /// From now on agents write over the worktree, or into it; a later process must know.
    pub(crate) fn begin_work(&mut self, is_layered: bool) -> Result<(), GitError> {
        self.went_on = None;
        if let Some(tip) = self.their_tip.take() {
            self.keep_commits(&tip, true)?;
        }
        self.be_layered(is_layered)
    }

    /// Whether agents will write over the worktree: whatever changes in it then is the user's.
    pub(crate) fn be_layered(&mut self, is_layered: bool) -> Result<(), GitError> {
        if self.record.is_layered == is_layered {
            return Ok(());
        }
        self.record.is_layered = is_layered;
        self.record.save(&self.truth)
    }

    /// Ralph itself begins to change the files: until they are settled, the private index does not tell what it left.
    pub(crate) fn unsettle(&self) -> Result<(), GitError> {
        let file = self.unsettled();
        fs::write(&file, "").map_err(GitError::io(format!("cannot write {}", file.display())))
    }

    /// The private index describes the files again.
    pub(crate) fn settled(&self) -> Result<(), GitError> {
        remove_if_there(&self.unsettled())?;
        remove_if_there(&self.arriving())
    }

    /// Takes down which paths of an agent's layer are brought over, each before it is: a later process tells them
    /// from what people wrote. Where the files were unsettled before, only what was taken down then is known.
    pub(crate) fn take_down_arrivals(&self, was_settled: bool) -> Result<Option<File>, GitError> {
        let path = self.arriving();
        if !was_settled && !path.exists() {
            return Ok(None);
        }
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(!was_settled).truncate(was_settled);
        let fail = GitError::io(format!("cannot write {}", path.display()));
        options.open(&path).map(Some).map_err(fail)
    }

    /// What differs from the private index because ralph itself changed it; `None` where that is not known.
    fn arrived(&self) -> Option<BTreeSet<RelPath>> {
        if self.is_settled() {
            return Some(BTreeSet::new());
        }
        let text = fs::read(self.arriving()).ok()?;
        Some(paths(&text))
    }

    /// What arrived and was written to since then holds both hands.
    fn note_overwritten(&self, arrived: &BTreeSet<RelPath>) -> Vec<String> {
        let taken_down = fs::metadata(self.arriving()).and_then(|there| there.modified());
        let Ok(since) = taken_down else { return Vec::new() };
        let is_both = |path: &&RelPath| is_newer(&on_disk(self.repo.root(), path), since);
        let both = arrived.iter().filter(is_both);
        let words = |path: &RelPath| {
            format!("what you changed in {} may be part of the agent's work", shown(path))
        };
        both.map(words).collect()
    }

    fn arriving(&self) -> PathBuf {
        self.truth.join("arriving")
    }

    /// Makes the files of one tree those of another; a kill in between is known.
    pub(crate) fn turn(&mut self, from: &TreeId, to: &TreeId) -> Result<(), GitError> {
        self.unsettle()?;
        let theirs = self.index.turn(from, to, &self.aside)?;
        let kept = self.keep_theirs(theirs, from)?;
        self.unsaid.extend(kept.map(|(note, _)| note));
        self.settled()
    }

    /// Of what had to make way for files, keeps what people wrote; the rest is as `base` has it, for which the private
    /// index stands.
    #[cfg(target_os = "linux")]
    pub(crate) fn keep_displaced(
        &mut self,
        displaced: Displaced,
        base: &TreeId,
    ) -> Result<Option<(String, Theirs)>, GitError> {
        if displaced.is_empty() {
            return Ok(None);
        }
        self.index.load(base)?;
        let old = self.index.check_out(displaced.iter().map(|(path, _)| path))?;
        let theirs = self.index.theirs(displaced, old.path())?;
        self.keep_theirs(theirs, base)
    }

    /// Keeps files of people that had to make way until the run is over. Says so.
    fn keep_theirs(
        &mut self,
        mut theirs: Displaced,
        base: &TreeId,
    ) -> Result<Option<(String, Theirs)>, GitError> {
        let screen = self.repo.secrets();
        // What holds a secret becomes no object: it stays where it was moved, which is named at the end.
        theirs.retain(|(path, place)| {
            let Ok(about) = fs::symlink_metadata(place) else { return false };
            let is_clean = |text: Vec<u8>| screen.look(path, &text, b"").secrets.is_empty();
            about.is_symlink() || about.is_file() && fs::read(place).is_ok_and(is_clean)
        });
        if theirs.is_empty() {
            return Ok(None);
        }
        let tree = self.with_theirs(base, &theirs)?;
        let names: Vec<RelPath> = theirs.iter().map(|(path, _)| path.clone()).collect();
        let note = self.keep_as_yours(&tree, base, &names)?;
        for (_, place) in theirs {
            discard(&place).map_err(GitError::io(format!("cannot remove {}", place.display())))?;
        }
        Ok(Some((note, (names, tree))))
    }

    /// Keeps a tree with changes of people's until the run is over. Says so.
    fn keep_as_yours(
        &mut self,
        tree: &TreeId,
        base: &TreeId,
        names: &[RelPath],
    ) -> Result<String, GitError> {
        let names = named(names, SAMPLE);
        let head = self.repo.head()?;
        let before = self.write_commit(base, &[&head], "as ralph left it")?;
        let number = self.record.yours.len() + 1;
        let reference = self.keep(&Keep {
            tree,
            parents: &[&before],
            reference: self.own_ref(&format!("yours/{number}")),
            message: "what you changed beside the run, kept by ralph",
        })?;
        self.record.yours.push(reference.clone());
        self.record.save(&self.truth)?;
        Ok(format!("your changes come back at the end of the run: {names} ({reference})"))
    }

    pub(crate) fn is_settled(&self) -> bool {
        !self.unsettled().exists()
    }

    fn unsettled(&self) -> PathBuf {
        self.truth.join("unsettled")
    }

    /// Repositories that somebody made meanwhile are theirs: what agents make never arrives.
    pub(crate) fn adopt_repositories(&mut self) -> Result<Vec<String>, GitError> {
        if !self.record.is_layered {
            return Ok(Vec::new());
        }
        let known = &self.record.dot_gits;
        let is_new =
            |one: &DotGit| !one.is_bare() && !one.folder().is_empty() && !known.contains(one);
        let new: Vec<DotGit> =
            survey::survey(self.repo.root())?.into_iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let name = |one: &DotGit| {
            format!("the repository in {} is yours and is left alone", shown(one.folder()))
        };
        let notes = new.iter().map(name).collect();
        self.record.dot_gits.extend(new);
        self.record.dot_gits.sort();
        self.record.save(&self.truth)?;
        Ok(notes)
    }

    /// Sets what people changed apart until the run is over, and leaves their new files alone. Says so later. True if
    /// the files are what the private index says then, but for what people write from now on.
    pub(crate) fn keep_since(&mut self) -> Result<bool, GitError> {
        if !self.record.is_layered || !self.index.file().exists() {
            return Ok(false);
        }
        // Whoever went on with another branch has its files here: they are no changes of the run's.
        let is_here = self.repo.branch().is_ok_and(|branch| branch == self.record.branch);
        let Some(arrived) = self.arrived().filter(|_| is_here) else {
            return Ok(false);
        };
        let now = self.disk_time()?;
        let look = Status::read(&self.repo.git, Some(self.index.file()), &self.record.submodules);
        let (Ok(mut status), Ok(base)) = (look, self.index.tree_now()) else {
            return Ok(false);
        };
        self.looked_at = Some(now);
        let mut notes = self.note_overwritten(&arrived);
        for paths in [&mut status.unknown, &mut status.modified, &mut status.gone] {
            paths.retain(|path| !arrived.contains(path));
        }
        self.record.dot_gits = survey::survey(self.repo.root())?;
        let is_new = |path: &RelPath| !self.untracked.holds(path);
        let new = status.unknown.iter().filter(|it| is_new(it)).cloned();
        let new: Vec<RelPath> = new.collect();
        let theirs = Changes { gone: status.gone, present: status.modified };
        notes.extend(self.set_apart(theirs, new, &base)?);
        self.unsaid.append(&mut notes);
        Ok(self.is_settled())
    }

    /// Sets people's changes apart until the run is over, and leaves their new files alone. Says so.
    pub(crate) fn set_apart(
        &mut self,
        mut theirs: Changes,
        new: Vec<RelPath>,
        base: &TreeId,
    ) -> Result<Vec<String>, GitError> {
        let mut notes = Vec::new();
        // What stands in the way of a file that comes back cannot be left where it is.
        let is_in_the_way = |path: &RelPath| {
            theirs.gone.iter().any(|gone| is_within(path, gone) || is_within(gone, path))
        };
        let (in_the_way, new): (Vec<RelPath>, Vec<RelPath>) =
            new.into_iter().partition(is_in_the_way);
        if !new.is_empty() {
            let names = named(&new, SAMPLE);
            notes.push(format!("{names}: new files of yours are left alone"));
            self.untracked.add(new.into_iter().collect())?;
        }
        theirs.present.extend(in_the_way);
        let screened = self.screen(&theirs)?;
        self.withhold(&screened.withheld, Whose::Nobodys, &mut theirs)?;
        if !theirs.is_empty() {
            notes.push(self.keep_apart(&theirs, base)?);
        }
        Ok(notes)
    }

    fn keep_apart(&mut self, changes: &Changes, base: &TreeId) -> Result<String, GitError> {
        let names: Vec<RelPath> = changes.paths().into_iter().collect();
        let was_settled = self.is_settled();
        // Until the files are as they were, nobody can tell what is whose.
        let arrived = fs::read(self.arriving()).unwrap_or_default();
        remove_if_there(&self.arriving())?;
        self.unsettle()?;
        let found = self.index.apply(changes, &self.aside)?;
        let note = self.keep_as_yours(&found, base, &names)?;
        self.turn(&found, base)?;
        if !was_settled {
            self.unsettle()?;
            let fail = GitError::io("cannot take down what was brought over");
            fs::write(self.arriving(), arrived).map_err(fail)?;
        }
        self.users_index = None;
        Ok(note)
    }

    /// The checkout is another branch's, with nothing uncommitted: what is new there is the user's.
    pub(crate) fn begin_from(&mut self, branch: String) -> Result<(), GitError> {
        self.index.start_from(&self.repo.git_dir().join("index"))?;
        let tree = self.repo.tree_at("HEAD")?;
        self.index.load(&tree)?;
        let status =
            Status::read(&self.repo.git, Some(self.index.file()), &self.record.submodules)?;
        self.record.dot_gits = survey::survey(self.repo.root())?;
        self.untracked.add(status.unknown.into_iter().collect())?;
        self.went_on = Some(branch);
        self.settled()
    }

    /// Takes down what the user committed on top of the run's own.
    pub(crate) fn see_their_tip(&mut self, head: &CommitId) -> Result<(), GitError> {
        let tip = self.repo.commit_at(&self.full_branch())?.filter(|_| self.record.is_layered);
        if let Some(tip) = tip.filter(|tip| tip != head)
            && is_ancestor(&self.repo.git, head.as_str(), tip.as_str())?
        {
            self.their_tip = Some(tip);
        }
        Ok(())
    }

    /// The run goes on where it was: the user's commits give way. What they changed comes back at its end, unless
    /// nothing tells them from an agent's.
    pub(crate) fn keep_commits(
        &mut self,
        tip: &CommitId,
        comes_back: bool,
    ) -> Result<(), GitError> {
        let reference = self.own_ref("your-commits");
        self.repo.git.set_ref("your own commits", &reference, tip.as_str()).ok()?;
        let branch = &self.record.branch;
        self.unsaid.push(if comes_back {
            format!(
                "your own commits on {branch} are kept as {reference}; what they changed comes back uncommitted"
            )
        } else {
            format!(
                "commits that are not ralph's were taken off {branch} and are kept as {reference}; if they are \
                 yours, git cherry-pick puts them back once the run is over"
            )
        });
        Ok(())
    }

    /// Where the branch is to end: with the user's own commits, if the run was only taken up to end.
    pub(crate) fn end_of_branch(&mut self, head: &CommitId) -> Result<CommitId, GitError> {
        let tip = self.their_tip.take();
        // A commit that was accepted since is not among theirs, and must stay.
        let Some(tip) = tip else { return Ok(head.clone()) };
        if !is_ancestor(&self.repo.git, head.as_str(), tip.as_str())? {
            return Ok(head.clone());
        }
        self.repo.git.set_ref("your own commits", &self.full_branch(), tip.as_str()).ok()?;
        Ok(tip)
    }

    /// Back onto the branch that somebody had gone on with, as it is by now. Gives its tree.
    pub(crate) fn go_back(&mut self, from: &TreeId) -> Result<Option<TreeId>, GitError> {
        let Some(branch) = self.went_on.take().filter(|_| !self.record.is_linked) else {
            return Ok(None);
        };
        let name = format!("refs/heads/{branch}");
        let Some(tip) = self.repo.commit_at(&name)? else {
            return Ok(None);
        };
        let tree = self.tree_of(&tip)?;
        self.turn(from, &tree)?;
        let args = ["symbolic-ref", "-m", "ralph: the run is over", "HEAD", &name];
        self.repo.git.call(&args).ok()?;
        Ok(Some(tree))
    }
}
