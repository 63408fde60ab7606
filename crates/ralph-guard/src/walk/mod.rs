//! Walks a script as a shell would run it, as far as that can be known, and shows each call to the rules.
//! It must never run anything, and it must always end.

mod calls;
mod effects;
mod expand;
mod outputs;
mod params;
mod scripts;
mod unwrap;
mod walker;

pub(crate) use walker::{Walker, unreadable};
