//! The worktree of a run, and the one operation behind restart, repair, resume and rollback: making it equal to a tree.
//!
//! Must never remove what is not first under a ref, nor touch ignored files, `.ralph/` or the user's untracked files.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use ralph_core::{
    effect::Checkpoint,
    ids::{CommitId, RunId, TreeId},
    input::CheckpointTaken,
};

use super::{
    error::GitError,
    files::{RelPath, on_disk, shown},
    index::{PrivateIndex, Stamp, stamp},
    nested::{self, Swept},
    obstructions::Aside,
    record::Record,
    refs::{Move, Refs, tame},
    replace::Theirs,
    repository::Repository,
    scan::{Changes, Status},
    tracked::Tracked,
    untracked::{Untracked, changes_rules, formerly_ignored},
    violations::{self, Whose},
};
use crate::safe_files;

/// Restoring an ignore file can bring up files that it hid, and these another; this deep nobody goes.
const ROUNDS: usize = 5;

/// Where a run works.
#[derive(Debug)]
pub struct Worktree {
    pub(crate) repo: Repository,
    pub(crate) run: RunId,
    pub(crate) truth: PathBuf,
    pub(crate) record: Record,
    pub(crate) index: PrivateIndex,
    pub(crate) untracked: Untracked,
    pub(crate) aside: Aside,
    /// Refs at the checkpoint; `None` until there is one in this process.
    pub(crate) refs: Option<Refs>,
    /// The worktree is known to hold this tree, and nobody wrote there since.
    pub(crate) proved: Option<TreeId>,
    /// The tree that was captured last; gates come next and need not look again.
    pub(crate) captured: Option<TreeId>,
    /// The tree that the ref for captured trees holds.
    pub(crate) held: Option<TreeId>,
    /// Trees that are under a ref already.
    pub(crate) kept: BTreeMap<TreeId, String>,
    /// Trees of known commits.
    pub(crate) trees: BTreeMap<CommitId, TreeId>,
    /// What was brought over from the last agent's layer; `None` where agents write into the worktree itself.
    pub(crate) brought: Option<BTreeSet<RelPath>>,
    /// Where that is as the agent left it.
    pub(crate) copies: PathBuf,
    /// When the worktree was last known to hold what the index says, by the disk's own clock.
    pub(crate) looked_at: Option<SystemTime>,
    /// The branch that somebody had gone on with when the run was taken up.
    pub(crate) went_on: Option<String>,
    /// The end of the run's branch then, with commits of the user's own.
    pub(crate) their_tip: Option<CommitId>,
    /// All that agents have written or removed: git may take it for what was there before.
    pub(crate) touched: BTreeSet<RelPath>,
    /// What a person should know and nobody could say yet.
    pub(crate) unsaid: Vec<String>,
    /// What ralph put in the place of the user's own index, to tell whether it is still there.
    pub(crate) users_index: Option<(TreeId, Stamp)>,
    /// The same, whatever became of the files since.
    pub(crate) left_index: Option<Stamp>,
    /// Files that the user and the agent both changed, and the tree with the user's version.
    pub(crate) both: Option<Theirs>,
    /// The tree that judges see as git gives it.
    pub(crate) laid_out: Option<TreeId>,
    /// What git refused, in words; told with the next tree.
    pub(crate) refused: Vec<String>,
    /// The folder of hooks that the user's settings name, and the stamp of the settings that were asked.
    pub(crate) hooks: Option<(Option<Stamp>, Option<String>)>,
    /// The files of the run's tree, and the index that said so.
    pub(crate) tracked: RefCell<Option<(Option<Stamp>, Arc<Tracked>)>>,
}

impl Worktree {
    pub(crate) fn new(
        repo: Repository,
        run: &RunId,
        truth: &Path,
        record: Record,
    ) -> Result<Self, GitError> {
        let aside = record.aside_folder(truth);
        Ok(Self {
            index: PrivateIndex::new(&repo.git, repo.root(), truth.join("stage/index"))?,
            untracked: Untracked::load(truth)?,
            aside: Aside::new(aside),
            run: run.clone(),
            truth: truth.to_owned(),
            repo,
            record,
            refs: None,
            proved: None,
            captured: None,
            held: None,
            kept: BTreeMap::new(),
            trees: BTreeMap::new(),
            brought: None,
            copies: PathBuf::new(),
            looked_at: None,
            went_on: None,
            their_tip: None,
            touched: BTreeSet::new(),
            unsaid: Vec::new(),
            users_index: None,
            left_index: None,
            both: None,
            hooks: None,
            laid_out: None,
            refused: Vec::new(),
            tracked: RefCell::default(),
        })
    }

    /// An empty index that is gone when it is dropped.
    pub(crate) fn scratch_index(&self, name: &str) -> Result<PrivateIndex, GitError> {
        let file = self.truth.join("stage").join(name);
        PrivateIndex::scratch(&self.repo.git, self.repo.root(), file)
    }

    /// The folder agents work in.
    pub fn root(&self) -> &Path {
        self.repo.root()
    }

    /// Every `.git` entry that was there when the run began.
    pub(crate) fn dot_gits(&self) -> Vec<PathBuf> {
        let entries = self.record.dot_gits.iter().filter(|entry| !entry.is_bare());
        entries.map(|entry| on_disk(self.repo.root(), &entry.path)).collect()
    }

    /// Every path that the private index holds, apart from submodules.
    pub(crate) fn tree_paths(&self) -> Result<BTreeSet<RelPath>, GitError> {
        let mut all = self.tracked()?.paths().clone();
        all.retain(|path| !self.record.submodules.contains(path));
        Ok(all)
    }

    /// The repository, seen from this worktree.
    pub fn repository(&self) -> &Repository {
        &self.repo
    }

    /// Makes the worktree equal to the wanted tree, keeping aside what else is there, and records it.
    pub fn checkpoint(&mut self, request: &Checkpoint) -> Result<CheckpointTaken, GitError> {
        let heads_tree = self.tree_of(&request.head)?;
        let wanted = request.start.clone().unwrap_or_else(|| heads_tree.clone());
        let is_proved = self.proved.take().is_some_and(|tree| tree == wanted)
            && self.index.tree() == Some(&wanted);
        let (mut is_seen, mut notes) = (false, Vec::new());
        if !is_proved {
            is_seen = self.keep_since()?;
            notes.append(&mut self.unsaid);
            notes.extend(self.sweep()?.notes);
        }
        self.brought = None;
        notes.append(&mut self.unsaid);
        notes.extend(self.hold_refs(&request.head)?);
        let kept = if is_proved {
            None
        } else {
            self.settle(is_seen, &wanted, &request.head, &request.keep_as)?
        };
        self.proved = None;
        if wanted == heads_tree && !self.is_lined_up(&wanted) {
            self.line_up_users_index(&wanted)?;
        }
        self.untracked.watch(self.repo.root());
        violations::forget(&self.truth)?;
        self.mark_time()?;
        notes.append(&mut self.unsaid);
        Ok(CheckpointTaken { head: request.head.clone(), tree: wanted, kept, notes })
    }

    /// Sees to it that gates judge exactly this tree. A run that was taken up again may find anything here:
    /// what gates left half done, what somebody wrote meanwhile, or the run branch's own files.
    pub fn ensure(&mut self, tree: &TreeId) -> Result<(), GitError> {
        let is_captured = self.captured.take().as_ref() == Some(tree);
        if is_captured || self.proved.as_ref() == Some(tree) {
            return Ok(());
        }
        let is_seen = self.keep_since()?;
        let swept = self.sweep()?;
        self.unsaid.extend(swept.notes);
        let (git, run) = (&self.repo.git, tame(self.run.as_str()));
        let mut refs = Refs::read(git, self.repo.root(), &run)?;
        let branch = self.full_branch();
        if refs.get(&branch).is_none() {
            let (name, back_to) = (branch.clone(), self.record.head.to_string());
            self.unsaid.extend(refs.put_back(git, &run, &[Move { name, now: None, back_to }])?);
        }
        refs.put_head_back(git, &run, &branch)?;
        let head = self.repo.head()?;
        let short = tree.as_str().get(..12).unwrap_or_default();
        if let Some(reference) = self.settle(is_seen, tree, &head, &format!("found/{short}"))? {
            self.unsaid.push(format!("what somebody wrote meanwhile is kept as {reference}"));
        }
        Ok(())
    }

    /// Sees to it that the worktree holds exactly this commit, and gives its tree.
    pub(crate) fn ensure_commit(&mut self, commit: &CommitId) -> Result<TreeId, GitError> {
        let tree = self.tree_of(commit)?;
        self.ensure(&tree)?;
        Ok(tree)
    }

    /// Writes an index that describes a tree, which the worktree holds: what is new in it is found by whoever asks git.
    pub(crate) fn describe(&mut self, tree: &TreeId, file: &Path) -> Result<(), GitError> {
        self.index.load(tree)?;
        self.index.copy_to(file)?;
        let paths = self.index.ralphs()?;
        self.repo.overlook(&paths, file)
    }

    /// Puts back the files that differ from the captured tree after the gates ran, and lists them.
    pub fn undo_meddling(&mut self, tree: &TreeId) -> Result<Vec<String>, GitError> {
        self.proved = None;
        let swept = self.sweep()?;
        self.index.load(tree)?;
        let changes = self.look()?;
        self.unsaid.extend(swept.notes);
        let mut names: Vec<String> = swept.moved;
        names.extend(changes.paths().iter().map(|path| shown(path)));
        if changes.is_empty() {
            self.proved = Some(tree.clone());
        } else {
            let head = self.repo.head()?;
            let short = tree.as_str().get(..12).unwrap_or_default();
            let kept = self.settle_from(changes, tree, &head, &format!("gates/{short}"))?;
            let note = |kept| format!("what was changed while gates ran is kept as {kept}");
            self.unsaid.extend(kept.map(note));
        }
        Ok(names)
    }

    /// Someone else may have written into the worktree: what is known of it must be looked at again.
    pub fn disturbed(&mut self) {
        self.proved = None;
        self.captured = None;
    }

    /// Invariant: afterwards the worktree holds `wanted`, and whatever else lay there is under a ref. Where it is seen
    /// that only people write there, what they write from now on is theirs, and nobody waits until they stop.
    pub(crate) fn settle(
        &mut self,
        is_seen: bool,
        wanted: &TreeId,
        head: &CommitId,
        keep_as: &str,
    ) -> Result<Option<String>, GitError> {
        if is_seen {
            let found = self.known_tree()?;
            return self.change(&found, wanted, head, keep_as);
        }
        if self.index.tree().is_none() {
            self.index.load(wanted)?;
        }
        let changes = self.look()?;
        self.settle_from(changes, wanted, head, keep_as)
    }

    fn settle_from(
        &mut self,
        mut changes: Changes,
        wanted: &TreeId,
        head: &CommitId,
        keep_as: &str,
    ) -> Result<Option<String>, GitError> {
        let mut kept = None;
        for _ in 0..ROUNDS {
            let screened = self.screen(&changes)?;
            self.withhold(&screened.withheld, Whose::Nobodys, &mut changes)?;
            self.note_unscanned(&changes, screened.unscanned)?;
            let found = self.take_in(&changes, Whose::Nobodys)?;
            let reference = self.change(&found, wanted, head, keep_as)?;
            kept = kept.or(reference);
            if found == *wanted {
                return Ok(kept);
            }
            self.proved = None;
            if self.keep_since()? {
                self.settle(true, wanted, head, keep_as)?;
                return Ok(kept);
            }
            changes = self.look()?;
        }
        Err(GitError::Restless { root: self.repo.root().to_owned() })
    }

    /// Changes the files from one tree to another; the old one is kept under a ref unless it is the branch's.
    fn change(
        &mut self,
        found: &TreeId,
        wanted: &TreeId,
        head: &CommitId,
        keep_as: &str,
    ) -> Result<Option<String>, GitError> {
        let mut kept = None;
        if found != wanted {
            if *found != self.tree_of(head)? {
                kept = Some(self.set_aside(found, head, keep_as)?);
            }
            self.turn(found, wanted)?;
            // Files were written anew: the user's index no longer knows what they look like.
            self.users_index = None;
        }
        self.proved = Some(wanted.clone());
        Ok(kept)
    }

    /// What differs from the private index, apart from what is the user's.
    pub(crate) fn look(&mut self) -> Result<Changes, GitError> {
        self.looked_at = Some(self.disk_time()?);
        let status =
            Status::read(&self.repo.git, Some(self.index.file()), &self.record.submodules)?;
        let is_agents = |path: &Vec<u8>| !path.ends_with(b"/") && !self.untracked.holds(path);
        let gone: Vec<_> = status.gone.into_iter().filter(|path| is_agents(path)).collect();
        let modified = status.modified.into_iter().filter(|path| is_agents(path));
        let mut present: Vec<_> = modified.collect();
        let was_ignored = |path: &Vec<u8>| self.untracked.was_ignored(self.repo.root(), path);
        let unknown = status.unknown.into_iter().filter(|path| is_agents(path));
        let (old, mut new): (Vec<_>, Vec<_>) = unknown.partition(was_ignored);
        self.untracked.add(old.into_iter().collect())?;
        let rules_changed = changes_rules(gone.iter().chain(&present).chain(&new));
        if let (true, false, Some(tree)) = (rules_changed, new.is_empty(), self.index.tree()) {
            let root = self.repo.root();
            let since = self.last_time();
            let old = formerly_ignored(&self.repo.git, root, tree, &new, since)?;
            new.retain(|path| !old.contains(path));
            self.untracked.add(old)?;
        }
        present.append(&mut new);
        // A tracked file that became a folder is gone; git reports the folder's files on their own.
        let root = self.repo.root();
        let is_folder = |path: &Vec<u8>| {
            fs::symlink_metadata(on_disk(root, path)).is_ok_and(|entry| entry.is_dir())
        };
        let (folders, present) = present.into_iter().partition(is_folder);
        Ok(Changes { gone: [gone, folders].concat(), present })
    }

    /// Must come before git looks at the tree: no repository may lie there that was not there at open.
    pub(crate) fn sweep(&self) -> Result<Swept, GitError> {
        let record = &self.record;
        let root = self.repo.root();
        nested::sweep(&self.repo.git, root, &record.dot_gits, &record.submodules, &self.aside)
    }

    /// Puts HEAD on the run branch and the run branch at `head`, and takes down all refs.
    pub(crate) fn hold_refs(&mut self, head: &CommitId) -> Result<Vec<String>, GitError> {
        let (git, run) = (&self.repo.git, tame(self.run.as_str()));
        let branch = self.full_branch();
        let mut refs = Refs::read(git, self.repo.root(), &run)?;
        let mut notes = refs.put_head_back(git, &run, &branch)?;
        let now = refs.get(&branch).map(str::to_owned);
        if now.as_deref() != Some(head.as_str()) {
            let back = Move { name: branch, now, back_to: head.to_string() };
            notes.extend(refs.put_back(git, &run, &[back])?);
        }
        self.refs = Some(refs);
        Ok(notes)
    }

    /// Brings the user's own index in line with the run branch, if the private one stands for its tree.
    pub(crate) fn line_up_users_index(&mut self, tree: &TreeId) -> Result<(), GitError> {
        self.users_index = None;
        if self.index.tree() != Some(tree) {
            return Ok(());
        }
        let file = self.repo.git_dir().join("index");
        // Where agents cannot write it, what differs there is the user's; elsewhere it may be.
        let is_mine = self.left_index.is_none() || stamp(&file) == self.left_index;
        if !is_mine {
            let kept = self.keep_staged(Some(tree))?;
            self.unsaid.extend(kept);
        }
        let given_up = self.give_up_what_is_in_progress()?;
        self.unsaid.extend(given_up);
        let stamp = self.index.install(&file)?;
        self.left_index = stamp;
        self.users_index = stamp.map(|stamp| (tree.clone(), stamp));
        Ok(())
    }

    fn is_lined_up(&self, tree: &TreeId) -> bool {
        let now = stamp(&self.repo.git_dir().join("index"));
        let known = self.users_index.as_ref();
        known.is_some_and(|(there, stamp)| there == tree && now == Some(*stamp))
    }

    pub(crate) fn full_branch(&self) -> String {
        format!("refs/heads/{}", self.record.branch)
    }

    pub(crate) fn tree_of(&mut self, commit: &CommitId) -> Result<TreeId, GitError> {
        if let Some(tree) = self.trees.get(commit) {
            return Ok(tree.clone());
        }
        let tree = self.repo.tree_at(commit.as_str())?;
        self.trees.insert(commit.clone(), tree.clone());
        Ok(tree)
    }

    /// The disk's own clock says when the checkpoint was: files born later appeared since. The refs of that moment
    /// are in it, for a process that has to go on from there.
    fn mark_time(&self) -> Result<(), GitError> {
        let file = self.truth.join("checkpoint");
        let refs = serde_json::to_vec(&self.refs).unwrap_or_default();
        let write = || safe_files::begin(&self.truth, &file)?.write_all(&refs);
        write().map_err(GitError::io(format!("cannot write {}", file.display())))
    }

    /// The refs as they were at the checkpoint of an earlier process.
    pub(crate) fn recall_refs(&mut self) {
        let bytes = fs::read(self.truth.join("checkpoint")).unwrap_or_default();
        self.refs = serde_json::from_slice(&bytes).unwrap_or_default();
    }

    pub(crate) fn disk_time(&self) -> Result<SystemTime, GitError> {
        let file = self.truth.join("stage/clock");
        let tick = || fs::write(&file, "").and_then(|()| fs::metadata(&file)?.modified());
        tick().map_err(GitError::io(format!("cannot write {}", file.display())))
    }

    fn last_time(&self) -> Option<SystemTime> {
        fs::metadata(self.truth.join("checkpoint")).ok()?.modified().ok()
    }
}
