//! What a person can do next: one answer for every face, from what is true now.
//!
//! Owns the words. What is true is found out by whoever asks.

mod command;
mod quote;
mod situation;
mod step;

#[cfg(test)]
mod tests;

pub use command::next_command;
pub use quote::quoted;
pub use situation::{Again, FinishedWork, Need, Obstacle, Raised, Situation, Work};
pub use step::Next;
