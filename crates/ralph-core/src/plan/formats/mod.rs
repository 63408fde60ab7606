//! Text formats of a plan, one file or folder each.

mod back;
mod beads;
mod built_in;
mod criterion;
mod detect;
mod format;
mod github;
mod loose;
mod losses;
mod markdown;
mod names;
pub mod plan_json;
mod prd_json;
mod pretty;
pub mod source;
mod yaml;

pub use built_in::ALL;
pub use detect::{detect, named};
pub use format::{Facts, FormatError, Look, PlanFormat, WriteBack, WrittenBack};
pub use github::{GH_FIELDS, issue_number};
pub use losses::lost;

use pretty::pretty;

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod property_tests;
