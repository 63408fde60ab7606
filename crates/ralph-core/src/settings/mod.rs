//! Settings: text in, typed settings with origins out. Finding the files is the binary's job.

mod duration;
mod types;

pub use duration::Length;
pub use types::*;
