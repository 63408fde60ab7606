//! Reads lines of JSON from standard input into values borrowed from the line, and nothing else: the yardstick of
//! `just throughput`. It must stay as plain as it is.
//!
//! usage: `borrowed_reader whole|top < STREAM`: every value of a line, or only its names and where their values are.

#![expect(clippy::disallowed_methods, reason = "a program for people: it reads its input")]

use std::{
    borrow::Cow,
    collections::BTreeMap,
    env, fmt,
    hint::black_box,
    io::{BufRead, BufReader, Error, Result},
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

fn main() -> Result<()> {
    let read = match env::args().nth(1).as_deref() {
        Some("whole") => |line: &[u8]| black_box(serde_json::from_slice::<Json<'_>>(line)).is_ok(),
        Some("top") => |line: &[u8]| {
            black_box(serde_json::from_slice::<BTreeMap<&str, &RawValue>>(line)).is_ok()
        },
        _ => return Err(Error::other("usage: borrowed_reader whole|top < STREAM")),
    };
    let mut from = BufReader::with_capacity(1 << 16, std::io::stdin());
    let (mut line, mut objects) = (Vec::new(), 0_u64);
    while from.read_until(b'\n', &mut line)? > 0 {
        objects += u64::from(read(&line));
        line.clear();
    }
    black_box(objects);
    Ok(())
}

/// Any JSON value, its texts borrowed wherever they hold no escape.
#[expect(dead_code, reason = "only made, never looked at")]
enum Json<'a> {
    Nothing,
    Truth(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Nothing)
    }

    fn visit_bool<E>(self, truth: bool) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Truth(truth))
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Number(number))
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody looks at the number")]
    fn visit_u64<E>(self, number: u64) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Number(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody looks at the number")]
    fn visit_i64<E>(self, number: i64) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = map.next_key::<&str>()? {
            fields.push((Cow::Borrowed(name), map.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}
