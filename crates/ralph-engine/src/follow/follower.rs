//! Puts decisions and what was said in between into one order.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use ralph_agents::live_event::{Chatter, News};
use ralph_core::{
    event::{Decision, Event, IterationStart},
    ids::RunId,
    time::Timestamp,
};

use super::Tail;
use crate::{
    journal::{self, JournalError},
    layout::Layout,
};

/// Why a run cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
}

/// How far a run has been read.
#[derive(Debug)]
pub struct Follower {
    layout: Layout,
    run: RunId,
    offset: u64,
    seq: u64,
    iteration: u32,
    /// What the calls of the iteration under way said, and what its gates did.
    tails: Vec<Tail>,
    failure: Option<FollowError>,
}

impl Follower {
    /// From the run's first decision on.
    pub fn new(layout: &Layout, run: &RunId) -> Self {
        let baseline = Tail::new(&layout.gate_notices(run, 0));
        Self {
            layout: layout.clone(),
            run: run.clone(),
            offset: 0,
            seq: 0,
            iteration: 0,
            tails: vec![baseline],
            failure: None,
        }
    }

    /// From a place in the journal on, before which so many decisions are known. [`Self::decided`] can repeat the last of
    /// those.
    pub fn after(layout: &Layout, run: &RunId, (offset, seq): (u64, u64)) -> Self {
        Self { offset, seq, tails: Vec::new(), ..Self::new(layout, run) }
    }

    /// Everything that was written since the last look, in order.
    pub fn look(&mut self, mut take: impl FnMut(News)) -> Result<(), FollowError> {
        let path = self.layout.journal(&self.run);
        let (offset, mut seq) = (self.offset, self.seq);
        let (offset, _) = journal::read(&path, offset, seq, |decision| {
            seq = decision.seq + 1;
            self.decided(Arc::new(decision), &mut take);
        })?;
        (self.offset, self.seq) = (offset, seq);
        while let Some(said) = self.said(None) {
            take(News::Chatter(said));
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// A decision, after what was said before it.
    pub fn decided(&mut self, decision: Arc<Decision>, mut take: impl FnMut(News)) {
        let start = begun(&decision).cloned();
        // A new iteration ends the old one's chatter, whatever the clock said.
        let is_new = start.as_ref().is_some_and(|start| start.iteration != self.iteration);
        while let Some(said) = self.said((!is_new).then_some(decision.at)) {
            take(News::Chatter(said));
        }
        take(News::Decided(decision));
        if let Some(start) = start {
            if is_new {
                self.iteration = start.iteration;
                self.tails = vec![Tail::new(&self.layout.gate_notices(&self.run, self.iteration))];
            }
            let events = self.layout.events(&self.run, start.iteration, start.retry);
            if self.tails.iter().all(|tail| tail.path() != events) {
                self.tails.push(Tail::new(&events));
            }
        }
    }

    /// The oldest thing that was said and not given yet, if it is not later than `until`.
    fn said(&mut self, until: Option<Timestamp>) -> Option<Chatter> {
        loop {
            let mut oldest: Option<(Timestamp, usize)> = None;
            for (nth, tail) in self.tails.iter_mut().enumerate() {
                match tail.peek() {
                    Ok(Some(said)) if oldest.is_none_or(|(at, _)| said.at < at) => {
                        oldest = Some((said.at, nth));
                    }
                    Ok(_) => {}
                    Err(source) => failed(&mut self.failure, tail.path(), source),
                }
            }
            let (at, nth) = oldest?;
            if until.is_some_and(|until| at > until) {
                return None;
            }
            let said = self.tails.get_mut(nth)?.take().ok()??;
            if said.iteration == self.iteration {
                return Some(said);
            }
        }
    }
}

fn failed(failure: &mut Option<FollowError>, path: &Path, source: io::Error) {
    failure.get_or_insert(FollowError::File { path: path.to_owned(), source });
}

/// The iteration that a decision began.
fn begun(decision: &Decision) -> Option<&IterationStart> {
    decision.events.iter().find_map(|event| match event {
        Event::IterationStarted(start) => Some(start),
        _ => None,
    })
}
