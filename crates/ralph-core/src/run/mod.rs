//! The run's machine: `decide` takes every decision, `apply` folds them, `next` says what to do.
//!
//! Invariant: every commit directly follows an accepted verdict on the same tree.
//! Invariant: nothing starts beyond a limit, and every run ends.
//! Invariant: replaying the journal gives the identical state.

mod apply;
mod brief;
mod decide;
mod ends;
mod index;
mod judge;
mod kind;
mod limits;
mod messages;
mod next;
mod pick;
mod resume;
mod start;
mod state;
mod verdict;

pub use brief::first_call;
pub use decide::decide;
pub use kind::Kind;
pub use next::next;
pub use start::{Preflight, StartOptions, begin, derived};
pub use state::{
    Again, AttemptRecord, Counters, Detail, Iteration, Phase, RunState, Stage, TaskProgress,
};
pub use verdict::{Reason, Verdict};

#[cfg(test)]
mod tests;
