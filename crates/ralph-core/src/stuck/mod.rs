//! Stuck work: known by several signals, never by one, and what is done about it, tier by tier.
//!
//! Judges what is handed in and remembers nothing; carrying a measure out is the run's job.

mod detect;
mod escalate;
mod files;
mod gap;
mod trace;

pub use detect::{Stuck, detect};
pub use escalate::{Escalated, Measures, escalate};
pub use files::{files, hints};
pub use gap::{Gap, gap};
pub use trace::{MOST, Trace};

#[cfg(test)]
mod histories;
#[cfg(test)]
mod tests;
