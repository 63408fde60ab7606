//! Runs gates and checks as commands on the captured tree and reports what happened.

pub mod baseline_cache;
mod command;
mod environment;
mod run;

pub use command::GateError;
pub use environment::gate_environment;
pub use run::{BASELINE_LOGS, GateNotice, GatePlace, iteration_logs, run_gates};
