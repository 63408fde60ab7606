//! Claims a branch: reads its lease and swaps it for one's own. Whoever is refused gives up; the winner may have to wait
//! until a holder that is cut off has ended its agent.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher as _,
    process,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use super::{
    lease::{Lease, Rank},
    push::{Pushed, Swap},
    read::Truth,
    remote_said::remote_said,
    repository::Repository,
    write::Change,
};

/// Who wants the branch.
#[derive(Debug, Clone, Default)]
pub struct Claimant {
    pub host: String,
    /// The id of its loop.
    pub key: String,
    /// The submission that its loop was made by.
    pub submission: String,
    /// How long its agent lives at the most once it has lost the branch.
    pub notices_within: Duration,
    pub rank: Rank,
    pub version: String,
}

/// What became of a claim.
#[derive(Debug)]
pub enum Claim {
    Mine(Box<Claimed>),
    /// Somebody else was first, or comes later by the server's word.
    Fenced(String),
    /// The truth was written by a worker that may know more than this one.
    Refused(String),
}

/// A branch that is held.
#[derive(Debug)]
pub struct Claimed {
    /// The claim's commit: the truth now.
    pub head: String,
    pub lease: Lease,
    /// The truth before it.
    pub before: Truth,
    /// It was held: its holder may still be at work.
    pub took_over: bool,
    /// When the remote was asked for it.
    pub at: Instant,
}

/// Pushes of one claim, as long as the remote answers that nothing has changed.
const TRIES: u32 = 5;

/// How many stints this process has named.
static NAMED: AtomicU64 = AtomicU64::new(1);

impl Claimant {
    fn name(&self) -> String {
        format!("{}{}", own(&self.host), NAMED.fetch_add(1, Ordering::Relaxed))
    }
}

/// What the names of all claims of this process begin with. Neither its host's name nor its number says which process
/// it is: a pod that takes the place of another has both of it.
pub(crate) fn own(host: &str) -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    let process = PROCESS.get_or_init(unlike_any);
    format!("{host}/{}.{process:016x}.", process::id())
}

/// A number that nobody else has.
pub(crate) fn unlike_any() -> u64 {
    RandomState::new().hash_one(process::id())
}

/// Claims the branch.
pub fn claim(repository: &Repository, claimant: &Claimant) -> Result<Claim> {
    let Some(before) = repository.latest()? else {
        bail!("{} is not on the remote; `ralph fleet submit` creates it", repository.truth_ref());
    };
    let old = &before.lease;
    if old.is_newer_than(&claimant.version) {
        return Ok(Claim::Refused(format!(
            "the truth was written by version {}, but this worker is version {}; update it",
            old.version, claimant.version
        )));
    }
    // It answers to another loop, which nobody has given up.
    if !old.key.is_empty() && old.key != claimant.key {
        return Ok(Claim::Fenced(format!("it belongs to loop {}", old.key)));
    }
    if !old.submission.is_empty() && old.submission != claimant.submission {
        let why = "it was submitted again later, perhaps to another server";
        return Ok(Claim::Fenced(why.to_owned()));
    }
    // Also where it was given back: a hand that was cut off may come long after its loop has gone on.
    if old.rank() > claimant.rank {
        return Ok(Claim::Fenced(format!("{} has a later claim", old.holder)));
    }
    let notices_within = u64::try_from(claimant.notices_within.as_millis())?;
    let lease = Lease {
        epoch: old.epoch + 1,
        held: true,
        scheduled_ms: claimant.rank.scheduled_ms,
        attempt: claimant.rank.attempt,
        holder: claimant.name(),
        key: claimant.key.clone(),
        submission: claimant.submission.clone(),
        // Whoever comes next may still have to wait for those before this one.
        noticed_within_ms: notices_within.max(if old.held { old.noticed_within_ms } else { 0 }),
        is_taken_over: old.held && old.is_taken_over,
        run: old.run.clone(),
        version: claimant.version.clone(),
    };
    let about = (&lease, &before.published);
    let head = repository.write(Some(&before.commit), about, &Change::default())?;
    let swap = Swap {
        name: repository.truth_ref(),
        was: Some(before.commit.clone()),
        now: Some(head.clone()),
    };
    let mut last = String::new();
    for _ in 0..TRIES {
        let at = Instant::now();
        match repository.push(&swap, &[]) {
            Pushed::Yes => {
                let took_over = before.lease.held;
                return Ok(Claim::Mine(Box::new(Claimed { head, lease, before, took_over, at })));
            }
            Pushed::Fenced(_) => {
                return Ok(Claim::Fenced("another stint claimed it first".to_owned()));
            }
            Pushed::NotYet { why, has_answered: true } => last = why,
            Pushed::NotYet { why, .. } => {
                bail!("the remote does not answer: {}", remote_said(&why))
            }
            Pushed::Moved(_) => bail!("a claim must move exactly one ref"),
        }
    }
    bail!("the remote does not accept the claim: {}", remote_said(&last))
}
