//! A real server for tests, and hands that do what a script says. What is scripted is only what a stint would report.

mod eventually;
mod script;
mod server;

pub(crate) use eventually::eventually;
pub(crate) use script::{Act, Script, report};
pub(crate) use server::Server;
