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
    time::Instant,
};

use anyhow::{Result, bail};

use super::{
    lease::{Lease, Rank},
    push::{Pushed, Swap},
    read::Truth,
    repository::Repository,
    write::Change,
};

/// Who wants the branch.
#[derive(Debug, Clone)]
pub struct Claimant {
    pub host: String,
    /// The id of its loop.
    pub key: String,
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
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(process::id()));
    format!("{host}/{}.{process:016x}.", process::id())
}

/// Claims the branch.
pub fn claim(repository: &Repository, claimant: &Claimant) -> Result<Claim> {
    let Some(before) = repository.latest()? else {
        bail!(
            "{} is not on the remote; `ralph fleet submit` puts it there",
            repository.truth_ref()
        );
    };
    let old = &before.lease;
    if old.is_newer_than(&claimant.version) {
        return Ok(Claim::Refused(format!(
            "the truth was written by version {}, and this worker is {}; update it",
            old.version, claimant.version
        )));
    }
    // Its holder answers to another loop: nobody has given it up.
    if old.held && !old.key.is_empty() && old.key != claimant.key {
        return Ok(Claim::Fenced(format!("{} of the loop {} holds it", old.holder, old.key)));
    }
    if old.held && old.rank() > claimant.rank {
        return Ok(Claim::Fenced(format!("{} holds a later claim", old.holder)));
    }
    let lease = Lease {
        epoch: old.epoch + 1,
        held: true,
        scheduled_ms: claimant.rank.scheduled_ms,
        attempt: claimant.rank.attempt,
        holder: claimant.name(),
        key: claimant.key.clone(),
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
            Pushed::Fenced(_) => return Ok(Claim::Fenced("another claim came first".to_owned())),
            Pushed::NotYet { why, has_answered: true } => last = why,
            Pushed::NotYet { why, .. } => bail!("the remote does not answer: {why}"),
            Pushed::Moved(_) => bail!("a claim moves one ref alone"),
        }
    }
    bail!("the remote takes no claim: {last}")
}
