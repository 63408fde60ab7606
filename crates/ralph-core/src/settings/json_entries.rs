//! The entries of a JSON object with their places in the text. Knows nothing of what the names mean.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The names and values of an object in their order, duplicates included.
pub(crate) struct JsonEntries<'a>(pub(crate) Vec<(&'a RawValue, &'a RawValue)>);

/// Where a value that was borrowed from a text begins in it.
pub(crate) fn offset_in(text: &str, raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

impl<'de> Deserialize<'de> for JsonEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = JsonEntries<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(JsonEntries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
