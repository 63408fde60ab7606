//! A thread and a queue for each channel. Handing a message over never waits; what a channel does is its own affair.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use ralph_core::notify::{Message, Patience};

use super::{Deliver, Undelivered};
use crate::{
    clock,
    signals::{Arrived, Interlude},
};

/// Most messages that wait for one channel; of more, the oldest are dropped.
const QUEUE: usize = 64;
/// How often a wait for the end looks whether a person wants to go.
const LOOK: Duration = Duration::from_millis(50);

/// Is told, once a channel, that it does not deliver.
pub type Trouble = Arc<dyn Fn(String) + Send + Sync>;

/// The channels of a run.
pub struct Lanes {
    lanes: Vec<(String, Arc<Shared>)>,
}

impl Lanes {
    /// Starts a thread for each channel, which people know by its name.
    pub fn start(
        channels: Vec<(String, Box<dyn Deliver>)>,
        trouble: &Trouble,
    ) -> std::io::Result<Self> {
        let start = |(name, deliver): (String, Box<dyn Deliver>)| {
            let (known, shared) = (name.clone(), Arc::new(Shared::default()));
            let lane =
                Lane { shared: Arc::clone(&shared), name, deliver, trouble: Arc::clone(trouble) };
            let thread = std::thread::Builder::new().name("notify".into()).stack_size(512 * 1024);
            // Not joined: one that hangs must not hold up the end.
            thread.spawn(move || lane.serve()).map(|_| (known, shared))
        };
        Ok(Self { lanes: channels.into_iter().map(start).collect::<Result<_, _>>()? })
    }

    /// Hands a message to the channel with this number; returns at once.
    pub fn send(&self, channel: usize, message: Message) {
        if let Some((_, lane)) = self.lanes.get(channel) {
            let mut queue = lane.lock();
            // What hangs must not gather without end.
            if queue.waiting.len() == QUEUE {
                queue.waiting.pop_front();
            }
            queue.waiting.push_back(message);
            drop(queue);
            lane.changed.notify_all();
        }
    }

    /// Lets every channel deliver what it has, but waits no longer than this, and not at all once a person interrupts.
    /// Gives back the channels that were not done, unless people heard of their trouble before.
    pub fn finish(&self, patience: Duration) -> Vec<&str> {
        let deadline = Instant::now() + patience;
        for (_, lane) in &self.lanes {
            lane.lock().is_closed = true;
            lane.changed.notify_all();
        }
        let mut interlude = Interlude::begin().ok();
        let mut is_over = || {
            let is_interrupted =
                matches!(interlude.as_mut().and_then(Interlude::take), Some(Arrived::End(_)));
            is_interrupted || Instant::now() >= deadline
        };
        let (mut undone, mut is_left) = (Vec::new(), false);
        for (name, lane) in &self.lanes {
            let mut queue = lane.lock();
            while !queue.has_ended && !is_left {
                queue = lane.wait(queue, LOOK);
                is_left = is_over();
            }
            if !queue.has_ended && !queue.has_warned {
                undone.push(name.as_str());
            }
        }
        // An impatient second signal must not change the exit code either.
        std::mem::forget(interlude);
        undone
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Message>,
    is_closed: bool,
    has_ended: bool,
    has_warned: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, queue: MutexGuard<'a, Queue>, most: Duration) -> MutexGuard<'a, Queue> {
        self.changed.wait_timeout(queue, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The next message; `None` when all is over.
    fn take(&self) -> Option<Message> {
        let mut queue = self.lock();
        loop {
            match queue.waiting.pop_front() {
                Some(message) => return Some(message),
                None if queue.is_closed => return None,
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits so long, or until the end if that is to cut it short.
    fn pause(&self, length: Duration, until_end: bool) {
        let deadline = Instant::now() + length;
        let mut queue = self.lock();
        while !(until_end && queue.is_closed) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            queue = self.wait(queue, left);
        }
    }
}

struct Lane {
    shared: Arc<Shared>,
    name: String,
    deliver: Box<dyn Deliver>,
    trouble: Trouble,
}

impl Lane {
    fn serve(mut self) {
        let mut patience = Patience::default();
        while let Some(message) = self.shared.take() {
            match self.tried(&message) {
                Ok(()) => patience.delivered(),
                Err(why) => {
                    if patience.given_up(clock::now()) {
                        let name = &self.name;
                        self.shared.lock().has_warned = true;
                        (self.trouble)(format!("notifications by {name} do not arrive: {why}"));
                    }
                    // At the end it gets one more chance: what is said then matters most.
                    let rest = Duration::from_millis(patience.rests(clock::now()).0);
                    self.shared.pause(rest, true);
                }
            }
        }
        self.shared.lock().has_ended = true;
        self.shared.changed.notify_all();
    }

    /// Tries a message until it is delivered or given up.
    fn tried(&mut self, message: &Message) -> Result<(), Undelivered> {
        let mut failed = 0;
        loop {
            let Err(why) = self.deliver.deliver(message) else { return Ok(()) };
            failed += 1;
            match Patience::again_after(failed) {
                Some(wait) if why.is_passing => {
                    self.shared.pause(Duration::from_millis(wait.0), false);
                }
                _ => return Err(why),
            }
        }
    }
}
