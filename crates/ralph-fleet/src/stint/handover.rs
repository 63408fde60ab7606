//! Hands a branch over: publishes its last moment and gives the lease back, however long the remote is away. No agent
//! works meanwhile, so nobody is kept from taking the branch.

use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::{host::Lost, work::Stint};
use crate::truth::{Ledger, Snapshot, Went};

/// The pause between two tries.
const AGAIN: Duration = Duration::from_millis(500);

/// How often a remote that answers may refuse, or git fail here.
const REFUSALS: u32 = 60;

/// How long a remote that is away is waited for once the worker wants to end.
const LAST_CHANCE: Duration = Duration::from_mins(2);

impl Stint<'_> {
    /// Hands over with the run's last moment, if there is a run: its name, and the trees that go with it.
    pub(super) fn hand_over(
        &self,
        ledger: &mut Ledger,
        run: Option<(&str, &[String])>,
    ) -> Result<(), Lost> {
        let work = self.folder.work();
        let mut refusals = 0;
        let mut leaving: Option<Instant> = None;
        loop {
            let began = Instant::now();
            let went = match run {
                Some((run, trees)) => {
                    Snapshot::take(&self.repository, &work, run).and_then(|mut moment| {
                        moment.trees = trees.to_vec();
                        ledger.hand_over(Some(&moment))
                    })
                }
                None => ledger.hand_over(None),
            };
            self.line.count(matches!(went, Ok(Went::Out)), began.elapsed());
            let why = match went {
                Ok(Went::Out) => return Ok(()),
                Ok(Went::Fenced) => {
                    return Err(Lost::Fenced(
                        "it was claimed before it was handed over".to_owned(),
                    ));
                }
                Ok(Went::NotYet { why, has_answered }) => {
                    refusals += u32::from(has_answered);
                    anyhow!(why)
                }
                Err(error) => {
                    refusals += 1;
                    error
                }
            };
            if self.line.is_fenced() {
                return Err(Lost::Fenced("a later stint of this host claimed it".to_owned()));
            }
            if self.line.is_asked_to_leave() {
                leaving.get_or_insert_with(Instant::now);
            }
            let is_late = leaving.is_some_and(|since| since.elapsed() > LAST_CHANCE);
            if refusals >= REFUSALS || is_late {
                return Err(Lost::Failed(why.context("the last work could not be published")));
            }
            self.line.phase("waiting for the remote");
            std::thread::sleep(AGAIN);
        }
    }
}
