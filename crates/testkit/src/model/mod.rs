//! A scripted model server on loopback that speaks the dialects of all agent CLIs that tests drive.
//!
//! Its answers, prices and token counts are made up: nothing it says is about a real model.

mod dialect;
mod failure;
mod http;
mod offer;
mod script;
mod server;
mod tls;

pub use failure::Failure;
pub use script::{Step, USAGE};
pub use server::{Asked, Model};
pub use tls::AUTHORITY;
