//! Test kit: a scratch project for the real binary, the simulator of whole runs, a scripted model, a
//! terminal, and captured streams of real agents. Never part of the product.

mod agent_script;
#[cfg(target_os = "linux")]
pub mod escape;
pub mod handoffs;
pub mod kill;
pub mod model;
#[cfg(target_os = "linux")]
pub mod picture;
pub mod plugin;
#[cfg(target_os = "linux")]
pub mod pty;
pub mod receiver;
mod records;
pub mod secrets;
pub mod sim;
pub mod test_run;
pub mod told;
pub mod transcripts;
