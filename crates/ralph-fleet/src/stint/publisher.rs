//! Publishes beside the work: a remote that is slow or away must keep nobody from watching the lease. Of several moments
//! that wait only the last is published.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};

use super::line::Line;
use crate::truth::{Ledger, Repository, Snapshot, Went};

/// What is to be published: the run's moment when its turn comes, with these trees.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) run: String,
    pub(crate) trees: Vec<String>,
}

/// How publishing goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Going {
    pub(crate) is_fenced: bool,
    pub(crate) has_branch_moved: bool,
    /// When the remote last took a publication, and with it said that the lease is this stint's.
    pub(crate) heard: Option<Instant>,
}

/// A thread that publishes.
pub(crate) struct Publisher {
    orders: Sender<Order>,
    going: Arc<Mutex<Going>>,
    thread: JoinHandle<Ledger>,
}

/// The pause before a publication is tried again.
const AGAIN: Duration = Duration::from_millis(500);

/// What the thread works with.
struct Desk {
    repository: Repository,
    work: PathBuf,
    ledger: Ledger,
    going: Arc<Mutex<Going>>,
    line: Line,
}

impl Publisher {
    pub(crate) fn start(repository: Repository, work: PathBuf, ledger: Ledger, line: Line) -> Self {
        let (orders, wanted) = mpsc::channel();
        let going = Arc::new(Mutex::new(Going::default()));
        let mut desk = Desk { repository, work, ledger, going: going.clone(), line };
        let thread = thread::spawn(move || {
            let mut left: Option<Order> = None;
            loop {
                let next = match &left {
                    None => wanted.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some(_) => wanted.recv_timeout(AGAIN),
                };
                let order = match (next, left.take()) {
                    (Ok(order), _) => wanted.try_iter().last().unwrap_or(order),
                    (Err(RecvTimeoutError::Timeout), Some(order)) => order,
                    _ => return desk.ledger,
                };
                left = (!desk.publish(&order)).then_some(order);
            }
        });
        Self { orders, going, thread }
    }

    /// What is published from now on has this moment or a later one.
    pub(crate) fn want(&self, order: Order) {
        // A thread that is gone says so at the end.
        let _ = self.orders.send(order);
    }

    pub(crate) fn going(&self) -> Going {
        locked(&self.going).clone()
    }

    /// Ends the thread; what it has not published yet the handover does.
    pub(crate) fn stop(self) -> Result<Ledger> {
        drop(self.orders);
        self.thread.join().map_err(|_| anyhow!("the publishing thread failed"))
    }
}

impl Desk {
    /// Whether nothing is left to do for this order.
    fn publish(&mut self, order: &Order) -> bool {
        let Ok(mut moment) = Snapshot::take(&self.repository, &self.work, &order.run) else {
            return false;
        };
        moment.trees.clone_from(&order.trees);
        let began = Instant::now();
        let went = self.ledger.publish(&moment);
        self.line.count(matches!(went, Ok(Went::Out)), began.elapsed());
        let mut going = locked(&self.going);
        going.has_branch_moved = self.ledger.has_branch_moved();
        let is_done = match went {
            Ok(Went::Out) => {
                going.heard = Some(Instant::now());
                self.line.keep(known_wishes(&moment));
                true
            }
            Ok(Went::Fenced) => {
                going.is_fenced = true;
                true
            }
            Ok(Went::NotYet { .. }) | Err(_) => false,
        };
        drop(going);
        self.line.wake();
        is_done
    }
}

/// Wishes that this moment keeps: those that wait, and those that its journal says were taken.
fn known_wishes(moment: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> = moment.inbox.keys().cloned().collect();
    let journal = String::from_utf8_lossy(&moment.journal);
    for line in journal.lines().filter(|line| line.contains("\"request_taken\"")) {
        let Ok(decision) = serde_json::from_str::<ralph_core::event::Decision>(line) else {
            continue;
        };
        names.extend(decision.events.into_iter().filter_map(|event| match event {
            ralph_core::event::Event::RequestTaken { request } => Some(request.id),
            _ => None,
        }));
    }
    names
}

fn locked(going: &Mutex<Going>) -> MutexGuard<'_, Going> {
    going.lock().unwrap_or_else(PoisonError::into_inner)
}
