//! Follows a ralph at work: publishes what it decides, passes on what people want, watches the lease, and ends it when
//! the branch is no longer this stint's.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::{Duration, Instant},
};

use super::{
    holding::Stint,
    host::Lost,
    publisher::{Out, Publisher},
    ralph::{Ralph, Start},
    tail::{Tail, is_worth_publishing, newest_run},
    tally::{self, Tally},
    watch::{Watch, Word},
    wishes::Wishes,
};
use crate::truth::{Mine, Repository};

/// A stint whose folder is ready.
pub(super) struct Ready {
    pub(super) work: PathBuf,
    pub(super) way_out: Repository,
    pub(super) out: Out,
    pub(super) warm: bool,
}

/// A ralph that has ended by itself, and what is to be published of it.
pub(super) struct Followed {
    pub(super) ralph: Ralph,
    pub(super) status: ExitStatus,
    pub(super) out: Out,
    pub(super) run: Option<String>,
    /// Every wish lies in the inbox, or was taken from there.
    pub(super) has_all_wishes: bool,
    /// It did not leave when it was asked to, and was killed.
    pub(super) was_killed: bool,
    /// Files of the wishes that the run has taken.
    pub(super) taken: BTreeSet<String>,
}

/// What the journal has told so far.
struct Heard {
    tail: Option<Tail>,
    reader: tally::Reader,
    wishes: Wishes,
    has_begun: bool,
    /// Since when something waits to be published.
    wanted: Option<Instant>,
}

/// How often the journal is looked at.
const TICK: Duration = Duration::from_millis(50);

/// What ends an iteration waits so long for the beginning of the next: one push for both, and whoever watches sees what
/// is worked on.
const NEXT_BEGINS_WITHIN: Duration = Duration::from_secs(1);

/// How long a ralph may take to leave once it is asked to.
const LEAVES_WITHIN: Duration = Duration::from_mins(1);

impl Stint<'_> {
    /// Lets ralph work until it ends.
    pub(super) fn follow(&self, ready: Ready) -> Result<Followed, Lost> {
        let Ready { work, way_out, out, .. } = ready;
        let mine = out.ledger.mine();
        let mut heard = self.begin(&work)?;
        let heard_at = self.look_once_more(&mine)?;
        let mut ralph = Ralph::start(&Start {
            host: &self.host.name,
            program: &self.host.ralph,
            home: self.host.home.as_deref(),
            work: &work,
            folder: self.folder.path(),
            input: self.input,
            money: self.money,
        })?;
        self.line.phase("working");
        let publisher = Publisher::start(way_out.clone(), work.clone(), out, self.line.clone());
        let mut watch = Watch::new(&self.input.spec.times, heard_at);
        let mut asked: Option<Instant> = None;
        let mut was_killed = false;
        let status = loop {
            let ended = ralph.ended()?;
            self.hear(&mut heard, &work, &publisher)?;
            if let Some(status) = ended {
                break status;
            }
            let going = publisher.going();
            let lost = if going.is_fenced || self.line.is_fenced() {
                Some(Lost::Fenced("another stint claimed it later".to_owned()))
            } else {
                match watch.ask(self.line.touch(), going.heard, (&way_out, &mine)) {
                    Word::GoOn => None,
                    Word::NotMine => {
                        Some(Lost::Fenced("another stint claimed it later".to_owned()))
                    }
                    Word::CutOff => Some(Lost::CutOff),
                }
            };
            if let Some(lost) = lost {
                self.line.phase("ending its agent");
                ralph.kill()?;
                return Err(lost);
            }
            if going.has_branch_moved || going.is_refused || self.line.is_asked_to_leave() {
                let since = *asked.get_or_insert_with(|| {
                    ralph.ask_to_leave();
                    Instant::now()
                });
                if since.elapsed() > LEAVES_WITHIN {
                    ralph.kill()?;
                    was_killed = true;
                }
            }
            self.line.pause(TICK);
        };
        let out = publisher.stop()?;
        let has_all_wishes = heard.has_begun;
        let (run, state) = heard.tail.map(|tail| (tail.run, tail.state)).unzip();
        let taken = state.flatten().map(|state| state.taken).unwrap_or_default();
        Ok(Followed { ralph, status, out, run, has_all_wishes, was_killed, taken })
    }

    /// Getting ready may have taken long enough for another to claim the branch. When the remote was asked last that
    /// says that none has.
    fn look_once_more(&self, mine: &Mine) -> Result<Instant, Lost> {
        let times = &self.input.spec.times;
        if self.claimed.at.elapsed() < Duration::from_millis(times.look_ms) {
            return Ok(self.claimed.at);
        }
        let asked = Instant::now();
        let there =
            self.repository.within(Duration::from_millis(times.silence_ms)).remote_truth()?;
        if there.is_some_and(|commit| mine.has(&commit)) {
            return Ok(asked);
        }
        Err(Lost::Fenced("another stint claimed it before ralph started".to_owned()))
    }

    /// What is known before ralph starts, and the wishes that it should find.
    fn begin(&self, work: &Path) -> anyhow::Result<Heard> {
        let before = &self.claimed.before;
        let wishes = Wishes::new(&before.files.inbox, &self.input.wishes)?;
        wishes.put_for_the_run(work)?;
        let mut tail = before.lease.run.as_ref().map(|run| Tail::new(work, run));
        let mut reader = tally::Reader::default();
        if let Some(tail) = &mut tail {
            // Counted by the stints that did it.
            let mut past = Tally::default();
            tail.news()?.iter().for_each(|event| reader.read(event, &mut past));
        }
        Ok(Heard { tail, reader, wishes, has_begun: false, wanted: None })
    }

    /// Reads on in the journal and has published what should not be lost.
    fn hear(&self, heard: &mut Heard, work: &Path, publisher: &Publisher) -> anyhow::Result<()> {
        let newest = newest_run(work);
        if newest.is_some() && newest.as_ref() != heard.tail.as_ref().map(|tail| &tail.run) {
            heard.tail = newest.map(|run| Tail::new(work, &run));
        }
        let Some(tail) = &mut heard.tail else {
            return Ok(());
        };
        let events = tail.news()?;
        if self.line.has_news() || events.iter().any(is_worth_publishing) {
            heard.wanted.get_or_insert_with(Instant::now);
        }
        let is_due = |since: &mut Instant| {
            !tail.is_between_iterations() || since.elapsed() >= NEXT_BEGINS_WITHIN
        };
        if heard.wanted.take_if(is_due).is_some() {
            publisher.want(&tail.run);
        }
        if events.is_empty() {
            return Ok(());
        }
        if !heard.has_begun {
            heard.has_begun = true;
            heard.wishes.put_for_the_process(work)?;
            self.line.begin();
        }
        self.line.show(|progress| tail.show(progress));
        let reader = &mut heard.reader;
        self.line.add(|tally| events.iter().for_each(|event| reader.read(event, tally)));
        Ok(())
    }
}
