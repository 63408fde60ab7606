//! `[secrets]`: what may be committed although it looks like a secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exceptions from the scan before each commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SecretSettings {
    /// Paths where agents may write what looks like a secret, for example `tests/fixtures/**`. Values of your
    /// environment are kept out there too.
    pub allow: Vec<String>,
}
