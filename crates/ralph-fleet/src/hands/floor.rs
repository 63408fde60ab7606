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
    server: Mutex<Server>,
    is_draining: AtomicBool,
}

/// What the worker's probe found.
#[derive(Default)]
struct Server {
    is_away: bool,
    /// When the question was asked that it answered last.
    heard: Option<Instant>,
}

impl Floor {
    /// Notes a stint that begins now.
    pub(crate) fn begin(&self, key: &str, stint: u32, line: Line) -> (Running, Teller) {
        if let Some(heard) = self.away_since() {
            line.lost(heard);
        }
        // It was on its way when the others were asked.
        if self.is_draining() {
            line.ask_to_leave();
        }
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

    /// Whether the server answered the worker's probe, which asked it then.
    pub fn probed(&self, asked: Instant, has_answered: bool) {
        let mut server = self.server();
        if has_answered {
            server.heard = Some(asked);
        }
        server.is_away = !has_answered;
        let since = server.heard.unwrap_or(asked);
        drop(server);
        // Each time: a stint that begins at this moment may have been missed the last time.
        for one in self.under_way() {
            if has_answered { one.line.found() } else { one.line.lost(since) }
        }
    }

    pub(crate) fn is_in_touch(&self) -> bool {
        !self.server().is_away
    }

    /// Since when nothing was heard of the server, if it is away.
    fn away_since(&self) -> Option<Instant> {
        let server = self.server();
        server.is_away.then(|| server.heard.unwrap_or_else(Instant::now))
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        self.0.server.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stint::Touch;

    #[test]
    fn every_stint_hears_when_the_server_was_heard_last() {
        let floor = Floor::default();
        let (heard, asked) = (Instant::now(), Instant::now() + Duration::from_secs(9));
        let (early, late) = (Line::new("a"), Line::new("a"));
        let _one = floor.begin("loop/a", 1, early.clone());
        floor.probed(heard, true);
        assert_eq!(early.touch(), Touch::Kept);
        floor.probed(asked, false);
        floor.probed(asked, false);
        let _other = floor.begin("loop/b", 1, late.clone());
        assert_eq!((early.touch(), late.touch()), (Touch::Lost(heard), Touch::Lost(heard)));
        // As if it had begun just when the server was found away.
        late.found();
        floor.probed(asked, false);
        assert_eq!(late.touch(), Touch::Lost(heard));
        floor.probed(asked, true);
        assert_eq!((early.touch(), late.touch()), (Touch::Kept, Touch::Kept));
    }
}
