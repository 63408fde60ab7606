//! The run's machine: `decide` takes every decision, `apply` folds them, `next` says what to do.

mod kind;
mod verdict;

pub use kind::Kind;
pub use verdict::{Reason, Verdict};
