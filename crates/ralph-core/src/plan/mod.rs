//! The plan: tasks, their criteria, and which changes of state are legal.
//!
//! ralph owns it; agents propose. Reading and writing text formats lives in `formats`.

pub mod amend;
mod blocked;
mod check;
mod counts;
pub mod formats;
pub mod merge;
mod model;
pub mod person;
pub mod prd;
#[cfg(test)]
mod reference_tests;
mod task;
mod transition;
mod wire;

pub use blocked::blocked;
pub use check::{Problem, problems};
pub use counts::StatusCounts;
pub use model::{FORMAT_VERSION, Plan};
pub use task::{Criterion, Status, Task};
pub use transition::{IllegalMove, check_move};
