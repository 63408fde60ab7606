//! The stints of this host: those under way, and the reports of those that ended lately, for whoever asks late. A stint
//! goes on whatever becomes of the activity that began it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::watch;

use crate::{
    stint::{Line, Lost},
    wire::StintReport,
};

/// How long a report is kept for a loop that has not heard it. By then the loop has gone on without.
const KEPT: Duration = Duration::from_hours(1);

/// How a stint ended.
pub(crate) type Ended = Arc<Result<StintReport, Lost>>;

/// A stint of this host.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) line: Line,
    ended: watch::Receiver<Option<(Ended, Instant)>>,
}

impl Running {
    /// Waits until it has ended; nothing if whoever did the work is gone without a word.
    pub(crate) async fn ended(&self) -> Option<Ended> {
        let mut ended = self.ended.clone();
        let seen = ended.wait_for(Option::is_some).await.ok()?;
        seen.as_ref().map(|(ended, _)| Arc::clone(ended))
    }

    fn is_under_way(&self) -> bool {
        self.ended.borrow().is_none() && self.ended.has_changed().is_ok()
    }

    fn is_old(&self) -> bool {
        self.ended.borrow().as_ref().is_some_and(|(_, when)| when.elapsed() > KEPT)
    }
}

/// Says that a stint has ended.
pub(crate) struct Teller(watch::Sender<Option<(Ended, Instant)>>);

impl Teller {
    pub(crate) fn tell(self, ended: Result<StintReport, Lost>) {
        self.0.send_replace(Some((Arc::new(ended), Instant::now())));
    }
}

/// All stints of this host, by loop and number.
#[derive(Clone, Default)]
pub struct Floor(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stints: Mutex<BTreeMap<(String, u32), Running>>,
    is_cut_off: AtomicBool,
    is_draining: AtomicBool,
}

impl Floor {
    /// Notes a stint that begins now.
    pub(crate) fn begin(&self, key: &str, stint: u32, line: Line) -> (Running, Teller) {
        line.in_touch(self.is_in_touch());
        let (tell, ended) = watch::channel(None);
        let running = Running { line, ended };
        let mut stints = self.stints();
        stints.retain(|_, one| !one.is_old());
        stints.insert((key.to_owned(), stint), running.clone());
        (running, Teller(tell))
    }

    pub(crate) fn find(&self, key: &str, stint: u32) -> Option<Running> {
        self.stints().get(&(key.to_owned(), stint)).cloned()
    }

    /// The stints of one loop that are under way; more than one only while an older one makes way.
    pub(crate) fn of(&self, key: &str) -> Vec<Running> {
        let stints = self.stints();
        let own = stints.iter().filter(|((of, _), one)| of == key && one.is_under_way());
        own.map(|(_, one)| one.clone()).collect()
    }

    fn under_way(&self) -> Vec<Running> {
        self.stints().values().filter(|one| one.is_under_way()).cloned().collect()
    }

    /// How many stints are under way.
    pub fn count(&self) -> usize {
        self.under_way().len()
    }

    /// Whether the server answers, as the worker's probe found.
    pub fn in_touch(&self, yes: bool) {
        if self.0.is_cut_off.swap(!yes, Ordering::SeqCst) == yes {
            self.under_way().iter().for_each(|one| one.line.in_touch(yes));
        }
    }

    pub(crate) fn is_in_touch(&self) -> bool {
        !self.0.is_cut_off.load(Ordering::SeqCst)
    }

    /// From now on nothing is begun here.
    pub fn drain(&self) {
        self.0.is_draining.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.0.is_draining.load(Ordering::SeqCst)
    }

    /// Asks every stint to publish and hand over.
    pub fn ask_all_to_leave(&self) {
        self.under_way().iter().for_each(|one| one.line.ask_to_leave());
    }

    /// Waits until no stint is under way.
    pub async fn emptied(&self) {
        for one in self.under_way() {
            one.ended().await;
        }
    }

    /// A panic while it was held left a map that is whole: entries are put in and taken out in one step.
    fn stints(&self) -> MutexGuard<'_, BTreeMap<(String, u32), Running>> {
        self.0.stints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
