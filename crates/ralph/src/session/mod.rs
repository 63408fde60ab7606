//! What commands share: the project they work on, and how a run is begun, taken up and shown.

pub(crate) mod agents;
pub(crate) mod base;
pub(crate) mod by_hand;
mod carried;
pub(crate) mod confirm;
pub(crate) mod dry_run;
pub(crate) mod enclosure;
mod engine;
pub(crate) mod installed;
pub(crate) mod kept;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod output;
pub(crate) mod past;
pub(crate) mod plan_status;
pub(crate) mod planning;
pub(crate) mod probe;
pub(crate) mod programs;
pub(crate) mod project;
pub(crate) mod resume_choice;
mod room;
pub(crate) mod run_store;
pub(crate) mod take_up;
pub(crate) mod trust;
