//! Follows a ralph at work: publishes what it decides, passes on what people want, watches the lease, and ends it when
//! the branch is no longer this stint's.

use std::{
    path::Path,
    process::ExitStatus,
    time::{Duration, Instant},
};

use super::{
    host::Lost,
    publisher::{Order, Publisher},
    ralph::{Ralph, Start},
    tail::{Tail, is_worth_publishing, newest_run, trees_of},
    watch::{Watch, Word},
    wishes::Wishes,
    work::{Ready, Stint},
};
use crate::truth::Ledger;

/// A ralph that has ended by itself, and what is to be published of it.
pub(super) struct Followed {
    pub(super) ralph: Ralph,
    pub(super) status: ExitStatus,
    pub(super) ledger: Ledger,
    pub(super) run: Option<String>,
    pub(super) trees: Vec<String>,
    /// Every wish lies in the inbox, or was taken from there.
    pub(super) has_all_wishes: bool,
}

/// What the journal has told so far.
struct Heard {
    tail: Option<Tail>,
    trees: Vec<String>,
    wishes: Wishes,
    has_begun: bool,
}

/// How often the journal is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long a ralph may take to leave once it is asked to.
const LEAVES_WITHIN: Duration = Duration::from_mins(1);

/// How many trees stay with the truth: the last attempt's, and what others went on from.
const TREES: usize = 4;

impl Stint<'_> {
    /// Lets ralph work until it ends.
    pub(super) fn follow(&self, ready: Ready) -> Result<Followed, Lost> {
        let Ready { work, way_out, ledger, mine, trees, .. } = ready;
        let mut heard = self.begin(&work, trees)?;
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
        let publisher = Publisher::start(way_out.clone(), work.clone(), ledger, self.line.clone());
        let mut watch = Watch::new(&self.input.spec.times);
        let mut asked: Option<Instant> = None;
        let status = loop {
            let ended = ralph.ended()?;
            self.hear(&mut heard, &work, &publisher)?;
            if let Some(status) = ended {
                break status;
            }
            let going = publisher.going();
            let lost = if going.is_fenced || self.line.is_fenced() {
                Some(Lost::Fenced("another claim came later".to_owned()))
            } else {
                match watch.ask(self.line.is_in_touch(), going.heard, (&way_out, &mine)) {
                    Word::GoOn => None,
                    Word::NotMine => Some(Lost::Fenced("another claim came later".to_owned())),
                    Word::CutOff => Some(Lost::CutOff),
                }
            };
            if let Some(lost) = lost {
                self.line.phase("ending its agent");
                ralph.kill()?;
                return Err(lost);
            }
            if going.has_branch_moved || self.line.is_asked_to_leave() {
                let since = *asked.get_or_insert_with(|| {
                    ralph.ask_to_leave();
                    Instant::now()
                });
                if since.elapsed() > LEAVES_WITHIN {
                    ralph.kill()?;
                }
            }
            self.line.pause(TICK);
        };
        let ledger = publisher.stop()?;
        let run = heard.tail.map(|tail| tail.run);
        let has_all_wishes = heard.has_begun;
        Ok(Followed { ralph, status, ledger, run, trees: heard.trees, has_all_wishes })
    }

    /// What is known before ralph starts, and the wishes that it should find.
    fn begin(&self, work: &Path, trees: Vec<String>) -> anyhow::Result<Heard> {
        let before = &self.claimed.before;
        let wishes = Wishes::new(&before.files.inbox, &self.input.wishes)?;
        wishes.put_for_the_run(work)?;
        let mut tail = before.lease.run.as_ref().map(|run| Tail::new(work, run));
        if let Some(tail) = &mut tail {
            tail.news()?;
        }
        Ok(Heard { tail, trees, wishes, has_begun: false })
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
        if events.is_empty() && !self.line.has_news() {
            return Ok(());
        }
        if !events.is_empty() && !heard.has_begun {
            heard.has_begun = true;
            heard.wishes.put_for_the_process(work)?;
        }
        self.line.show(|progress| tail.show(progress));
        for tree in events.iter().filter_map(trees_of) {
            heard.trees.retain(|known| *known != tree);
            heard.trees.push(tree);
        }
        let beyond = heard.trees.len().saturating_sub(TREES);
        heard.trees.drain(..beyond);
        if events.is_empty() || events.iter().any(is_worth_publishing) {
            publisher.want(Order { run: tail.run.clone(), trees: heard.trees.clone() });
        }
        Ok(())
    }
}
