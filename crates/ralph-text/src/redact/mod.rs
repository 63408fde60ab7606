//! Takes secrets out of text before it is written: exact values that are known, and patterns of known kinds.
//!
//! Exact values are reliable, patterns are best effort. Bounded memory; no border between chunks hides a match.

mod alphabet;
mod bare;
#[cfg(test)]
mod bare_tests;
mod checks;
mod data;
mod forms;
#[cfg(test)]
mod linear_tests;
mod memo;
mod prefixes;
mod redactor;
mod rules;
mod scan;
mod stream;
#[cfg(test)]
mod tests;
mod token;
mod window;

pub use redactor::{Redactor, Secret, looks_secret};
pub use stream::Stream;
