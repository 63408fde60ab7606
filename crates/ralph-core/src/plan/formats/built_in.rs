//! The list of known formats. A new one is a file beside this and a line here.

use super::{PlanFormat, beads, github, markdown, plan_json, prd_json, yaml};

/// Every format, those that are most certain of themselves first.
pub static ALL: &[&dyn PlanFormat] = &[
    &github::Github,
    &beads::Beads,
    &plan_json::PlanJson,
    &prd_json::PrdJson,
    &yaml::Yaml,
    &markdown::Markdown,
];
