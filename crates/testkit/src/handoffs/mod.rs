//! Handoffs of a long run as agents write them, from a seed: lasting facts, noise, changes of mind, bugs.
//!
//! Written before the compactor it measures, and knows nothing of how that one works.

mod facts;
mod story;
mod walk;

pub use facts::{Fact, Sort};
pub use story::{Handoffs, Probe, Story, Told};
pub use walk::{Seen, walk};
