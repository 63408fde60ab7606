//! Hands a branch over: publishes its last moment and gives the lease back, however long the remote is away. No agent
//! works meanwhile, so nobody is kept from taking the branch.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::anyhow;

use super::{holding::Stint, host::Lost, publisher::Out, refusal::Refusals};
use crate::truth::{Snapshot, Went, remote_said};

/// The pause between two tries; it doubles each time, up to the longest.
const AGAIN: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(5);

/// How often a remote may say that it refuses: some 13 s.
const REFUSALS: u32 = 7;

/// How often git may fail here.
const FAILURES: u32 = 20;

/// How long a remote that is away is waited for once the worker wants to end.
const LAST_CHANCE: Duration = Duration::from_mins(2);

/// What became of a branch that was to be handed over.
pub(super) enum Handed {
    Over,
    /// The remote is there and does not take it; this is what it said.
    Refused(String),
}

impl Stint<'_> {
    /// Hands over with the run's last moment, if there is a run.
    pub(super) fn hand_over(&self, out: &mut Out, run: Option<&str>) -> Result<Handed, Lost> {
        let work = self.folder.work();
        let (mut refusals, mut failures) = (Refusals::default(), 0);
        let mut pause = AGAIN;
        let mut leaving: Option<Instant> = None;
        loop {
            let began = Instant::now();
            let went = match run {
                Some(run) => self.hand_over_at_once(out, &work, run),
                None => out.ledger.hand_over(None),
            };
            if !matches!(went, Ok(Went::Known)) {
                self.line.count(matches!(went, Ok(Went::Out)), began.elapsed());
            }
            let why = match went {
                Ok(Went::Out | Went::Known) => return Ok(Handed::Over),
                Ok(Went::Fenced) => {
                    return Err(Lost::Fenced(
                        "another stint claimed it before it was handed over".to_owned(),
                    ));
                }
                Ok(Went::NotYet { why, has_answered }) => {
                    if has_answered {
                        refusals.count(&why);
                    }
                    if refusals.are_enough(REFUSALS) {
                        return Ok(Handed::Refused(remote_said(&why)));
                    }
                    anyhow!(why)
                }
                Err(error) => {
                    failures += 1;
                    error
                }
            };
            if self.line.is_fenced() {
                return Err(Lost::Fenced("a later stint on this host claimed it".to_owned()));
            }
            if self.line.is_asked_to_leave() {
                leaving.get_or_insert_with(Instant::now);
            }
            let is_late = leaving.is_some_and(|since| since.elapsed() > LAST_CHANCE);
            if failures >= FAILURES || is_late {
                return Err(Lost::Failed(why.context("cannot publish the last work")));
            }
            self.line.phase("waiting for the remote");
            std::thread::sleep(pause);
            pause = LONGEST.min(pause * 2);
        }
    }

    fn hand_over_at_once(&self, out: &mut Out, work: &Path, run: &str) -> anyhow::Result<Went> {
        let mut moment = Snapshot::take(&self.repository, work, run)?;
        out.reading.complete(&mut moment)?;
        let went = out.ledger.hand_over(Some(&moment))?;
        if matches!(went, Went::Out | Went::Known) {
            self.line.keep(out.reading.wishes(&moment));
        }
        Ok(went)
    }
}
