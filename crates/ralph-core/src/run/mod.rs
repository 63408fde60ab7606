//! The run's machine: `decide` takes every decision, `apply` folds them, `next` says what to do.
//!
//! Invariant: every commit directly follows an accepted verdict on the same tree.
//! Invariant: done only with complete evidence.
//! Invariant: nothing starts beyond a limit, and every run ends.
//! Invariant: replaying the journal gives the identical state.

mod apply;
mod blame;
mod brief;
mod call;
mod callable;
mod decide;
mod detail;
mod ends;
mod index;
mod judge;
mod limits;
mod messages;
mod next;
mod oversized_tasks;
mod pick;
mod planning;
mod prove;
mod resume;
mod shown_plan;
mod start;
mod state;
mod steering;
mod stint;
mod traces;
mod warnings;
mod who;

pub use blame::{Blame, CallRecord};
pub use call::first_call;
pub use callable::{Callable, NamedBy, listed};
pub use decide::decide;
pub use detail::{Answer, AttemptRecord, Detail, TaskProgress, labels_of};
pub(crate) use limits::task_limit;
pub use next::{interruption, next};
pub use oversized_tasks::heavy_tasks;
pub use planning::Planning;
pub use start::{StartOptions, begin, derived};
pub use state::{Again, Counters, Iteration, Phase, Rest, RunState, Spent};
pub use steering::{Hold, Steering, Word};
pub use stint::{Share, Stint};
pub use warnings::{Warning, Warnings};

#[cfg(test)]
mod tests;
