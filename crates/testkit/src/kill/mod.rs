//! Runs that are killed and taken up again: what is played, and what must be true of a repository afterwards.

mod aftermath;
mod git_trap;
mod scenario;

pub use aftermath::Expected;
pub use git_trap::{Fate, GitTrap};
pub use scenario::{Scenario, scenario};

/// Whether the complete, long version of the kill tests is wanted.
pub fn is_full() -> bool {
    std::env::var("RALPH_KILL_TESTS").is_ok_and(|value| value == "full")
}
