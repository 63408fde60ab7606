//! Brings news to every reporter, each on a thread of its own, so that none can hold up the run or another.
//!
//! Invariant: publishing never waits for a reporter; decisions are never dropped.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use ralph_agents::live_event::{Chatter, News, Reporter, Said};
use ralph_core::time::Timestamp;

/// Most pieces of chatter that wait for one reporter.
const CHATTER: usize = 1024;
/// Time between two ticks.
const TICK: Duration = Duration::from_millis(200);
/// How long a reporter waits for more news after some: in a flood it is woken for hundreds at once.
const GATHER: Duration = Duration::from_millis(5);
/// How long the end waits for slow reporters, all together.
const PATIENCE: Duration = Duration::from_secs(2);

/// The reporters of a run.
pub(crate) struct FanOut {
    lanes: Vec<Lane>,
}

impl FanOut {
    /// Starts a thread for each reporter.
    pub(crate) fn start(reporters: Vec<Box<dyn Reporter>>) -> std::io::Result<Self> {
        let lanes = reporters.into_iter().map(Lane::start);
        Ok(Self { lanes: lanes.collect::<Result<_, _>>()? })
    }

    /// The way news reach them, for whoever has some.
    pub(crate) fn publisher(&self) -> Publisher {
        Publisher { lanes: self.lanes.iter().map(|lane| Arc::clone(&lane.shared)).collect() }
    }

    /// Lets every reporter finish, but no longer than two seconds in all; tells whether all did.
    pub(crate) fn finish(self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        for lane in &self.lanes {
            lane.shared.close();
        }
        let finished: Vec<bool> = self.lanes.into_iter().map(|lane| lane.join(deadline)).collect();
        finished.into_iter().all(|finished| finished)
    }
}

/// Hands news to every reporter.
pub(crate) struct Publisher {
    lanes: Vec<Arc<Shared>>,
}

impl Publisher {
    /// Hands one piece of news to every reporter; returns at once.
    pub(crate) fn publish(&self, news: News) {
        let news = Arc::new(news);
        for lane in &self.lanes {
            lane.put(Arc::clone(&news));
        }
    }
}

struct Lane {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl Lane {
    fn start(reporter: Box<dyn Reporter>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let thread =
            std::thread::Builder::new().name("reporter".into()).stack_size(512 * 1024).spawn({
                let shared = shared.clone();
                move || {
                    // An error detaches the reporter: what comes later is thrown away.
                    let _ = serve(&shared, reporter);
                    shared.end();
                }
            })?;
        Ok(Self { shared, thread })
    }

    fn join(self, deadline: Instant) -> bool {
        if !self.shared.wait_for_end(deadline) {
            // Blocked in a write; the process ends without it.
            return false;
        }
        self.thread.join().is_ok()
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Arc<News>>,
    chatter: usize,
    dropped: u64,
    last: Option<(Timestamp, u32)>,
    closed: bool,
    ended: bool,
}

impl Queue {
    /// The notice of what was dropped, if anything was.
    fn notice(&mut self) -> Option<Arc<News>> {
        let (at, iteration) = self.last?;
        let count = std::mem::take(&mut self.dropped);
        (count > 0).then(|| {
            Arc::new(News::Chatter(Chatter { at, iteration, said: Said::Dropped { count } }))
        })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, news: Arc<News>) {
        let mut queue = self.lock();
        if queue.ended {
            return;
        }
        if let News::Chatter(chatter) = &*news {
            if queue.chatter >= CHATTER {
                queue.dropped += 1;
                queue.last = Some((chatter.at, chatter.iteration));
                return;
            }
            queue.chatter += 1;
        }
        // A reporter sleeps only while nothing waits: waking it again for each line would cost more than the line.
        let sleeps = queue.waiting.is_empty();
        if let Some(notice) = queue.notice() {
            queue.waiting.push_back(notice);
        }
        queue.waiting.push_back(news);
        drop(queue);
        if sleeps {
            self.changed.notify_all();
        }
    }

    fn close(&self) {
        let mut queue = self.lock();
        if let Some(notice) = queue.notice() {
            queue.waiting.push_back(notice);
        }
        queue.closed = true;
        drop(queue);
        self.changed.notify_all();
    }

    fn end(&self) {
        let mut queue = self.lock();
        queue.ended = true;
        queue.waiting.clear();
        drop(queue);
        self.changed.notify_all();
    }

    fn wait_for_end(&self, deadline: Instant) -> bool {
        let mut queue = self.lock();
        while !queue.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let (back, _) =
                self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner);
            queue = back;
        }
        true
    }

    /// Lets news gather for a moment, unless all is over.
    fn gather(&self) {
        let queue = self.lock();
        if !queue.closed {
            let open = |queue: &mut Queue| !queue.closed;
            drop(self.changed.wait_timeout_while(queue, GATHER, open));
        }
    }

    /// What waits now, or nothing once the next tick is due; `None` when all is over.
    fn take(&self, tick_at: Instant) -> Option<VecDeque<Arc<News>>> {
        let mut queue = self.lock();
        loop {
            if !queue.waiting.is_empty() {
                queue.chatter = 0;
                return Some(std::mem::take(&mut queue.waiting));
            }
            if queue.closed {
                return None;
            }
            let left = tick_at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if let Some(notice) = queue.notice() {
                    return Some(VecDeque::from([notice]));
                }
                return Some(VecDeque::new());
            }
            let (back, _) =
                self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner);
            queue = back;
        }
    }
}

fn serve(shared: &Shared, mut reporter: Box<dyn Reporter>) -> std::io::Result<()> {
    let mut tick_at = Instant::now() + TICK;
    while let Some(batch) = shared.take(tick_at) {
        if !batch.is_empty() {
            for news in batch {
                reporter.news(&news)?;
            }
            reporter.caught_up()?;
            shared.gather();
        }
        if Instant::now() >= tick_at {
            reporter.tick(now())?;
            tick_at = Instant::now() + TICK;
        }
    }
    reporter.finish()
}

fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use ralph_agents::event::AgentEvent;
    use ralph_core::event::{Decision, Event};

    use super::*;

    /// Tells what it was told, and waits for leave before each piece of news.
    struct Gated {
        leave: Receiver<()>,
        heard: Sender<String>,
    }

    impl Reporter for Gated {
        fn news(&mut self, news: &News) -> std::io::Result<()> {
            self.heard.send(name(news)).unwrap();
            self.leave.recv().map_err(std::io::Error::other)
        }
        fn tick(&mut self, _: Timestamp) -> std::io::Result<()> {
            Ok(())
        }
        fn finish(&mut self) -> std::io::Result<()> {
            self.heard.send("finish".into()).unwrap();
            Ok(())
        }
    }

    fn name(news: &News) -> String {
        match news {
            News::Decided(decision) => format!("decision {}", decision.seq),
            News::Chatter(Chatter { said: Said::Dropped { count }, .. }) => {
                format!("dropped {count}")
            }
            News::Chatter(_) => "chatter".into(),
        }
    }

    fn decision(seq: u64) -> News {
        News::Decided(Arc::new(Decision {
            v: 1,
            run: "r".into(),
            lane: 0,
            seq,
            at: Timestamp(0),
            events: vec![Event::WaitEnded],
        }))
    }

    fn chatter() -> News {
        News::Chatter(Chatter {
            at: Timestamp(0),
            iteration: 1,
            said: Said::Agent(AgentEvent::Text { text: "hi".into() }),
        })
    }

    fn gated() -> (Gated, Sender<()>, Receiver<String>) {
        let (allow, leave) = channel();
        let (heard, told) = channel();
        (Gated { leave, heard }, allow, told)
    }

    #[test]
    fn a_blocked_reporter_never_blocks_publishing_and_loses_only_chatter() {
        let (reporter, allow, told) = gated();
        let fan_out = FanOut::start(vec![Box::new(reporter)]).unwrap();
        fan_out.publisher().publish(decision(0));
        assert_eq!(told.recv().unwrap(), "decision 0");
        // It is now stuck inside `news`; all of this must return although nobody reads.
        for _ in 0..CHATTER + 500 {
            fan_out.publisher().publish(chatter());
        }
        for seq in 1..=3000 {
            fan_out.publisher().publish(decision(seq));
        }
        for _ in 0..CHATTER + 3002 {
            allow.send(()).unwrap();
        }
        let mut heard: Vec<String> = told.iter().take(CHATTER + 3001).collect();
        assert!(fan_out.finish());
        heard.extend(told.iter());
        let decisions = heard.iter().filter(|h| h.starts_with("decision")).count();
        assert_eq!(decisions, 3000);
        assert_eq!(heard.iter().filter(|h| *h == "chatter").count(), CHATTER);
        assert!(heard.contains(&"dropped 500".into()));
        assert_eq!(heard.last().unwrap(), "finish");
    }

    #[test]
    fn the_end_does_not_wait_for_a_blocked_reporter_and_the_others_get_everything() {
        let (stuck, _allow, stuck_told) = gated();
        let (free, allow, told) = gated();
        let fan_out = FanOut::start(vec![Box::new(stuck), Box::new(free)]).unwrap();
        fan_out.publisher().publish(decision(0));
        assert_eq!(stuck_told.recv().unwrap(), "decision 0");
        fan_out.publisher().publish(decision(1));
        allow.send(()).unwrap();
        allow.send(()).unwrap();
        assert!(!fan_out.finish());
        let heard: Vec<String> = told.iter().collect();
        assert_eq!(heard, ["decision 0", "decision 1", "finish"]);
    }

    #[test]
    fn a_reporter_that_errors_is_detached() {
        let (reporter, allow, told) = gated();
        let fan_out = FanOut::start(vec![Box::new(reporter)]).unwrap();
        drop(allow);
        fan_out.publisher().publish(decision(0));
        assert_eq!(told.iter().collect::<Vec<_>>(), ["decision 0"]);
        fan_out.publisher().publish(decision(1));
        assert!(fan_out.finish());
    }

    #[test]
    fn clocks_move_without_news() {
        struct Ticks(Sender<()>);
        impl Reporter for Ticks {
            fn news(&mut self, _: &News) -> std::io::Result<()> {
                Ok(())
            }
            fn tick(&mut self, _: Timestamp) -> std::io::Result<()> {
                self.0.send(()).map_err(std::io::Error::other)
            }
            fn finish(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (ticked, ticks) = channel();
        let fan_out = FanOut::start(vec![Box::new(Ticks(ticked))]).unwrap();
        ticks.recv().unwrap();
        ticks.recv().unwrap();
        drop(ticks);
        assert!(fan_out.finish());
    }
}
