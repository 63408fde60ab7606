//! Which hosts the installed package managers name: the preset `registries`.
//!
//! They are asked from outside the worktree, so that nothing the agent wrote answers; no registry is known here.

mod ask;
mod cargo;
mod kept;
mod managers;
mod read;

pub use ask::{Registries, Surroundings};
