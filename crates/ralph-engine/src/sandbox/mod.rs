//! The box that agents, gates and reviewers run in: what they see, may write and can reach.
//!
//! A backend only translates a [`Profile`]; what is in a profile is decided in one place, `policy`.

mod advice;
mod backend;
mod bubblewrap;
mod caches;
mod choose;
mod copies;
mod door;
mod enclosure;
pub(crate) mod environment;
pub(crate) mod fence;
mod git_config;
mod git_view;
mod group;
mod host;
#[cfg(target_os = "linux")]
mod landlock;
mod lay;
mod layers;
#[cfg(target_os = "linux")]
mod laying;
mod logins;
mod off;
mod policy;
mod profile;
mod registry;
mod sbx;
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
pub(crate) mod selftest;
pub(crate) mod stage;
mod system;
#[cfg(target_os = "linux")]
mod system_calls;
mod toolchains;
mod tools;
mod visit;
mod write_fence;

pub use advice::Advice;
pub use backend::{Sandbox, Unfit, Wrapping};
pub use bubblewrap::RALPH_INSIDE;
pub(crate) use bubblewrap::program as bubblewrap_program;
pub use choose::{Chosen, Refusal, choose, not_isolated};
pub use enclosure::{EncloseError, Enclosure, GATEWAY_PORT, Stay};
pub use layers::{Layers, can_layer};
pub use policy::{Errand, Machine, PolicyError};
pub use profile::{Fence, Limits, Mount, Profile, Reach};
pub use registry::BACKENDS;
pub use sbx::MicroVm;
pub use visit::Visit;

/// The default on Linux.
pub static BUBBLEWRAP: bubblewrap::Bubblewrap = bubblewrap::Bubblewrap;
/// No isolation.
pub static OFF: off::Off = off::Off;
