//! The journal: one line per decision, checked and synced; the only truth of a run.
//!
//! Invariant: a decision is on disk before anyone acts on it. A torn tail is cut, a damaged middle is
//! reported, nothing is ever guessed.

mod line;
mod lock;
mod owner;
mod reader;
mod recover;
mod snapshot;
#[cfg(test)]
mod tests;
mod writer;

pub use lock::{Lock, LockError};
pub use owner::Owner;
pub(crate) use reader::read_after_start;
pub use reader::{JournalError, Tail, read};
pub use recover::{Recovered, recover};
pub use snapshot::Snapshot;
pub use writer::Writer;
