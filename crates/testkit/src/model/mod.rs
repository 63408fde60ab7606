//! A scripted model server on loopback that speaks the Anthropic Messages dialect, for tests with the real CLI.
//!
//! Its answers, prices and token counts are made up: nothing it says is about a real model.

mod http;
mod script;
mod server;
mod wire;

pub use script::{Step, USAGE};
pub use server::{Asked, Model};
