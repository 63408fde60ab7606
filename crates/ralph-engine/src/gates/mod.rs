//! Runs gates and checks as commands on the captured tree and reports what happened.

pub mod baseline_cache;
mod command;
mod environment;
mod ground;
mod place;
mod run;

pub use command::GateError;
pub use environment::gate_environment;
pub use ground::{Ground, Meddling};
pub use place::{GateNotice, GatePlace};
pub use run::{BASELINE_LOGS, install, iteration_logs, not_judged, run_gates};
