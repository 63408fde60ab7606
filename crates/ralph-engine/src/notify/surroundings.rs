//! What a channel's program is started with, and where addresses are found. Data only.

use std::ffi::OsString;

use ralph_core::ids::RunId;

/// What is around a channel.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub environment: Vec<(OsString, OsString)>,
    pub run: RunId,
}
