//! Settings: text in, typed settings with origins out. Finding the files is the binary's job.

mod aliases;
mod check;
mod duration;
mod error;
mod gone;
mod json_entries;
mod json_text;
mod layers;
mod lines;
mod names;
mod node;
mod origin;
mod privilege;
mod reference;
mod resolve;
mod schema;
mod shape;
#[cfg(test)]
mod tests;
mod toml_text;
mod types;
mod validate;
mod variables;

pub use duration::Length;
pub use error::{Fault, SettingsError, Warning};
pub use gone::{DROPPED_WORDS, DroppedWord};
pub(crate) use json_entries::{JsonEntries, offset_in};
pub use layers::{Format, LayerText, SettingsFile, Trust, sources};
pub use names::nearest;
pub use origin::{Layer, Origin};
pub use privilege::kept_in;
pub use reference::reference;
pub use resolve::{Resolved, amended, resolve};
pub use schema::schema;
pub use types::*;
pub use validate::{Check, Findings};
pub use variables::{CALL_VARIABLE, Flag, PREFIX};
