//! What an agent left: foreign repositories, moved refs, and the exact tree of its files.

use std::collections::BTreeSet;

use ralph_core::{
    effect::CaptureTree,
    ids::{CommitId, TreeId},
    input::Captured,
    vocabulary::Violation,
};

use super::{
    diff::diff,
    error::GitError,
    files::{RelPath, is_ralphs, sample, shown},
    own_commits::Search,
    refs::{Move, Refs, WRITES, is_ancestor, tame},
    scan::Changes,
    secrets,
    violations::{self, Whose},
    worktree::Worktree,
};

/// So many paths are named.
const SAMPLE: usize = 20;

/// The ref that holds the tree of the last capture until a commit or another ref does.
const CAPTURED: &str = "captured";

/// Said where an agent's call was followed by a crash.
const TAKEN_FOR: &str = "changes in the worktree since the interrupted call began count as the agent's: without \
                         a sandbox they cannot be told apart";

impl Worktree {
    /// Writes down exactly what lies in the worktree. No process of the agent may be alive.
    pub fn capture(&mut self, request: &CaptureTree) -> Result<Captured, GitError> {
        self.proved = None;
        let adopted = self.adopt_repositories()?;
        let swept = self.sweep()?;
        let mut captured = Captured {
            tree: None,
            head: request.head.clone(),
            changed: 0,
            sample: Vec::new(),
            touched: Vec::new(),
            touched_left_out: 0,
            violations: Vec::new(),
            notes: [adopted, swept.notes].concat(),
            plan_edit: None,
        };
        let nested = swept.moved.iter().map(|path| self.harmless(path).into_owned());
        let nested = nested.map(|path| Violation::NestedRepository { path });
        violations::remember(&self.truth, nested)?;
        self.judge_refs(request, &mut captured)?;
        if self.index.tree().is_none() {
            self.index.load(&request.start)?;
        }
        let begins_at_start = self.index.tree() == Some(&request.start);
        let known = self.untracked.len();
        let since = self.looked_at;
        if since.is_none() && !self.record.is_layered {
            captured.notes.push(TAKEN_FOR.into());
        }
        let mut changes = self.look()?;
        let uncovered = self.untracked.len() - known;
        let mut brought = self.brought.take();
        if let (Some(brought), Some(since)) = (&brought, since) {
            captured.notes.extend(self.leave_yours(brought, since, &mut changes)?);
        }
        captured.notes.append(&mut self.unsaid);
        let screened = self.screen(&changes)?;
        violations::remember(&self.truth, secrets::violations(&screened.withheld))?;
        self.withhold(&screened.withheld, Whose::Agents, &mut changes)?;
        let unscanned = self.note_unscanned(&changes, screened.unscanned)?;
        let mut taken = self.take_and_hold(&changes)?;
        if let Some(brought) = brought.as_mut().filter(|_| self.refused.is_empty()) {
            brought.retain(|path| screened.withheld.iter().all(|one| one.path != *path));
            taken = self.take_again(brought, taken)?;
        }
        let tree = self.unmix(taken.clone(), &request.start, &mut captured.notes)?;
        captured.violations = violations::recall(&self.truth);
        let is_all_taken = self.refused.is_empty();
        captured.notes.append(&mut self.refused);
        let paths = if begins_at_start && is_all_taken && tree == taken {
            changes.paths()
        } else {
            self.paths_between(&request.start, &tree)?
        };
        captured.changed = paths.len() as u64;
        captured.sample = sample(&paths, SAMPLE);
        self.list_touched(request, &tree, &unscanned, &mut captured)?;
        if tree != taken {
            self.hold_captured(&tree)?;
        }
        captured.tree = Some(tree);
        self.captured.clone_from(&captured.tree);
        self.note_users_files(uncovered, &mut captured.notes);
        for note in &mut captured.notes {
            *note = self.harmless(note).into_owned();
        }
        Ok(captured)
    }

    /// Takes the agent's files in and gives their tree a ref; again where `git gc --prune=now` came in between.
    fn take_and_hold(&mut self, changes: &Changes) -> Result<TreeId, GitError> {
        let (before, mut left) = (self.index.tree().cloned(), WRITES);
        loop {
            left -= 1;
            let taken = self.take_in(changes, Whose::Agents);
            let held = taken.and_then(|tree| self.hold_captured(&tree).map(|()| tree));
            match (held, &before) {
                (Err(GitError::Command { .. }), Some(before)) if left > 0 => {
                    self.index.load(before)?;
                }
                (held, _) => return held,
            }
        }
    }

    /// From now on no clean-up of the user's takes the tree's objects away.
    fn hold_captured(&mut self, tree: &TreeId) -> Result<(), GitError> {
        self.held = Some(tree.clone());
        self.repo.git.set_ref("capture", &self.captured_ref(), tree.as_str()).ok().map(drop)
    }

    /// Lets go of the captured tree: something else holds it now. What cannot be removed is replaced by the next capture.
    pub(super) fn release_captured(&mut self) -> Result<(), GitError> {
        self.held = None;
        let name = self.captured_ref();
        self.repo.git.call(&["update-ref", "--no-deref", "-d", &name]).run().map(drop)
    }

    pub(super) fn captured_ref(&self) -> String {
        self.own_ref(CAPTURED)
    }

    fn note_users_files(&self, uncovered: u64, notes: &mut Vec<String>) {
        let saved = self.record.untracked.as_deref();
        notes.extend(self.untracked.changes(self.repo.root(), saved));
        match uncovered {
            0 => {}
            1 => notes.push("1 file that was ignored before no longer is; it is left alone".into()),
            _ => notes.push(format!(
                "{uncovered} files that were ignored before no longer are; they are left alone"
            )),
        }
    }

    /// Compares HEAD, branches and tags with the checkpoint and puts back what was moved.
    fn judge_refs(
        &mut self,
        request: &CaptureTree,
        captured: &mut Captured,
    ) -> Result<(), GitError> {
        let run = tame(self.run.as_str());
        let branch = self.full_branch();
        let git = self.repo.git.clone();
        let mut now = Refs::read(&git, self.repo.root(), &run)?;
        let (mut moves, mut found, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_secret = false;
        // Whoever writes over the worktree can move no ref: what was moved is the user's, and stays.
        let is_layered = self.record.is_layered;
        if let Some(before) = &self.refs {
            moves = if is_layered { Vec::new() } else { now.moved_since(before, &branch) };
            let new = now.new_since(before);
            found.extend(self.judge_new_refs(&mut now, &new, captured)?);
        }
        if let Some(tip) = now.get(&branch).filter(|tip| *tip != request.head.as_str()) {
            let tip = CommitId::from(tip);
            match self.judge_commits(&request.head, &tip)? {
                _ if is_layered => {
                    theirs.push(back(&branch, Some(&tip), &request.head));
                }
                Own::History => {
                    captured.notes.push("the agent's own commits are kept".to_owned());
                    captured.head = tip;
                }
                Own::Secrets(secrets) => {
                    found.extend(secrets);
                    has_secret = true;
                    moves.push(back(&branch, Some(&tip), &request.head));
                }
                Own::Foreign => moves.push(back(&branch, Some(&tip), &request.head)),
                Own::Gitlinks(paths) => {
                    found
                        .extend(paths.into_iter().map(|path| Violation::NestedRepository { path }));
                    moves.push(back(&branch, Some(&tip), &request.head));
                }
            }
        } else if now.get(&branch).is_none() {
            moves.push(back(&branch, None, &request.head));
        }
        if now.current.as_ref() != Some(&branch) && now.get(&branch).is_some() && !is_layered {
            found.push(Violation::MovedRef { name: "HEAD".into() });
        }
        let names = moves.iter().filter(|_| !is_layered).map(|moved| moved.name.clone());
        found.extend(names.map(|name| Violation::MovedRef { name }));
        violations::remember(&self.truth, found)?;
        captured.notes.extend(now.put_head_back(&git, &run, &branch)?);
        captured.notes.extend(now.put_back(&git, &run, &moves)?);
        if has_secret {
            // The branch is put back last.
            let drop = now.how_to_drop(&run);
            captured.notes.push(format!("what is kept of it contains a secret; {drop}"));
        }
        if !theirs.is_empty() {
            captured.notes.extend(now.put_back(&git, &run, &theirs)?);
            let words = "those commits were made while the agent worked, so they are yours: what they changed is \
                         still in your files, to be committed again when the run is over";
            captured.notes.push(words.into());
        }
        self.refs = Some(now);
        Ok(())
    }

    /// New branches and tags are left alone, unless a secret is in their names or in what they bring.
    fn judge_new_refs(
        &self,
        now: &mut Refs,
        new: &[String],
        captured: &mut Captured,
    ) -> Result<Vec<Violation>, GitError> {
        // Somebody else may have made them meanwhile: only what ralph knows for sure counts.
        let screen = &self.repo.secrets().for_known_values();
        let (mut found, before) = (Vec::new(), self.refs.clone().unwrap_or_default());
        let known: Vec<&str> = before.objects().collect();
        // All at once first: there may be many, and most hold nothing.
        let search = |new: &[&str]| self.secrets_since(&Search { screen, known: &known, new });
        let new: Vec<&String> = new.iter().filter(|name| now.elsewhere(name).is_none()).collect();
        let all: Vec<&str> = new.iter().filter_map(|name| now.get(name)).collect();
        let is_clean = all.is_empty() || search(&all)?.is_empty();
        for name in new {
            let shown = screen.shown(name.as_bytes());
            let secrets = screen.in_words(b"", name.as_bytes(), b"");
            let mut held = secrets::told(&secrets, &format!("the name of {shown}"));
            let object = now.get(name).unwrap_or_default().to_owned();
            if !is_clean {
                held.extend(search(&[&object])?);
            }
            if !held.is_empty() {
                captured.notes.extend(now.put_away(
                    &self.repo.git,
                    &tame(self.run.as_str()),
                    name,
                )?);
            } else if let Some(branch) = shown.strip_prefix("refs/heads/") {
                captured.notes.push(format!("a new branch {branch} was left alone"));
            }
            found.extend(held);
        }
        Ok(found)
    }

    fn judge_commits(&self, head: &CommitId, tip: &CommitId) -> Result<Own, GitError> {
        let git = &self.repo.git;
        if !is_ancestor(git, head.as_str(), tip.as_str())? {
            return Ok(Own::Foreign);
        }
        let changed = diff(git, head.as_str(), tip.as_str())?;
        let links = changed.iter().filter(|it| it.is_repository()).map(|it| shown(&it.path));
        let links: Vec<String> = links.collect();
        if !links.is_empty() {
            return Ok(Own::Gitlinks(links));
        }
        let secrets = self.secrets_in_commits(head, tip)?;
        Ok(if secrets.is_empty() { Own::History } else { Own::Secrets(secrets) })
    }

    fn paths_between(&self, from: &TreeId, to: &TreeId) -> Result<BTreeSet<RelPath>, GitError> {
        let mut changed = diff(&self.repo.git, from.as_str(), to.as_str())?;
        changed.retain(|it| !it.is_no_file() && !is_ralphs(&it.path));
        Ok(changed.into_iter().map(|it| it.path).collect())
    }
}

/// What the run branch's new commits are.
enum Own {
    /// They descend from the checkpoint.
    History,
    Foreign,
    /// They record repositories, at these paths.
    Gitlinks(Vec<String>),
    /// They hold secrets.
    Secrets(Vec<Violation>),
}

fn back(name: &str, now: Option<&CommitId>, head: &CommitId) -> Move {
    Move { name: name.to_owned(), now: now.map(ToString::to_string), back_to: head.to_string() }
}
