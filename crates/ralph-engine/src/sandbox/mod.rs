//! The box that agents, gates and reviewers run in: what they see, may write and can reach.
//!
//! A backend only translates a [`Profile`]; what is in a profile is decided in one place, `policy`.

mod advice;
mod backend;
mod bubblewrap;
mod build_folder;
mod caches;
mod choose;
mod copies;
mod copy_files;
mod enclosure;
pub(crate) mod environment;
mod git_config;
mod git_view;
mod group;
mod host;
mod lay;
mod layers;
#[cfg(target_os = "linux")]
mod laying;
mod logins;
mod machine;
mod off;
mod policy;
mod profile;
mod registry;
mod request;
mod seatbelt;
pub(crate) mod selftest;
mod sockets;
pub(crate) mod stage;
mod system;
mod toolchains;
mod tools;
mod visit;

pub use advice::Advice;
pub use backend::{Sandbox, Unfit};
pub use choose::{Chosen, Refusal, choose, not_isolated};
pub use enclosure::{EncloseError, Enclosure, GATEWAY_PORT, Stay};
pub use layers::{Layers, can_layer};
pub use machine::Machine;
pub use policy::PolicyError;
pub use profile::{Mount, Profile, RALPH_INSIDE, Reach};
pub use registry::{BACKENDS, BUBBLEWRAP, OFF};
pub use request::SandboxRequest;
pub use visit::Visit;
