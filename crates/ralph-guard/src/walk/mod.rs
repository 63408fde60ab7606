//! Walks a script as a shell would run it, as far as that can be known, and shows each call to the rules.
//! It must never run anything, and it must always end.

mod builtins;
mod calls;
mod expand;
mod frame;
mod outputs;
mod params;
mod scripts;
mod unwrap;
mod walker;
mod wrappers;

pub(super) use builtins::{host_of, is_loopback};
pub(super) use frame::{Frame, is_secret_name};
pub(super) use unwrap::found;
pub(super) use walker::{Denial, Walk, Walker};
pub(super) use wrappers::SHELLS;
