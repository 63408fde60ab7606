//! Before a run: which gates it has, and everything in a plan that it would stumble over, with its place in the text.
//!
//! Which programs, skills and agents are there arrives as data. The rules are one file each.

mod check;
mod commands;
mod criteria;
mod duplicate_titles;
mod estimate;
mod facts;
mod fields;
mod finding;
mod order;
pub mod pin;
mod refusal;
mod size;
mod spans;
mod unsound;
mod wanted;

#[cfg(test)]
mod tests;

pub use check::check;
pub use commands::{SHOW_IT, broken_commands, program};
pub use estimate::{Estimate, PastRun, estimate};
pub use facts::{Facts, Wanted};
pub use finding::{Finding, Severity};
pub use refusal::Preflight;
pub use spans::Place;
pub use wanted::wanted;
