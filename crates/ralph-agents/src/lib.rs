//! The only crate that names a vendor: how each agent is started, how its stream is read, how its endings are told apart.
//!
//! Adding an agent is adding one file and one line in `built_in.rs`. Nobody else names an agent's module. Must never
//! touch the world: commands and bytes in, specifications and events out.

mod amp;
mod built_in;
mod check;
mod claude;
mod cline;
mod codex;
mod copilot;
mod custom;
pub mod event;
mod exit;
mod failure;
mod gemini;
pub mod hooks;
mod jq;
mod json;
mod json_lines;
mod known;
pub mod live_event;
mod opencode;
mod port;
mod qwen;
pub mod reset;
mod schema;
mod services;
mod stream_json;
mod stream_state;
mod text;
pub mod tokens;
mod tool_input;
pub mod trust;
pub mod watch;

pub use built_in::{BUILT_IN, abilities, find, of_command};
pub use check::check_settings;
pub use custom::Custom;
pub use exit::{EndedBy, ExitFacts, cause};
pub use known::{Known, of_call, of_name};
pub use port::{Agent, CommandProblem, CommandSpec, LineParser, Place, StreamReport};
pub use services::service_of;
pub use tool_input::carries_handoff;

#[cfg(test)]
mod relay_tests;
#[cfg(test)]
mod requests_tests;
