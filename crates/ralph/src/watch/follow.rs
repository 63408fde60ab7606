//! Brings what a run writes into the model: polls sizes and the lock's owner, never takes anything.

use std::{
    fs,
    path::PathBuf,
    sync::mpsc::{Receiver, TryRecvError, channel},
    thread,
};

use ralph_agents::live_event::Said;
use ralph_core::{event::Decision, ids::RunId, timeline::Timeline};
use ralph_engine::{
    follow::Tail,
    journal::{self, Lock},
    layout::Layout,
    project_file, runs,
};

use super::{
    model::{Life, Model, Pane, Shown},
    watched::Watched,
};
use crate::diagnostics::CommandError;

/// So many bytes at the end of a call's events are read at first.
const WINDOW: u64 = 2 << 20;

/// Largest patch that is shown.
const LARGEST_PATCH: u64 = 8 << 20;

/// Follows one run.
pub(super) struct Source {
    layout: Layout,
    run: RunId,
    /// Where the next decision will be.
    offset: u64,
    seq: u64,
    journal: PathBuf,
    length: u64,
    /// All decisions folded, once a thread is done with it.
    folding: Option<Receiver<Box<Timeline>>>,
    /// What was decided since that thread began.
    since: Vec<Decision>,
    calls: Vec<Tail>,
    gates: Option<Tail>,
}

impl Source {
    /// The run as its newest snapshot and the journal's end tell it; what else the journal tells comes later.
    pub(super) fn open(watched: &Watched, model: &mut Model) -> Result<Self, CommandError> {
        let Watched { layout, run, .. } = watched;
        let path = layout.journal(run);
        let known = journal::recover(&path)?;
        let (length, seq) = (known.length, known.state.seq);
        let is_older = runs::latest(layout).is_some_and(|latest| latest > *run);
        model.timeline = Timeline::of_state(known.state);
        model.timeline.is_older = is_older;
        let (done, folding) = channel();
        let journal = path.clone();
        thread::spawn(move || {
            let mut timeline = Box::new(Timeline::default());
            timeline.is_older = is_older;
            let _ = journal::read(&path, 0, 0, |decision| {
                if decision.seq < seq {
                    timeline.apply(&decision);
                }
            });
            // Nobody waits for it once the screen is left.
            let _ = done.send(timeline);
        });
        let mut source = Self {
            layout: layout.clone(),
            run: run.clone(),
            offset: length,
            seq,
            journal,
            length,
            folding: Some(folding),
            since: Vec::new(),
            calls: Vec::new(),
            gates: None,
        };
        model.life = source.life(model);
        model.list();
        source.poll(model)?;
        Ok(source)
    }

    /// Looks for news; tells whether there were any.
    pub(super) fn poll(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let mut is_new = self.folded(model);
        // Asked first: what a run writes before it lets go is then read below.
        let life = self.life(model);
        is_new |= self.decided(model)?;
        let life = if model.state().is_some_and(|state| state.outcome().is_some()) {
            if life == Life::Going { Life::Going } else { Life::Ended }
        } else {
            life
        };
        is_new |= life != model.life;
        model.life = life;
        if is_new {
            model.list();
        }
        is_new |= self.choose(model);
        is_new |= self.said(model)?;
        is_new |= self.patch(model);
        Ok(is_new)
    }

    /// The shown iteration's folder.
    pub(super) fn folder(&self, model: &Model) -> Option<PathBuf> {
        Some(self.layout.iteration(&self.run, model.shown.iteration?))
    }

    /// What the shown iteration changed, once that is written.
    fn patch(&self, model: &mut Model) -> bool {
        if model.pane != Pane::Diff || model.shown.patch.is_some() {
            return false;
        }
        let path = self.folder(model).map(|folder| folder.join("diff.patch"));
        let text = path.and_then(|path| project_file::text(&path, LARGEST_PATCH).ok());
        model.shown.patch = text;
        model.shown.patch.is_some()
    }

    fn life(&self, model: &Model) -> Life {
        let owner = Lock::peek(&self.layout.lock()).and_then(|owner| owner.run);
        let is_over = model.state().is_some_and(|state| state.outcome().is_some());
        match owner {
            Some(run) if run == self.run => Life::Going,
            _ if is_over => Life::Ended,
            _ => Life::Gone,
        }
    }

    /// Takes the whole timeline over once it is there.
    fn folded(&mut self, model: &mut Model) -> bool {
        let Some(folding) = &self.folding else { return false };
        match folding.try_recv() {
            Ok(timeline) => {
                model.timeline = *timeline;
                for decision in self.since.drain(..) {
                    model.timeline.apply(&decision);
                }
                self.folding = None;
                true
            }
            Err(TryRecvError::Empty) => false,
            Err(TryRecvError::Disconnected) => {
                self.folding = None;
                false
            }
        }
    }

    fn decided(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let length = fs::metadata(&self.journal).map(|about| about.len()).unwrap_or_default();
        if length == self.length {
            return Ok(false);
        }
        self.length = length;
        let (since, is_folding) = (&mut self.since, self.folding.is_some());
        let (mut seq, known) = (self.seq, self.seq);
        let (offset, _) = journal::read(&self.journal, self.offset, seq, |decision| {
            model.timeline.apply(&decision);
            seq = decision.seq + 1;
            if is_folding {
                since.push(decision);
            }
        })?;
        (self.offset, self.seq) = (offset, seq);
        Ok(seq > known)
    }

    /// Opens the files of the iteration that is to be shown, if it is another one than before.
    fn choose(&mut self, model: &mut Model) -> bool {
        let wanted = model.step().map(|step| step.iteration);
        if wanted != model.shown.iteration {
            model.shown = Shown { iteration: wanted, ..Shown::default() };
            self.calls.clear();
            self.gates = wanted.map(|nth| Tail::new(&self.layout.gate_notices(&self.run, nth)));
            self.next_call(model);
            return true;
        }
        self.next_call(model)
    }

    /// Opens the next call of the iteration, once it is there.
    fn next_call(&mut self, model: &mut Model) -> bool {
        let Some(iteration) = model.shown.iteration else { return false };
        let mut is_new = false;
        loop {
            let retry = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
            let path = self.layout.events(&self.run, iteration, retry);
            let Ok(about) = fs::metadata(&path) else { return is_new };
            let from = about.len().saturating_sub(WINDOW);
            model.shown.stream.is_cut |= from > 0;
            self.calls.push(Tail::from(&path, from));
            is_new = true;
        }
    }

    /// Reads what was said since.
    fn said(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let mut is_new = false;
        for tail in &mut self.calls {
            let path = tail.path().to_owned();
            while let Some(said) = tail.take().map_err(CommandError::file("read", &path))? {
                model.shown.stream.take(&said);
                is_new = true;
            }
        }
        if let Some(tail) = &mut self.gates {
            let path = tail.path().to_owned();
            while let Some(said) = tail.take().map_err(CommandError::file("read", &path))? {
                if !matches!(said.said, Said::Agent(_)) {
                    model.shown.gates.push((said.at, said.said));
                }
                is_new = true;
            }
        }
        Ok(is_new)
    }
}
