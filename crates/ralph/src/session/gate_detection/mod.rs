//! Which commands prove that work on a project is good, and in which folder, read from the files it has. Reads only;
//! whether a command works here is `gate_trial`'s question.

mod by_manifest;
mod files;
mod found_gate;
mod native;
mod node;
mod python;
mod rust;
mod search;

pub(crate) use found_gate::{FoundGate, with_own_names};
pub(crate) use search::detect;

#[cfg(test)]
mod tests;
