//! Brings what a run writes into the model: polls sizes and the lock's owner, never takes anything.

use std::{
    fs,
    path::PathBuf,
    sync::mpsc::{Receiver, TryRecvError, channel},
    thread,
};

use ralph_agents::{event::AgentEvent, live_event::Said};
use ralph_core::{event::Decision, ids::RunId, timeline::Timeline};
use ralph_engine::{
    follow::{CallLog, Tail},
    inbox,
    journal::{self, Lock},
    layout::Layout,
    project_file, runs,
};

use super::{
    model::{Life, Model, Pane, Shown},
    patch,
    stream::Stream,
    watched::Watched,
    window::{self, STEP},
};
use crate::diagnostics::CommandError;

/// So many bytes at the end of a call's events are read at first.
const WINDOW: u64 = 2 << 20;
/// So many where an agent says more than can be read between two frames.
const NEWEST: u64 = 128 << 10;

/// Longest journal that is read before the first frame.
const SHORT: u64 = 8 << 20;
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
    log: CallLog,
    /// How far the log was read.
    heard: u64,
    gates: Option<Tail>,
}

impl Source {
    /// A short journal is read at once. Of a long one the newest snapshot and the journal's end are shown first, and what
    /// else it tells comes later.
    pub(super) fn open(watched: &Watched, model: &mut Model) -> Result<Self, CommandError> {
        let Watched { layout, run, .. } = watched;
        let journal = layout.journal(run);
        let is_short = fs::metadata(&journal).is_ok_and(|about| about.len() <= SHORT);
        let mut source = Self {
            layout: layout.clone(),
            run: run.clone(),
            offset: 0,
            seq: 0,
            journal,
            length: 0,
            folding: None,
            since: Vec::new(),
            log: CallLog::default(),
            heard: 0,
            gates: None,
        };
        if is_short {
            source.decided(model)?;
        }
        if model.state().is_none() {
            source.recover(model)?;
        }
        model.timeline.is_older = runs::latest(layout).is_some_and(|latest| latest > *run);
        let (life, elsewhere) = source.life(model);
        model.live(life, elsewhere);
        model.list();
        source.poll(model)?;
        Ok(source)
    }

    fn recover(&mut self, model: &mut Model) -> Result<(), CommandError> {
        let known = journal::recover(&self.journal)?;
        let seq = known.state.seq;
        (self.offset, self.length, self.seq) = (known.length, known.length, seq);
        model.timeline = Timeline::of_state(known.state);
        let (done, folding) = channel();
        self.folding = Some(folding);
        let path = self.journal.clone();
        thread::spawn(move || {
            let mut timeline = Box::new(Timeline::default());
            let _ = journal::read(&path, 0, 0, |decision| {
                if decision.seq < seq {
                    timeline.apply(&decision);
                }
            });
            // Nobody waits for it once the screen is left.
            let _ = done.send(timeline);
        });
        Ok(())
    }

    /// Looks for news; tells whether there were any.
    pub(super) fn poll(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let mut is_new = self.folded(model);
        // Asked first: what a run writes before it lets go is then read below.
        let (life, elsewhere) = self.life(model);
        is_new |= self.decided(model)?;
        let life = if model.state().is_some_and(|state| state.outcome().is_some()) {
            if life == Life::Going { Life::Going } else { Life::Ended }
        } else {
            life
        };
        is_new |= life != model.life;
        model.live(life, elsewhere);
        if is_new {
            model.proved = None;
            model.list();
        }
        model.count();
        let sent = inbox::peek(&self.layout.inbox());
        is_new |= sent != model.sent;
        model.sent = sent;
        is_new |= self.choose(model);
        is_new |= self.said(model)?;
        is_new |= self.read_around(model)?;
        is_new |= self.patch(model);
        Ok(is_new)
    }

    /// Searches on, if something is sought.
    pub(super) fn seek(&mut self, model: &mut Model) -> Result<(), CommandError> {
        model.search_on(&self.log)?;
        self.read_around(model)?;
        Ok(())
    }

    /// The whole of what the call with this result gave.
    pub(super) fn output(&self, place: u64) -> Option<String> {
        let mut whole = None;
        let read = self.log.read(place, STEP, |at, said| {
            if let (true, Said::Agent(AgentEvent::ToolEnd { output, .. })) =
                (at == place, said.said)
            {
                whole = Some(output);
            }
            false
        });
        read.ok().and(whole)
    }

    /// Reads the part of the log that is to be shown.
    fn read_around(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let Some(place) = model.wanted.take() else { return Ok(false) };
        let part = window::around(&self.log, place)?;
        let item = part.item_at(place);
        if let Some(pick) = model.pick.as_mut().filter(|pick| pick.key.0 == place && item != place)
        {
            pick.key = (item, 0);
            if part.tool(item).is_some_and(|tool| !model.shown.is_open(item, tool)) {
                model.shown.turned.insert(item);
            }
        }
        model.shown.past = Some(part);
        Ok(true)
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
        let protect = model.state().map(|state| state.start.settings.gates.protect.as_slice());
        let exposed = text.as_deref().map(|text| patch::exposed(text, protect.unwrap_or_default()));
        (model.shown.exposed, model.shown.patch) = (exposed.unwrap_or_default(), text);
        model.shown.patch.is_some()
    }

    /// Whether a process works on the run; of one on another machine nobody can tell, but for its name.
    fn life(&self, model: &Model) -> (Life, Option<String>) {
        let owner = Lock::peek(&self.layout.lock());
        let is_over = model.state().is_some_and(|state| state.outcome().is_some());
        let is_going = owner.as_ref().is_some_and(|owner| owner.run.as_ref() == Some(&self.run));
        let elsewhere = owner.and_then(|owner| owner.elsewhere().map(str::to_owned));
        let life = match (is_going, is_over || elsewhere.is_some()) {
            (true, _) => Life::Going,
            (false, true) => Life::Ended,
            (false, false) => Life::Gone,
        };
        (life, elsewhere)
    }

    /// Takes the whole timeline over once it is there.
    fn folded(&mut self, model: &mut Model) -> bool {
        let Some(folding) = &self.folding else { return false };
        match folding.try_recv() {
            Ok(timeline) => {
                let Timeline { is_older, is_elsewhere, .. } = model.timeline;
                model.timeline = *timeline;
                (model.timeline.is_older, model.timeline.is_elsewhere) = (is_older, is_elsewhere);
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
        let is_other = wanted != model.shown.iteration;
        if is_other {
            model.shown = Shown { iteration: wanted, ..Shown::default() };
            (model.pick, model.wanted, model.search) = (None, None, None);
            self.log = CallLog::default();
            self.gates = wanted.map(|nth| Tail::new(&self.layout.gate_notices(&self.run, nth)));
        }
        let is_first = self.log.length() == 0;
        let has_grown = wanted.is_some_and(|nth| self.log.grow(&self.layout, &self.run, nth));
        if is_other || is_first && has_grown {
            self.heard = self.log.length().saturating_sub(WINDOW);
            model.shown.stream.is_cut = self.heard > 0;
        }
        is_other || has_grown
    }

    /// Reads what was said since.
    fn said(&mut self, model: &mut Model) -> Result<bool, CommandError> {
        let mut is_new = false;
        if self.log.length() < self.heard {
            // A call that is repeated after a crash begins its file anew.
            (self.heard, model.shown.stream) = (0, Stream::default());
        }
        if self.log.length() - self.heard > WINDOW {
            // More came than can be read between two frames: only the newest is.
            self.heard = self.log.length() - NEWEST;
            model.shown.stream = Stream::default();
            model.shown.stream.is_cut = true;
        }
        let stream = &mut model.shown.stream;
        loop {
            let next = self.log.read(self.heard, STEP, |place, said| {
                stream.take(place, &said);
                true
            })?;
            if next == self.heard {
                break;
            }
            (self.heard, is_new) = (next, true);
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

#[cfg(test)]
mod tests {
    use ralph_agents::live_event::News;
    use ralph_engine::journal::Writer;

    use super::*;
    use crate::reporters::tests::scripts::{self, Beat};

    #[test]
    fn a_long_journal_is_shown_by_its_state_first_and_whole_later() -> Result<(), CommandError> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(&folder.path().join("git"), folder.path());
        let run = RunId::from("261114-0042-k3f");
        fs::create_dir_all(layout.run(&run))?;
        let mut journal = Writer::create(&layout.journal(&run))?;
        for beat in scripts::given_up() {
            if let Beat::News(News::Decided(decision)) = beat {
                journal.append(&decision)?;
            }
        }
        let watched = Watched { folder: folder.path().to_owned(), layout, run };
        let (mut short, mut long) = (Model::default(), Model::default());
        let mut source = Source::open(&watched, &mut short)?;
        source.recover(&mut long)?;
        assert_eq!(format!("{:?}", long.timeline.counts), format!("{:?}", short.timeline.counts));
        assert!(long.timeline.history.newest.is_empty());
        while source.folding.is_some() {
            source.poll(&mut long)?;
            thread::yield_now();
        }
        assert_eq!(long.timeline.history, short.timeline.history);
        assert_eq!(long.life, Life::Ended);
        Ok(())
    }
}
