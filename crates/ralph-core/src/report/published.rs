//! Spending as `report.json` has it: money that nobody reported is `null`, not zero.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::{
    run::Spent,
    time::Millis,
    usage::{MicroUsd, Usage},
};

#[derive(Serialize)]
struct Published {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    cost: Option<MicroUsd>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_estimate: bool,
}

#[derive(Serialize)]
struct PublishedSpent {
    calls: u32,
    usage: Published,
    time: Millis,
}

impl Published {
    fn of(usage: &Usage) -> Self {
        let Usage { input, output, cache_read, cache_write, is_estimate, .. } = *usage;
        Self { input, output, cache_read, cache_write, cost: usage.known_cost(), is_estimate }
    }
}

pub(super) fn usage<S: Serializer>(usage: &Usage, to: S) -> Result<S::Ok, S::Error> {
    Published::of(usage).serialize(to)
}

pub(super) fn spent<K: Serialize, S: Serializer>(
    spent: &BTreeMap<K, Spent>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(spent.iter().map(|(name, Spent { calls, usage, time })| {
        (name, PublishedSpent { calls: *calls, usage: Published::of(usage), time: *time })
    }))
}
