//! The engine: does what the core asks for, with real processes, real git and a real disk.
//!
//! Must never talk to a terminal or end the process, and never decides: every choice comes from the core.

pub mod clock;
pub mod gates;
pub mod git;
pub mod inbox;
pub mod journal;
pub mod layout;
pub mod process;
pub mod signals;
