//! The line between a stint under way and whoever asked for it: what can be seen of it, and what it is told.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::tally::Tally;
use crate::wire::Progress;

/// The first phases of a stint; nobody waits long to hear of a later one.
pub(crate) const CLAIMING: &str = "claiming";
pub(crate) const MATERIALISING: &str = "materialising";

/// Cheap to clone; all clones are one line.
#[derive(Debug, Clone)]
pub struct Line(Arc<Shared>);

/// How publishing went so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Publishing {
    /// How long each took that went out.
    pub out: Vec<Duration>,
    pub failed: u32,
}

/// Whether a stint is in touch with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Kept,
    /// It does not answer, and was heard for the last time then.
    Lost(Instant),
    /// It answers, and does not count on this stint any more.
    GivenUp,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    progress: Progress,
    publishing: Publishing,
    tally: Tally,
    told: BTreeSet<Told>,
    /// Since when the server does not answer.
    lost: Option<Instant>,
    /// Files of wishes that the truth has, taken or waiting.
    kept: BTreeSet<String>,
    /// Wishes that came while it was under way: their files and their ids.
    came: BTreeMap<String, String>,
}

/// What a stint is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Leave,
    /// A later claim of this very host.
    Fenced,
    /// Ralph works: what lies in its inbox from now on it takes.
    Begun,
    /// The server answers, and has given this stint up: its branch may go to another at any time.
    GivenUp,
    /// A wish was put since somebody looked.
    Wish,
    Ended,
}

impl Line {
    pub fn new(host: &str) -> Self {
        let progress =
            Progress { host: host.to_owned(), phase: CLAIMING.to_owned(), ..Progress::default() };
        let state = State {
            progress,
            publishing: Publishing::default(),
            tally: Tally::default(),
            told: BTreeSet::new(),
            lost: None,
            kept: BTreeSet::new(),
            came: BTreeMap::new(),
        };
        Self(Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() }))
    }

    /// What can be seen of the stint.
    pub fn progress(&self) -> Progress {
        self.state().progress.clone()
    }

    pub fn publishing(&self) -> Publishing {
        self.state().publishing.clone()
    }

    pub fn tally(&self) -> Tally {
        self.state().tally.clone()
    }

    /// The stint ends its agent gracefully, publishes and hands over.
    pub fn ask_to_leave(&self) {
        self.tell(Told::Leave);
    }

    /// The server does not answer the worker, and was heard for the last time then.
    pub fn lost(&self, heard: Instant) {
        self.change(|state| state.lost = Some(heard));
    }

    /// The server answers the worker again.
    pub fn found(&self) {
        self.change(|state| state.lost = None);
    }

    /// Whether the server still counts on this stint.
    pub fn counted_on(&self, yes: bool) {
        if yes {
            self.change(|state| state.told.retain(|told| *told != Told::GivenUp));
        } else {
            self.tell(Told::GivenUp);
        }
    }

    pub(crate) fn show(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.state().progress);
    }

    pub(crate) fn add(&self, add: impl FnOnce(&mut Tally)) {
        add(&mut self.state().tally);
    }

    /// Counts a publication that was tried.
    pub(crate) fn count(&self, is_out: bool, took: Duration) {
        let mut state = self.state();
        if is_out {
            state.progress.published += 1;
            state.publishing.out.push(took);
        } else {
            state.publishing.failed += 1;
        }
    }

    pub(crate) fn phase(&self, phase: &str) {
        self.show(|progress| phase.clone_into(&mut progress.phase));
    }

    pub(crate) fn is_asked_to_leave(&self) -> bool {
        self.is_told(Told::Leave)
    }

    /// Whether the server would say so before another gets the branch.
    pub(crate) fn touch(&self) -> Touch {
        let state = self.state();
        match state.lost {
            // What a server says that counts on it no more keeps nobody from its branch.
            _ if state.told.contains(&Told::GivenUp) => Touch::GivenUp,
            Some(heard) => Touch::Lost(heard),
            None => Touch::Kept,
        }
    }

    /// The stint has lost its branch to another of this host.
    pub(crate) fn fence(&self) {
        self.tell(Told::Fenced);
    }

    pub(crate) fn is_fenced(&self) -> bool {
        self.is_told(Told::Fenced)
    }

    pub(crate) fn begin(&self) {
        self.tell(Told::Begun);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.is_told(Told::Begun)
    }

    /// A wish lies in the inbox, in this file and with this id: it should be published.
    pub(crate) fn tell_of_a_wish(&self, file: &str, id: &str) {
        self.change(|state| {
            state.came.insert(file.to_owned(), id.to_owned());
            state.told.insert(Told::Wish);
        });
    }

    /// Files and ids of the wishes that came while it was under way and that the truth has.
    pub(crate) fn came_and_kept(&self) -> BTreeMap<String, String> {
        let state = self.state();
        let mut came = state.came.clone();
        came.retain(|file, _| state.kept.contains(file));
        came
    }

    pub(crate) fn has_news(&self) -> bool {
        self.state().told.remove(&Told::Wish)
    }

    pub(crate) fn keep(&self, wishes: impl IntoIterator<Item = String>) {
        self.change(|state| state.kept.extend(wishes));
    }

    /// Whether the truth has this wish.
    pub(crate) fn has_kept(&self, file: &str) -> bool {
        self.state().kept.contains(file)
    }

    pub(crate) fn end(&self) {
        self.tell(Told::Ended);
    }

    pub(crate) fn wake(&self) {
        self.0.changed.notify_all();
    }

    /// Waits until something is said, at most so long.
    pub(crate) fn pause(&self, longest: Duration) {
        drop(self.0.changed.wait_timeout(self.state(), longest));
    }

    /// Waits until the truth has this wish, at most so long; false if the stint ended without.
    pub(crate) fn is_kept(&self, wish: &str, longest: Duration) -> bool {
        let until = Instant::now() + longest;
        let mut state = self.state();
        loop {
            if state.kept.contains(wish) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            let has_ended = state.told.contains(&Told::Ended);
            if has_ended || left.is_zero() {
                return !has_ended;
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn tell(&self, told: Told) {
        self.change(|state| state.told.extend([told]));
    }

    fn is_told(&self, told: Told) -> bool {
        self.state().told.contains(&told)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.wake();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
