//! The truth of a run on its repository's remote, and the lease on it. One ref per branch; each of its commits holds
//! the lease, the journal, plan and settings. It moves by compare-and-swap alone.

mod child;
mod claim;
mod folder;
mod git;
mod ground;
mod housekeeping;
mod lease;
mod ledger;
mod published;
mod push;
mod read;
mod record;
mod remote_said;
mod repository;
mod seed;
mod snapshot;
pub(crate) mod sound;
mod write;

pub use self::{
    claim::{Claim, Claimant, Claimed, claim},
    git::Program,
    ground::Ground,
    lease::{Lease, Rank},
    ledger::{Ledger, Mine, Went},
    published::{Files, Kept, Published},
    read::Truth,
    repository::Repository,
    seed::{SeedError, SeedFiles, Seeded, check, owner, read, seed, unseed},
    snapshot::Snapshot,
};
pub(crate) use self::{
    claim::{own, unlike_any},
    remote_said::{REJECTED, remote_said},
};
