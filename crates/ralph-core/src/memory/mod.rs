//! What one iteration tells the next.

pub mod handoff;
