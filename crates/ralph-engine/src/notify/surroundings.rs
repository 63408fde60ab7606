//! What a channel's program is started with, and where addresses are found. Data only.

use ralph_core::ids::RunId;

use crate::outside::Outside;

/// What is around a channel.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub outside: Outside,
    pub run: RunId,
}
