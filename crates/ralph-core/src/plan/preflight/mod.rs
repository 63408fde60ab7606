//! The check before a run: everything in a plan that a run would stumble over, with its place in the text.
//!
//! Pure: which programs, skills and gates are there arrives as data. The rules are one file each.

mod commands;
mod criteria;
mod estimate;
mod facts;
mod fields;
mod finding;
mod order;
mod size;
mod spans;
mod twins;
mod unsound;

#[cfg(test)]
mod tests;

pub use commands::{SHOW_IT, broken_commands, program};
pub use estimate::{Estimate, PastRun, estimate};
pub use facts::{Facts, Wanted, wanted};
pub use finding::{Finding, Severity, check};
pub use spans::Place;
