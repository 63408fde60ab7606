//! Text formats of a plan, one file each.

pub mod plan_json;
