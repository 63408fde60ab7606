//! What a run leaves for people to read: its report, and the state file of each task that met a setback.
//!
//! Rendered from the state alone. What agents, gates and reviewers wrote is shown as theirs and forges nothing.

mod after_run;
mod changes;
mod contents;
mod gather;
mod html;
mod markdown;
mod published;
mod reviews;
mod setback;
mod state_file;
mod summary;
mod task_line;
mod trouble;

pub use after_run::{after_run, open_question};
pub use changes::{Diffstat, FileChange, commits_at, range};
pub use contents::{
    Amendments, Answered, Asked, Blocked, Cost, Counts, Ended, Exposed, Report, Rules, TaskReport,
    Times, Waiting, Weaker,
};
pub use html::{Live, html};
pub use markdown::{markdown, markdown_with};
pub use reviews::ReviewCounts;
pub use setback::Setback;
pub use state_file::{state_file, state_file_name};
pub use summary::{Archived, summary};
pub use task_line::TaskLine;
pub use trouble::{Failed, Parked};

#[cfg(test)]
mod tests;
