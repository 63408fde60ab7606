//! A line as JSON with everything that stands in it, names that stand twice too. Shares nothing with the parsers.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

pub enum Json {
    Nothing,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// What one line is.
pub enum Told {
    /// No JSON.
    Noise,
    /// JSON, but not all of it can be read, or a name stands twice in an object: it may mean this or that.
    Doubtful,
    Clear(Json),
}

/// Reads one line; bytes that are no UTF-8 are replaced.
pub fn read(line: &[u8]) -> Told {
    let text = String::from_utf8_lossy(line);
    match serde_json::from_str::<Json>(&text) {
        Ok(json) if json.repeats() => Told::Doubtful,
        Ok(json) => Told::Clear(json),
        Err(_) if serde_json::from_str::<IgnoredAny>(&text).is_ok() => Told::Doubtful,
        Err(_) => Told::Noise,
    }
}

impl Json {
    /// The value of this name; nothing where there is none.
    pub fn get(&self, name: &str) -> &Self {
        let Self::Object(fields) = self else {
            return &Self::Nothing;
        };
        fields.iter().find(|(known, _)| known == name).map_or(&Self::Nothing, |(_, value)| value)
    }

    pub fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }

    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The sum of all its numbers above zero.
    pub fn sum(&self) -> f64 {
        match self {
            Self::Number(number) => number.max(0.0),
            Self::List(list) => list.iter().map(Self::sum).sum(),
            Self::Object(fields) => fields.iter().map(|(_, value)| value.sum()).sum(),
            _ => 0.0,
        }
    }

    fn repeats(&self) -> bool {
        match self {
            Self::List(list) => list.iter().any(Self::repeats),
            Self::Object(fields) => {
                let is_twice =
                    |at: usize| fields[..at].iter().any(|(name, _)| *name == fields[at].0);
                (1..fields.len()).any(is_twice) || fields.iter().any(|(_, value)| value.repeats())
            }
            _ => false,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Nothing)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Truth(truth))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}
