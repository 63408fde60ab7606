//! Git, by its command line: checkpoints, exact trees, commits, quarantine, and what is the user's left alone.

mod agents_folders;
mod binding;
#[cfg(target_os = "linux")]
mod bring;
mod capture;
#[cfg(target_os = "linux")]
mod carry;
mod close;
mod command;
mod commit;
mod commit_paths;
mod configuration;
mod content;
mod converse;
mod copy;
mod diff;
mod enclosed;
mod environment;
mod error;
mod files;
mod filters;
mod incoming;
mod index;
#[cfg(target_os = "linux")]
mod lay_out;
#[cfg(target_os = "linux")]
mod layer;
mod leftovers;
mod linked;
mod locks;
mod merge;
mod nested;
mod objects;
mod obstructions;
mod open;
mod outward;
mod overlook;
mod own_commits;
mod quarantine;
mod questions;
mod readiness;
mod reading;
mod record;
mod refs;
mod refused;
mod replace;
mod repository;
mod room;
mod scan;
mod screen;
mod secrets;
mod sign;
mod since;
mod snapshot;
#[cfg(target_os = "linux")]
mod strip;
mod survey;
mod switch_branch;
mod taken;
mod touch;
mod touched;
mod tracked;
mod uncommitted;
mod undo;
mod untracked;
mod untracked_copy;
mod users_settings;
mod violations;
mod worktree;
mod yours;

#[cfg(test)]
mod tests;

pub use agents_folders::agents_folders;
pub use copy::ThrowawayCopy;
pub use environment::GitEnv;
pub use error::GitError;
pub(crate) use files::{RelPath, sample, shown, write_durably};
pub use leftovers::Leftover;
pub use questions::{Standing, identity, init, version};
pub use record::Unreturned;
pub(crate) use record::{
    aside_folder, had_record, has_record, is_closed, is_open, kept_changes, retire, unreturned,
};
pub use repository::Repository;
pub(crate) use room::{SUBCOMMAND as ROOM, answers as room_answers, main as room};
pub use screen::Screen;
pub use snapshot::Glance;
#[cfg(target_os = "linux")]
pub(crate) use strip::Beneath;
pub use undo::Undone;
pub use worktree::Worktree;
