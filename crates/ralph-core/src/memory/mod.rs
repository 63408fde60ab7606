//! What one iteration tells the next, and what a run remembers of all of them.

mod adopt;
mod bound;
pub mod compaction;
pub mod context;
mod due;
mod lasting;
mod lenient;
pub mod levels;
pub mod mcp;
mod merge;
pub mod show;
mod store;
#[cfg(test)]
mod tests;

pub use adopt::{COMPACT_SCHEMA, NoContext, adopt, read_stored};
pub use bound::{bound, stored_tokens};
pub use due::{Due, LooksUp, due};
pub use lasting::lasting;
pub use merge::merge;
pub use store::Memory;
