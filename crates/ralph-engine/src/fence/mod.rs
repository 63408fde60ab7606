//! What the shim gives up before it starts anything, and the door by which a box's listener gets out.

pub(crate) mod door;
#[cfg(target_os = "linux")]
mod landlock;
mod raise;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod system_calls;
mod terms;

pub(crate) use raise::raise;
pub use terms::{Fence, Limits, Wrapping};
