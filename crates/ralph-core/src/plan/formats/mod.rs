//! Text formats of a plan, one file or folder each, and the slice that lists them.

mod back;
mod beads;
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

pub use detect::{detect, named};
pub use format::{Facts, FormatError, Look, PlanFormat, WriteBack, WrittenBack};
pub use github::{GH_FIELDS, issue_number};
pub use losses::lost;

use pretty::pretty;

/// Every format, those that are most certain of themselves first.
pub static ALL: &[&dyn PlanFormat] = &[
    &github::Github,
    &beads::Beads,
    &plan_json::PlanJson,
    &prd_json::PrdJson,
    &yaml::Yaml,
    &markdown::Markdown,
];

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod property_tests;
