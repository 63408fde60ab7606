//! What a holder has published, and how it publishes more: journal, refs and lease in one swap. A ref that somebody
//! else has moved is left alone; the run's own value goes under a name of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;

use super::{
    claim::Claimed,
    lease::Lease,
    published::{Kept, Published},
    push::{Pushed, Swap},
    repository::Repository,
    snapshot::Snapshot,
    write::Change,
};

/// A holder's publications.
#[derive(Debug)]
pub struct Ledger {
    repository: Repository,
    now: State,
    /// As the remote has it; in `now` a ref may have a new name already under which nothing lies yet.
    there: Published,
    /// Pushed, and not known to have arrived; one of them may still arrive.
    pending: Vec<State>,
    mine: Mine,
    has_branch_moved: bool,
}

/// One truth of this holder's.
#[derive(Debug, Clone)]
struct State {
    commit: String,
    lease: Lease,
    published: Published,
}

/// Every truth that this holder wrote: as long as the remote has one of them, the lease is its.
#[derive(Debug, Clone, Default)]
pub struct Mine(Arc<Mutex<BTreeSet<String>>>);

impl Mine {
    pub fn has(&self, commit: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(commit)
    }

    fn add(&self, commit: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(commit.to_owned());
    }
}

/// What became of a publication.
#[derive(Debug, PartialEq, Eq)]
pub enum Went {
    Out,
    /// It was published before: the remote was not asked.
    Known,
    /// The lease is somebody else's.
    Fenced,
    /// It can be tried again; whether the remote answered at all.
    NotYet {
        why: String,
        has_answered: bool,
    },
}

/// Rounds of one publication: each moved ref and each late arrival takes one.
const ROUNDS: u32 = 8;

impl Ledger {
    /// Begins with a claim and the refs as they were brought here.
    pub fn new(repository: Repository, claimed: &Claimed, published: Published) -> Self {
        let mine = Mine::default();
        mine.add(&claimed.head);
        let there = published.clone();
        let now = State { commit: claimed.head.clone(), lease: claimed.lease.clone(), published };
        Self { repository, now, there, pending: Vec::new(), mine, has_branch_moved: false }
    }

    /// The truth that was published last.
    pub fn head(&self) -> &str {
        &self.now.commit
    }

    /// How much of this run's journal is published.
    pub(crate) fn journal_bytes(&self, run: &str) -> Option<u64> {
        let is_it = self.now.lease.run.as_deref() == Some(run);
        is_it.then_some(self.there.journal_bytes)
    }

    /// The ref on the remote of what a parked task has: its name alone may be another run's.
    pub(crate) fn place_of_work(&self, task: &str) -> Option<String> {
        let name = format!("refs/heads/ralph/parked/{task}");
        self.there.refs.get(&name).map(|kept| kept.at.clone())
    }

    /// Files of the wishes that the run had not taken when it was published last.
    pub(crate) fn inbox(&self) -> &[String] {
        &self.there.inbox
    }

    pub fn mine(&self) -> Mine {
        self.mine.clone()
    }

    /// Whether somebody else has moved the run branch.
    pub fn has_branch_moved(&self) -> bool {
        self.has_branch_moved
    }

    /// Publishes a moment of the run and keeps the lease.
    pub fn publish(&mut self, snapshot: &Snapshot) -> Result<Went> {
        self.bring_out(Some(snapshot), true)
    }

    /// Publishes the last moment, if there is one, and gives the lease back; without one the truth stays as it is.
    pub fn hand_over(&mut self, snapshot: Option<&Snapshot>) -> Result<Went> {
        self.bring_out(snapshot, false)
    }

    fn bring_out(&mut self, snapshot: Option<&Snapshot>, held: bool) -> Result<Went> {
        for round in 0..ROUNDS {
            let (published, swaps) = self.plan(snapshot);
            let mut lease = Lease { held, ..self.now.lease.clone() };
            let mut change = Change::default();
            if let Some(snapshot) = snapshot {
                let is_same_run = lease.run.as_ref() == Some(&snapshot.run);
                let sent = if is_same_run { self.now.published.journal_bytes } else { 0 };
                lease.run = Some(snapshot.run.clone());
                change.journal = Some((&snapshot.journal, usize::try_from(sent)?));
                change.files.push(("workspace.json", snapshot.workspace.as_deref()));
                change.inbox = Some(&snapshot.inbox);
            }
            if lease == self.now.lease && published == self.now.published && swaps.is_empty() {
                return Ok(if round == 0 { Went::Known } else { Went::Out });
            }
            let next = self.next(lease, published, &change)?;
            let truth = Swap {
                name: self.repository.truth_ref(),
                was: Some(self.now.commit.clone()),
                now: Some(next.commit.clone()),
            };
            match self.repository.push(&truth, &swaps) {
                Pushed::Yes => {
                    self.adopt(next);
                    return Ok(Went::Out);
                }
                Pushed::Fenced(seen) => {
                    let late = self.pending.iter().find(|one| Some(&one.commit) == seen.as_ref());
                    let Some(late) = late.cloned() else {
                        return Ok(Went::Fenced);
                    };
                    self.adopt(late);
                }
                Pushed::Moved(moved) => self.make_way(&moved, snapshot),
                Pushed::NotYet { why, has_answered } => {
                    self.pending.retain(|one| one.commit != next.commit);
                    self.pending.push(next);
                    return Ok(Went::NotYet { why, has_answered });
                }
            }
        }
        Ok(Went::NotYet { why: "refs on the remote keep moving".into(), has_answered: true })
    }

    /// The commit of this truth: one that was pushed in vain before, or a new one.
    fn next(&self, lease: Lease, published: Published, change: &Change<'_>) -> Result<State> {
        let is_it = |one: &&State| one.lease == lease && one.published == published;
        if let Some(known) = self.pending.iter().find(is_it) {
            return Ok(known.clone());
        }
        let parent = Some(self.now.commit.as_str());
        let commit = self.repository.write(parent, (&lease, &published), change)?;
        self.mine.add(&commit);
        Ok(State { commit, lease, published })
    }

    fn adopt(&mut self, state: State) {
        self.there.clone_from(&state.published);
        self.now = state;
        self.pending.clear();
    }

    /// What the truth will say, and what must move for it.
    fn plan(&self, snapshot: Option<&Snapshot>) -> (Published, Vec<Swap>) {
        let Some(snapshot) = snapshot else {
            return (self.there.clone(), Vec::new());
        };
        let mut published = self.now.published.clone();
        let mut swaps = Vec::new();
        published.trees.clone_from(&snapshot.trees);
        published.journal_bytes = snapshot.journal.len() as u64;
        published.inbox = snapshot.inbox.keys().cloned().collect();
        for (name, oid) in &snapshot.refs {
            let known = published.refs.get(name);
            if known.is_some_and(|known| known.oid == *oid) {
                continue;
            }
            let at = known.map_or_else(|| name.clone(), |known| known.at.clone());
            let was = known.map(|known| known.oid.clone()).filter(|oid| !oid.is_empty());
            swaps.push(Swap { name: at.clone(), was, now: Some(oid.clone()) });
            published.refs.insert(name.clone(), Kept { oid: oid.clone(), at });
        }
        // Only refs that agents cannot see are taken back on the remote too.
        let own = format!("refs/ralph/{}/", snapshot.run);
        let is_gone = |name: &String| name.starts_with(&own) && !snapshot.refs.contains_key(name);
        for (_, kept) in published.refs.extract_if(.., |name, _| is_gone(name)) {
            swaps.push(Swap { name: kept.at, was: Some(kept.oid), now: None });
        }
        (published, swaps)
    }

    /// From here on, what the run has for a moved ref goes under another name, where nothing lies yet.
    fn make_way(&mut self, moved: &BTreeMap<String, Option<String>>, snapshot: Option<&Snapshot>) {
        let run = snapshot.map_or("none", |snapshot| snapshot.run.as_str());
        let place = format!("refs/ralph/{run}/kept/{}", self.now.lease.epoch);
        let refs = &mut self.now.published.refs;
        for (name, theirs) in moved {
            let local = refs.iter().find(|(_, kept)| kept.at == *name);
            let local = local.map_or(name, |(local, _)| local).clone();
            let Some(ours) = snapshot.and_then(|snapshot| snapshot.refs.get(&local)) else {
                refs.remove(&local);
                continue;
            };
            let kept = if theirs.as_ref() == Some(ours) {
                Kept { oid: ours.clone(), at: name.clone() }
            } else {
                self.has_branch_moved |= *name == self.repository.run_branch();
                let at = format!("{place}/{}", local.trim_start_matches("refs/"));
                let at = if at == *name { format!("{at}-moved") } else { at };
                Kept { oid: String::new(), at }
            };
            refs.insert(local, kept);
        }
    }
}
