//! `[report]`: what a run writes for people to read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::Length;

/// The report of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReportSettings {
    /// Write `report.html` this often during a run too, as a page that reloads itself; 0s writes it at the end only.
    pub live: Length,
}
