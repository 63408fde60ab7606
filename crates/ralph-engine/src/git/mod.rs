//! Git, by its command line: checkpoints, exact trees, commits, quarantine, and what is the user's left alone.

mod aside;
mod capture;
mod close;
mod command;
mod commit;
mod copy;
mod dirty;
mod environment;
mod error;
mod files;
mod give_up;
mod glance;
mod ignored;
mod index;
mod linked;
mod locks;
mod merge;
mod nested;
mod open;
mod others;
mod patch;
mod paths;
mod quarantine;
mod reapply;
mod record;
mod refs;
mod remove;
mod repository;
mod scan;
mod screen;
mod secrets;
mod settling_in;
mod stash;
mod survey;
mod tracked;
mod uncommitted;
mod undo;
mod untracked;
mod violations;
mod way;
mod worktree;

#[cfg(test)]
mod tests;

pub use copy::ThrowawayCopy;
pub use environment::GitEnv;
pub use error::GitError;
pub use glance::Glance;
pub use patch::DiffStat;
pub(crate) use record::{has_record, retire};
pub(crate) use remove::remove_all;
pub use repository::Repository;
pub use screen::Screen;
pub use undo::Undone;
pub use worktree::Worktree;
