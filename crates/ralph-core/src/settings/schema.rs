//! The JSON Schema of the settings, from which everything else about their form is taken.

use serde_json::Value as Json;

use super::Settings;

/// The schema as a value.
pub(super) fn as_json() -> Json {
    schemars::schema_for!(Settings).to_value()
}

/// The JSON Schema of a settings file, as text that ends with a newline.
pub fn schema() -> String {
    format!("{:#}\n", as_json())
}
