//! What commands share: the project they work on, and how a run is started, resumed and shown.

pub(crate) mod agents;
pub(crate) mod branch_check;
pub(crate) mod dry_run;
pub(crate) mod enclosure;
mod engine;
pub(crate) mod gate_detection;
pub(crate) mod gate_trial;
pub(crate) mod gates_by_hand;
pub(crate) mod installed;
mod iteration_limit;
pub(crate) mod kept;
pub(crate) mod launch;
pub(crate) mod library;
mod open_proposals;
pub(crate) mod output;
pub(crate) mod past_runs;
mod plan_commit;
pub(crate) mod plan_status;
pub(crate) mod planning;
pub(crate) mod probe;
pub(crate) mod programs;
pub(crate) mod project;
pub(crate) mod resume;
pub(crate) mod resume_choice;
pub(crate) mod run_store;
pub(crate) mod situation;
pub(crate) mod trust;
