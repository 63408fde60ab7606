//! The engine: does what the core asks for, with real processes, real git and a real disk.
//!
//! Must never talk to a terminal or end the process, and never decides: every choice comes from the core.

pub mod archive;
pub mod atomic_write;
mod authored_files;
#[cfg(target_os = "linux")]
mod beneath;
mod chance;
pub mod clock;
mod crash;
mod driver;
pub mod fence;
pub mod follow;
pub mod gates;
pub mod git;
pub mod hidden_commands;
pub mod hooks;
pub mod inbox;
pub mod journal;
pub mod layout;
mod live;
mod memory_files;
pub mod network;
pub mod notify;
pub mod outside;
pub mod plan_file;
pub mod planner_answers;
pub mod ports;
pub mod process;
mod progress_file;
pub mod project_file;
mod recorder;
mod remove;
pub mod run;
pub mod run_reports;
pub mod runs;
pub mod safe_files;
pub mod sandbox;
pub mod search_path;
pub mod secrets;
pub mod signals;
pub mod sink;
pub mod trust;
mod unix;

pub use driver::DriveError;
