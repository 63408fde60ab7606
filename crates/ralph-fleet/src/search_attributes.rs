//! What can be searched for among loops. Tenant, account and repository are set at the start, the rest as stints end.

use temporalio_common::search_attributes::{SearchAttributeKey, SearchAttributeUpdate};

use crate::wire::{LoopSpec, PAUSED, StintEnd, StintReport};

pub const STATE: SearchAttributeKey<String> = SearchAttributeKey::keyword("RalphState");
pub const TENANT: SearchAttributeKey<String> = SearchAttributeKey::keyword("RalphTenant");
pub const ACCOUNT: SearchAttributeKey<String> = SearchAttributeKey::keyword("RalphAccount");
pub const REPO: SearchAttributeKey<String> = SearchAttributeKey::keyword("RalphRepo");
pub const DONE: SearchAttributeKey<i64> = SearchAttributeKey::int("RalphDone");
pub const TASKS: SearchAttributeKey<i64> = SearchAttributeKey::int("RalphTasks");
pub const COST: SearchAttributeKey<i64> = SearchAttributeKey::int("RalphCostMicroUsd");

/// Submitted, and no hand has taken it up.
pub const QUEUED: &str = "queued";
pub const WORKING: &str = "working";
/// No stint reported, too often.
pub const FAILED: &str = "failed";

/// What is known of a loop before it has begun.
pub fn at_start(spec: &LoopSpec) -> [SearchAttributeUpdate; 4] {
    [
        STATE.value_set(QUEUED.to_owned()),
        TENANT.value_set(spec.tenant.clone()),
        ACCOUNT.value_set(spec.account.clone()),
        REPO.value_set(spec.repo.clone()),
    ]
}

/// What a report tells.
pub fn at_stint_end(report: &StintReport) -> [SearchAttributeUpdate; 4] {
    [
        STATE.value_set(state(&report.end).to_owned()),
        DONE.value_set(report.done.into()),
        TASKS.value_set(report.tasks.into()),
        COST.value_set(i64::try_from(report.cost_micro_usd).unwrap_or(i64::MAX)),
    ]
}

/// The word for how things stand after a stint.
pub fn state(end: &StintEnd) -> &'static str {
    match end {
        StintEnd::Boundary => WORKING,
        StintEnd::Wait { .. } => "waiting",
        StintEnd::NeedsPerson { why } if why == PAUSED => PAUSED,
        StintEnd::NeedsPerson { .. } => "needs_person",
        StintEnd::Finished { exit: 0, .. } => "finished",
        StintEnd::Finished { .. } => "unfinished",
    }
}
