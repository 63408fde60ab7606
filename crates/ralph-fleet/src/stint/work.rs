//! A stint from its claim to its report.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};

use super::{
    aside::Refused,
    follow::{Followed, Ready},
    handover::Handed,
    holding::Stint,
    host::{Host, Lost},
    line::{Line, MATERIALISING},
    place::Folder,
    publisher::Out,
    reading::Reading,
    tally::why_taken_over,
};
use crate::{
    journal::fold,
    truth::{Claim, Claimant, Ledger, Rank, claim},
    wire::{LONGEST_GRACE, MOST_ASKS, StintEnd, StintInput, StintReport},
};

impl Host {
    /// Works on a loop until its stint is over. Blocks. Without a report the truth is as it was published last, and
    /// whoever comes next goes on from there.
    pub fn work(
        &self,
        input: &StintInput,
        rank: Rank,
        line: &Line,
        money: Option<u64>,
    ) -> Result<StintReport, Lost> {
        self.make_room()?;
        let folder = Folder::new(&self.root, &input.key);
        folder.make()?;
        let repository = self.repository(&input.spec, &folder)?;
        let claimant = Claimant {
            host: self.name.clone(),
            key: input.key.clone(),
            submission: input.spec.submission.clone(),
            notices_within: input.spec.times.noticed_within(),
            rank,
            version: self.version.clone(),
        };
        let claimed = match claim(&repository, &claimant)? {
            Claim::Mine(claimed) => *claimed,
            Claim::Fenced(why) => return Err(Lost::Fenced(why)),
            Claim::Refused(why) => return Err(Lost::Refused(why)),
        };
        let patience = Duration::from_millis(input.spec.times.kill_ms) + Duration::from_secs(10);
        let place = self.active.enter(&input.key, line, patience);
        let place = place.context("an earlier stint of this loop is still running on this host")?;
        let stint = Stint { host: self, input, line, money, folder, repository, claimed };
        let report = stint.run();
        // What is not tidied now is tidied after a later stint.
        if report.as_ref().is_ok_and(|report| matches!(report.end, StintEnd::Finished { .. })) {
            let _ = stint.repository.forget();
        }
        let _ = stint.repository.pack();
        drop(place);
        self.quota.tidy(&self.root);
        report
    }
}

impl Stint<'_> {
    fn run(&self) -> Result<StintReport, Lost> {
        let published = self.claimed.before.published.clone();
        let ledger = Ledger::new(self.repository.clone(), &self.claimed, published);
        if self.claimed.took_over {
            let holder = &self.claimed.before.lease.holder;
            let why = why_taken_over(holder, &self.host.name);
            self.line.add(|tally| tally.took_over = Some(why));
        }
        let mut untouched = Out { ledger, reading: Reading::default() };
        if !self.wait_out_the_grace()? {
            return self.give_back(&mut untouched, StintEnd::Boundary);
        }
        self.line.phase(MATERIALISING);
        let ready = match self.make_ready() {
            Ok(Ok(ready)) => ready,
            Ok(Err(why)) => return self.give_back(&mut untouched, StintEnd::NeedsPerson { why }),
            Err(error) => {
                // The next one need not wait for a holder that does nothing.
                let _ = untouched.ledger.hand_over(None);
                return Err(error.into());
            }
        };
        let warm = ready.warm;
        let followed = self.follow(ready)?;
        self.finish(followed, warm)
    }

    /// Whoever held the branch may still be at work and cut off: it gets the time to end its agent, also if this stint
    /// is asked to leave meanwhile: a branch that is given back is free at once. False if it was. A holder of this very
    /// process is no exception: it may have been lost while it waited for the one before it.
    fn wait_out_the_grace(&self) -> Result<bool, Lost> {
        if !self.claimed.took_over {
            return Ok(true);
        }
        self.line.phase("taking over");
        let until = Instant::now() + self.grace();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.line.is_fenced() {
                return Err(Lost::Fenced("a later stint on this host claimed it".to_owned()));
            }
            if left.is_zero() {
                return Ok(!self.line.is_asked_to_leave());
            }
            self.line.pause(left);
        }
    }

    /// A server that gave a holder up has waited before; where a person did, the holder's own server may be content.
    fn grace(&self) -> Duration {
        let times = &self.input.spec.times;
        let grace = Duration::from_millis(times.grace_ms);
        let before = &self.claimed.before.lease;
        if before.is_taken_over {
            let theirs = Duration::from_millis(before.noticed_within_ms).min(LONGEST_GRACE);
            return grace.max(times.noticed_within()).max(theirs);
        }
        grace
    }

    /// A folder in step with the truth. What this host had is good only if it is exactly what was published last.
    /// The inner error is what a person must do first.
    fn make_ready(&self) -> anyhow::Result<Result<Ready, String>> {
        let before = &self.claimed.before;
        let ground = self.repository.ground(&before.published, before.lease.run.as_deref())?;
        if let Some(why) = ground.astray {
            return Ok(Err(why));
        }
        let work = self.folder.work();
        let is_in_step = self.folder.synced().as_ref() == Some(&before.commit);
        let is_good = is_in_step && ground.is_as_published && work.join(".git").is_dir();
        let was_synced = self.folder.unmark()?;
        let warm = was_synced && is_good;
        if !warm {
            self.clear(&work, was_synced)?;
            self.repository.make_folder(&work, before, &ground)?;
        }
        let way_out = self.repository.way_out(&self.folder.way_out(), &work)?;
        let trees = ground.published.trees.clone();
        let reading = Reading::after(before.lease.run.as_deref(), &before.files.journal, trees);
        // As patient as git is: what is published may be large, and the lease is watched beside it.
        let ledger = Ledger::new(way_out.clone(), &self.claimed, ground.published);
        Ok(Ok(Ready { work, way_out, out: Out { ledger, reading }, warm }))
    }

    /// Hands the branch over as it was found.
    fn give_back(&self, out: &mut Out, end: StintEnd) -> Result<StintReport, Lost> {
        if let Handed::Refused(why) = self.hand_over(out, None)? {
            return Err(Lost::Failed(anyhow!("the remote refuses to release the lease: {why}")));
        }
        let truth = out.ledger.head().to_owned();
        let run = fold(&self.claimed.before.files.journal)?;
        Ok(StintReport { idle: true, ..self.report_of(run.as_ref(), end, truth) })
    }

    fn finish(&self, followed: Followed, warm: bool) -> Result<StintReport, Lost> {
        let Followed { mut ralph, status, mut out, run, has_all_wishes, was_killed, taken } =
            followed;
        self.line.phase("publishing");
        let handed = self.hand_over(&mut out, run.as_deref())?;
        let said = ralph.said();
        if let Handed::Refused(why) = handed {
            let refused = Refused { run: run.as_deref(), said: &why, ralph: said.as_ref() };
            return self.set_aside(&mut out, &refused);
        }
        let truth = out.ledger.head().to_owned();
        let end = match (&said, status.code()) {
            (Some(said), _) => said.end.clone(),
            // Without a line it could not begin, or is broken: trying again would end the same way.
            (None, Some(code)) if code != 0 && !was_killed => StintEnd::Finished {
                outcome: ralph.complaint(),
                exit: u8::try_from(code).unwrap_or(u8::MAX),
            },
            (None, _) => {
                return Err(Lost::Failed(anyhow!(
                    "ralph ended ({status}) without a report: {}",
                    ralph.complaint()
                )));
            }
        };
        // What ralph does not say is in its journal.
        let published = match said {
            Some(_) => None,
            None => self.published(&out, run.as_deref()),
        };
        self.folder.mark(&truth, matches!(end, StintEnd::Finished { .. }))?;
        let mut report = StintReport { warm, ..self.report_of(published.as_ref(), end, truth) };
        if let Some(said) = said {
            (report.done, report.tasks) = (said.done, said.tasks);
            (report.iterations, report.cost_micro_usd) = (said.iterations, said.cost_micro_usd);
            (report.asks, report.weaker) = (said.asks, said.weaker);
            report.asks.truncate(MOST_ASKS);
            report.weaker.truncate(MOST_ASKS);
            for ask in &mut report.asks {
                ask.work = out.ledger.place_of_work(&ask.task);
            }
        }
        report.delivered = self.delivered(&out, &taken, |_| has_all_wishes);
        Ok(report)
    }
}
