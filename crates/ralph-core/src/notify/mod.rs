//! Whom to call, and when: what a run's decisions mean for somebody who is not looking, and when each channel says it.
//!
//! Folds decisions and is given the time; sends nothing.

mod detect;
mod message;
mod notice;
mod patience;
mod schedule;
#[cfg(test)]
mod tests;

pub use detect::Detector;
pub use message::{Message, Standing};
pub use notice::Notice;
pub use patience::Patience;
pub use schedule::{Due, Schedule};
