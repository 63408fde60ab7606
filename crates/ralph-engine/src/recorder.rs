//! The recorder: where inputs become decisions. Journal first, then state, then views and reporters.
//!
//! Invariant: nobody acts on a decision that is not on disk.

use std::{error::Error, os::fd::BorrowedFd, path::PathBuf, sync::Arc, time::Duration};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ralph_agents::live_event::News;
use ralph_core::{
    effect::{How, Step},
    event::{Decision, Event, FORMAT},
    evidence::Evidence,
    input::{Input, What},
    run::{RunState, Stint, decide, interruption, next},
    time::Timestamp,
};
use ralph_text::redact::Redactor;

use crate::{
    clock, crash, inbox,
    journal::{JournalError, Snapshot, Writer},
    plan_file::PlanFile,
    ports::Publish,
    process::Attention,
    signals::Signals,
};

/// Journal growth after which a snapshot is worth its cost.
pub(crate) const SNAPSHOT_EVERY: u64 = 1 << 20;
/// How often the inbox is looked at while something is in flight.
const INBOX_EVERY: Duration = Duration::from_millis(500);

/// A run's state and everything that keeps it true.
pub(crate) struct Recorder {
    pub(crate) state: RunState,
    pub(crate) views: PlanFile,
    pub(crate) journal: Writer,
    /// The journal's length at which the next snapshot is due.
    pub(crate) snapshot_at: u64,
    /// The run's folder of truth.
    pub(crate) folder: PathBuf,
    pub(crate) inbox: PathBuf,
    pub(crate) signals: Signals,
    pub(crate) publish: Publish,
    pub(crate) redactor: Redactor,
    /// How much of the run is this process's.
    pub(crate) stint: Option<Stint>,
}

impl Recorder {
    /// Decides about an input, writes the decision down, and only then lets it be true.
    /// Returns whether anything was decided.
    pub(crate) fn take(&mut self, what: What) -> Result<bool, JournalError> {
        let input = Input { at: clock::now().max(self.state.last_at), what };
        let events = decide(&self.state, &input);
        if events.is_empty() {
            return Ok(false);
        }
        self.record(input.at, events)?;
        Ok(true)
    }

    /// Writes a decision down and lets it be true.
    pub(crate) fn record(&mut self, at: Timestamp, events: Vec<Event>) -> Result<(), JournalError> {
        let mut decision = Decision {
            v: FORMAT,
            run: self.state.run.clone(),
            lane: 0,
            seq: self.state.seq,
            at,
            events,
        };
        self.redact(&mut decision);
        self.journal.append(&decision)?;
        crash::point();
        self.state.apply(&decision);
        let note = self.views.after(&self.state, &decision);
        for event in &decision.events {
            if let Event::RequestTaken { request } = event {
                let _ = inbox::remove(&self.inbox, &request.id);
            }
        }
        (self.publish)(News::Decided(Arc::new(decision)));
        self.maybe_snapshot();
        note.map_or(Ok(()), |note| self.warn(note))
    }

    /// Takes secrets out before the decision becomes true, so that state and journal say the same. What people wrote
    /// themselves, plan and settings, is the run's basis and stays as it is.
    fn redact(&self, decision: &mut Decision) {
        let events = std::mem::take(&mut decision.events).into_iter();
        let clean = |event| match event {
            Event::RunStarted(_) | Event::RunResumed { .. } => event,
            Event::EvidenceRecorded { evidence, task, labels } => {
                let of_plan = |mut one: Evidence| {
                    let criterion = std::mem::take(&mut one.criterion);
                    Evidence { criterion, ..self.redactor.data(one) }
                };
                let evidence = evidence.into_iter().map(of_plan).collect();
                Event::EvidenceRecorded { evidence, task, labels: self.redactor.data(labels) }
            }
            event => self.redactor.data(event),
        };
        decision.events = events.map(clean).collect();
    }

    /// Says something that changes nothing.
    pub(crate) fn warn(&mut self, text: String) -> Result<(), JournalError> {
        self.record(clock::now().max(self.state.last_at), vec![Event::Warned { text }])
    }

    /// Makes the plan file fit a run that is taken up again. Says so if somebody had changed it, and gives what they
    /// made of it.
    pub(crate) fn adopt_plan(&mut self) -> Result<Option<String>, JournalError> {
        let Some((note, edited)) = self.views.adopt(&self.state) else { return Ok(None) };
        self.warn(note)?;
        Ok(edited)
    }

    /// Brings the plan back to where it was read, once all is over; says so if somebody had changed it there.
    pub(crate) fn close(&mut self) -> Result<(), JournalError> {
        match self.views.close(&self.state) {
            Some(text) => self.warn(text),
            None => Ok(()),
        }
    }

    /// Whether another process is to go on from here.
    pub(crate) fn leaves(&self) -> bool {
        self.stint.is_some_and(|stint| stint.leaves(&self.state, clock::now()))
    }

    /// Signals and requests that arrived meanwhile.
    pub(crate) fn look_up(&mut self) -> Result<(), JournalError> {
        if let Some((signal, count)) = self.signals.take() {
            self.take(What::Signal { signal, count })?;
        }
        for request in inbox::read(&self.inbox).unwrap_or_default() {
            self.take(What::Asked(request))?;
        }
        Ok(())
    }

    /// Waits until a time has come or something arrives.
    pub(crate) fn wait(&mut self, until: Option<Timestamp>) -> Result<(), JournalError> {
        loop {
            self.look_up()?;
            let now = clock::now();
            if !matches!(next(&self.state), Step::Await { .. }) || until.is_some_and(|at| now >= at)
            {
                break;
            }
            let left = until.map_or(INBOX_EVERY, |at| Duration::from_millis(at.since(now).0));
            self.sleep(left.min(INBOX_EVERY));
        }
        self.take(What::Woke)?;
        Ok(())
    }

    /// How many signals a person has sent so far.
    pub(crate) fn signals_seen(&self) -> u32 {
        self.signals.seen()
    }

    /// A snapshot is a convenience: failing to write one changes nothing.
    pub(crate) fn snapshot(&mut self) {
        if let Ok(size) = Snapshot::write(&self.folder, self.journal.length(), &self.state) {
            self.snapshot_at = self.journal.length() + SNAPSHOT_EVERY.max(size);
        }
    }

    fn maybe_snapshot(&mut self) {
        let length = self.journal.length();
        if self.state.seq == 1 {
            // A snapshot of the start would only repeat the journal's first line.
            self.snapshot_at = length + SNAPSHOT_EVERY.max(length);
        } else if length >= self.snapshot_at {
            self.snapshot();
        }
    }

    fn sleep(&self, length: Duration) {
        let mut fds = [PollFd::new(self.signals.fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(length).unwrap_or(PollTimeout::MAX);
        let _ = poll(&mut fds, timeout);
    }
}

impl Attention for Recorder {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.signals.fd())
    }

    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>> {
        self.look_up()?;
        Ok(interruption(&self.state))
    }
}
