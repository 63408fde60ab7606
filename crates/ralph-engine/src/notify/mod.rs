//! Delivers notifications: a thread and a queue for each channel, so that none can hold up a run.
//!
//! Decides neither what is sent nor when; the terminal is the binary's.

mod address;
mod attention;
mod deliver;
mod http;
mod lanes;
mod open;
mod program;
mod surroundings;

pub use attention::Attention;
pub use deliver::{Deliver, Undelivered};
pub use lanes::{Lanes, Trouble};
pub use open::open;
pub use surroundings::Surroundings;
