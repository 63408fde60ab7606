//! The engine: does what the core asks for, with real processes, real git and a real disk.
//!
//! Must never talk to a terminal or end the process, and never decides: every choice comes from the core.

pub mod answers;
pub mod archive;
#[cfg(target_os = "linux")]
mod beneath;
mod chance;
pub mod clock;
mod crash;
mod desk;
mod driver;
pub mod fence;
pub mod gates;
pub mod git;
pub mod hooks;
pub mod inbox;
pub mod inner;
pub mod journal;
pub mod layout;
mod live;
pub mod network;
mod notebook;
mod papers;
pub mod ports;
pub mod private;
pub mod process;
pub mod project_file;
mod remove;
pub mod run;
pub mod runs;
pub mod sandbox;
pub mod search_path;
pub mod secrets;
pub mod signals;
pub mod sink;
pub mod trust;
mod unix;
mod views;

pub use driver::DriveError;
