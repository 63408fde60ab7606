//! What a loop keeps, what it answers about itself, and how it ends.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{spec::LoopSpec, stint::StintReport, wish::Wish};

/// What a loop keeps when it continues as a new one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Carry {
    pub stints: u32,
    pub wishes: Vec<Wish>,
    pub last: Option<StintReport>,
    /// Stints in a row that said they failed.
    pub failures: u32,
    /// Stints in the same row whose host was lost.
    pub lost: u32,
    /// A person has said something since the last stint was told what there was to tell.
    pub told: bool,
    /// A person lets the run go on: what was tried in vain may be tried again.
    pub by_person: bool,
    /// How many iterations the run had before its first stint here.
    pub iterations_before: u32,
    /// What it had cost then.
    pub cost_before_micro_usd: u64,
    /// By host: where it keeps work for a person, as it said last.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
    /// A host stopped saying that it lives, and no stint has held the branch since.
    pub lost_sight: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopInput {
    pub spec: LoopSpec,
    #[serde(default)]
    pub carry: Carry,
}

/// What a loop answers when it is asked how it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub spec: LoopSpec,
    pub stints: u32,
    /// Queue of the host whose stint is under way.
    pub place: Option<String>,
    pub waiting: Option<String>,
    pub pending: Vec<Wish>,
    pub last: Option<StintReport>,
    pub failures: u32,
    /// Why the last stint gave no report, if it gave none.
    #[serde(default)]
    pub trouble: Option<String>,
    /// By host: where it keeps work for a person.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopEnd {
    pub outcome: String,
    pub exit: u8,
    pub stints: u32,
    pub iterations: u32,
    pub done: u32,
    pub tasks: u32,
    /// What is less than proof in what is done, and what nobody did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
    /// By host: where it keeps work for a person.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
}
