//! Which hosts a box may reach, in one word.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which hosts can be reached from the box. In the order of the variants each is wider than the one before.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NetworkPreset {
    /// None at all.
    None,
    /// The agent's own servers.
    Model,
    /// Those and the registries that the installed package managers name.
    #[default]
    Registries,
    /// Any host.
    Open,
}

impl NetworkPreset {
    /// The word in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Model => "model",
            Self::Registries => "registries",
            Self::Open => "open",
        }
    }
}
