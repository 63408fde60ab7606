//! The list of known formats. A new one is a file beside this and a line here.

use super::{PlanFormat, beads, github, markdown, plan_json, prd_json, yaml};

/// Every format, those that are most certain of themselves first.
pub static ALL: &[&PlanFormat] = &[
    &github::FORMAT,
    &beads::FORMAT,
    &plan_json::FORMAT,
    &prd_json::FORMAT,
    &yaml::FORMAT,
    &markdown::FORMAT,
];
