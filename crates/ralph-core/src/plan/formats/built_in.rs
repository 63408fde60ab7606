//! The list of known formats. A new one is a file beside this and a line here.

use super::{PlanFormat, github, markdown, plan_json, prd_json};

/// Every format, those that are most certain of themselves first.
pub static ALL: &[&PlanFormat] =
    &[&github::FORMAT, &plan_json::FORMAT, &prd_json::FORMAT, &markdown::FORMAT];
