//! Text formats of a plan, one file or folder each.

mod beads;
mod built_in;
mod criterion;
mod detect;
mod format;
mod github;
mod losses;
mod markdown;
mod names;
mod other_tools;
pub mod plan_json;
mod prd_json;
pub mod source;
mod status_changes;
mod yaml;

pub use built_in::ALL;
pub use detect::{detect, named};
pub use format::{FormatError, Look, PlanFormat, WriteBack, WrittenBack};
pub use github::{GH_FIELDS, issue_number};
pub use losses::lost;

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod property_tests;
