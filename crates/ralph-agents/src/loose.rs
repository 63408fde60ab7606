//! Forgiving values: one of an unexpected type reads as absent and never loses the line around it.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// A value of which only text, numbers and truth values matter.
pub(super) type Scalar<'a> = Loose<'a, IgnoredAny>;

/// Any JSON value, with objects read as `T`.
#[derive(Default)]
pub(super) enum Loose<'a, T> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(f64),
    Truth(bool),
    List(Vec<Loose<'a, T>>),
    Object(Box<T>),
}

impl<T> Loose<'_, T> {
    /// The text, empty if it is none.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A count; zero if it is none.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from f64 saturates, and counts stay far below 2^53"
    )]
    pub(super) fn count(&self) -> u64 {
        self.number().map_or(0, |number| number as u64)
    }

    /// The same as a small count.
    pub(super) fn small(&self) -> u32 {
        u32::try_from(self.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    pub(super) fn object(&self) -> Option<&T> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Loose<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Forgiving(PhantomData))
    }
}

struct Forgiving<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Forgiving<T> {
    type Value = Loose<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts and times stay far below 2^53")]
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts and times stay far below 2^53")]
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number as f64))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(Loose::Truth(truth))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
            .map(|object| Loose::Object(Box::new(object)))
    }
}
