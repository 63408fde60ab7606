//! A value inside one line of JSON, looked at where it is: nothing is copied but escaped text, whatever a line's size.
//!
//! Forgiving: a value of an unexpected type reads as absent and never loses the line around it.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The JSON text of a value; empty where there is none.
#[derive(Clone, Copy, Default)]
pub(super) struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// A line that is a JSON object. Bytes that are not UTF-8 do not cost the whole line: they are replaced in a copy.
    pub(super) fn line(line: &'a [u8], copy: &'a mut String) -> Option<Self> {
        if line.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        if let Ok(raw) = serde_json::from_slice::<&RawValue>(line) {
            return Some(Self(raw.get()));
        }
        let Cow::Owned(text) = String::from_utf8_lossy(line) else {
            return None;
        };
        *copy = text;
        serde_json::from_str::<&RawValue>(copy).ok().map(|raw| Self(raw.get()))
    }

    /// A value of which nothing is known yet.
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// A field of an object. `null` is absent.
    pub(super) fn get(self, name: &str) -> Self {
        self.fields([name])[0]
    }

    /// Some fields of an object, for which it is read once.
    pub(super) fn fields<const N: usize>(self, names: [&str; N]) -> [Self; N] {
        let mut text = serde_json::Deserializer::from_str(self.0);
        let found = text.deserialize_map(Fields(names)).unwrap_or([Self::default(); N]);
        found.map(|value| if value.0 == "null" { Self::default() } else { value })
    }

    pub(super) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(super) fn is_text(self) -> bool {
        self.0.starts_with('"')
    }

    /// The JSON text as it came.
    pub(super) fn raw(self) -> &'a str {
        self.0
    }

    /// The text, empty if it is none.
    pub(super) fn as_text(self) -> Cow<'a, str> {
        serde_json::from_str::<Text<'_>>(self.0).unwrap_or_default().0
    }

    /// The words of an error: its `message` if it is an object, else itself.
    pub(super) fn words(self) -> Cow<'a, str> {
        if self.is_object() { self.text("message") } else { self.as_text() }
    }

    /// The text, or the `text` of each object in a list, on lines of their own.
    pub(super) fn joined(self) -> String {
        let parts: Vec<_> = self.items().into_iter().map(|part| part.text("text")).collect();
        if parts.is_empty() { self.as_text().into() } else { texts(parts) }
    }

    /// The items of a list.
    pub(super) fn items(self) -> Vec<Self> {
        let items: Vec<&RawValue> = serde_json::from_str(self.0).unwrap_or_default();
        items.into_iter().map(|raw| Self(raw.get())).collect()
    }

    pub(super) fn text(self, name: &str) -> Cow<'a, str> {
        self.get(name).as_text()
    }

    /// The first of these fields that has any text.
    pub(super) fn first_text<const N: usize>(self, names: [&str; N]) -> Cow<'a, str> {
        let texts = self.fields(names).into_iter().map(Self::as_text);
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    pub(super) fn number(self, name: &str) -> Option<f64> {
        serde_json::from_str(self.get(name).0).ok()
    }

    /// A count; zero if it is none.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from f64 saturates, and counts stay far below 2^53"
    )]
    pub(super) fn count(self, name: &str) -> u64 {
        self.number(name).map_or(0, |number| number as u64)
    }

    /// The same as a small count.
    pub(super) fn small(self, name: &str) -> u32 {
        u32::try_from(self.count(name)).unwrap_or(u32::MAX)
    }

    pub(super) fn truth(self, name: &str) -> Option<bool> {
        serde_json::from_str(self.get(name).0).ok()
    }
}

/// Texts on lines of their own, without empty ones.
pub(super) fn texts<'a>(parts: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

#[derive(Default, Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Looks for the fields of these names; the last one of a name counts.
struct Fields<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Json<'de>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [Json::default(); N];
        while let Some(Text(name)) = map.next_key()? {
            let place = self.0.iter().position(|wanted| name == *wanted);
            if let Some(value) = place.and_then(|place| found.get_mut(place)) {
                *value = Json(map.next_value::<&RawValue>()?.get());
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_values_are_absent_and_lose_nothing_around_them() {
        let mut copy = String::new();
        let bytes = b" {\"a\": {\"b\": [1, {\"text\": \"x\\ny\"}, {\"text\": 3}]}, \"n\": 1e19, \"\\u0061\\u0062\": \"\xff\", \"bad\": \"\\ud800\", \"z\": null} ";
        let line = Json::line(bytes, &mut copy).unwrap_or_default();
        assert_eq!(line.get("a").get("b").joined(), "x\ny");
        assert_eq!((line.count("n"), line.small("n")), (10_000_000_000_000_000_000, u32::MAX));
        assert_eq!((line.text("ab"), line.text("bad")), ("\u{fffd}".into(), "".into()));
        assert_eq!((line.text("n"), line.truth("n"), line.number("a")), ("".into(), None, None));
        assert_eq!((line.get("z").raw(), line.get("missing").get("deeper").raw()), ("", ""));
        assert_eq!(line.first_text(["z", "n", "ab"]), "\u{fffd}");
    }

    #[test]
    fn only_an_object_is_a_line() {
        for text in ["", "[]", "[1, 2]", "null", "{", "{} x", "\"{}\"", "{\"a\":}"] {
            assert!(Json::line(text.as_bytes(), &mut String::new()).is_none(), "{text}");
        }
    }
}
