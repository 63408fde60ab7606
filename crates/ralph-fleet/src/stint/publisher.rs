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

use super::{line::Line, reading::Reading, refusal::Refusals};
use crate::truth::{Ledger, Repository, Snapshot, Went};

/// How publishing goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Going {
    pub(crate) is_fenced: bool,
    pub(crate) has_branch_moved: bool,
    /// The remote answers and takes nothing: what is worked from now on may never be published.
    pub(crate) is_refused: bool,
    /// When that publication was begun that the remote took last, and with it said that the lease is this stint's.
    pub(crate) heard: Option<Instant>,
}

/// A thread that publishes.
pub(crate) struct Publisher {
    /// Runs whose moment is to be published when its turn comes.
    orders: Sender<String>,
    going: Arc<Mutex<Going>>,
    thread: JoinHandle<Out>,
}

/// What is out, and what was read for it.
pub(crate) struct Out {
    pub(crate) ledger: Ledger,
    pub(crate) reading: Reading,
}

/// The pause before a publication is tried again; it doubles each time, up to the longest.
const AGAIN: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(15);

/// How often in a row a remote may say that it refuses.
const REFUSALS: u32 = 5;

/// What the thread works with.
struct Desk {
    repository: Repository,
    work: PathBuf,
    out: Out,
    going: Arc<Mutex<Going>>,
    line: Line,
    refusals: Refusals,
}

impl Publisher {
    pub(crate) fn start(repository: Repository, work: PathBuf, out: Out, line: Line) -> Self {
        let (orders, wanted) = mpsc::channel();
        let going = Arc::new(Mutex::new(Going::default()));
        let mut desk = Desk {
            repository,
            work,
            out,
            going: going.clone(),
            line,
            refusals: Refusals::default(),
        };
        let thread = thread::spawn(move || {
            let mut left: Option<String> = None;
            let mut pause = AGAIN;
            loop {
                let next = match &left {
                    None => wanted.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some(_) => wanted.recv_timeout(pause),
                };
                let run = match (next, left.take()) {
                    (Ok(run), _) => wanted.try_iter().last().unwrap_or(run),
                    (Err(RecvTimeoutError::Timeout), Some(run)) => run,
                    _ => return desk.out,
                };
                if desk.publish(&run) {
                    pause = AGAIN;
                } else {
                    pause = LONGEST.min(pause * 2);
                    left = Some(run);
                }
            }
        });
        Self { orders, going, thread }
    }

    /// What is published from now on has this moment of the run or a later one.
    pub(crate) fn want(&self, run: &str) {
        // A thread that is gone says so at the end.
        let _ = self.orders.send(run.to_owned());
    }

    pub(crate) fn going(&self) -> Going {
        locked(&self.going).clone()
    }

    /// Ends the thread; what it has not published yet the handover does.
    pub(crate) fn stop(self) -> Result<Out> {
        drop(self.orders);
        self.thread.join().map_err(|_| anyhow!("the publishing thread failed"))
    }
}

impl Desk {
    /// Whether nothing is left to do for this run's moment.
    fn publish(&mut self, run: &str) -> bool {
        let began = Instant::now();
        let Out { ledger, reading } = &mut self.out;
        let went = Snapshot::take(&self.repository, &self.work, run).and_then(|mut moment| {
            reading.complete(&mut moment)?;
            Ok((ledger.publish(&moment)?, reading.wishes(&moment)))
        });
        if !matches!(went, Ok((Went::Known, _))) {
            self.line.count(matches!(went, Ok((Went::Out, _))), began.elapsed());
        }
        let mut going = locked(&self.going);
        going.has_branch_moved = ledger.has_branch_moved();
        let is_done = match went {
            Ok((went @ (Went::Out | Went::Known), wishes)) => {
                if went == Went::Out {
                    going.heard = Some(began);
                    self.refusals = Refusals::default();
                }
                self.line.keep(wishes);
                true
            }
            Ok((Went::Fenced, _)) => {
                going.is_fenced = true;
                true
            }
            Ok((Went::NotYet { why, has_answered: true }, _)) => {
                self.refusals.count(&why);
                going.is_refused |= self.refusals.are_enough(REFUSALS);
                false
            }
            Ok((Went::NotYet { .. }, _)) | Err(_) => false,
        };
        drop(going);
        self.line.wake();
        is_done
    }
}

fn locked(going: &Mutex<Going>) -> MutexGuard<'_, Going> {
    going.lock().unwrap_or_else(PoisonError::into_inner)
}
