//! Text formats of a plan, one file or folder each.

mod built_in;
mod criterion;
mod detect;
mod format;
mod github;
mod markdown;
mod names;
mod other_tools;
pub mod plan_json;
mod prd_json;
pub mod source;
mod status_changes;

pub use built_in::ALL;
pub use detect::{detect, dropped, named};
pub use format::{FormatError, Look, PlanFormat, WriteBack, WrittenBack};
pub use github::{GH_FIELDS, issue_number};

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod property_tests;
