//! A YAML document as a plan, by way of a JSON value of the core schema. Without recursion, and bounded: aliases
//! cannot blow a small text up into a large one.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use super::super::{FormatError, other_tools};
use crate::plan::Plan;

/// Most values that one document may hold, aliases counted as what they stand for.
const MOST_VALUES: usize = 2_000_000;

/// Deepest nesting; a plan needs six levels.
const DEEPEST: usize = 64;

/// A collection that is not finished.
struct Open {
    value: Value,
    /// The key whose value comes next.
    key: Option<String>,
    anchor: usize,
    line: usize,
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    /// What each alias refers to.
    anchors: BTreeMap<usize, Value>,
    count: usize,
    document: Option<Value>,
}

/// The plan that a text holds.
pub(super) fn plan(text: &str) -> Result<Plan, FormatError> {
    other_tools::plan(value(text)?)
}

/// The first document of a text.
fn value(text: &str) -> Result<Value, FormatError> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| FormatError {
            line: Some(error.marker().line()),
            column: Some(error.marker().col() + 1),
            what: format!("not valid YAML: {}", error.info()),
            help: "fix the file there; look for wrong indentation or a missing quote".into(),
        })?;
        let line = span.start.line();
        reader.take(event, line).map_err(|error| error.at_line(line))?;
        if reader.document.is_some() {
            break;
        }
    }
    Ok(reader.document.unwrap_or_default())
}

impl Reader {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), FormatError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_string = tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
                let value = if style == ScalarStyle::Plain && !is_string {
                    plain(&text)
                } else {
                    Value::String(text.into_owned())
                };
                self.check_count(1)?;
                self.put(value, anchor)
            }
            Event::SequenceStart(_, anchor, _) => self.open(Value::Array(Vec::new()), anchor, line),
            Event::MappingStart(_, anchor, _) => self.open(Value::Object(Map::new()), anchor, line),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { value, anchor, .. }) => self.put(value, anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let Some(value) = self.anchors.get(&anchor).cloned() else {
                    let help = "write the value out at this place";
                    return Err(FormatError::new(
                        "an alias refers to a value that contains it",
                        help,
                    ));
                };
                let (size, depth) = extent(&value);
                self.check_depth(depth)?;
                self.check_count(size)?;
                self.put(value, 0)
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), FormatError> {
        self.check_depth(1)?;
        self.check_count(1)?;
        self.open.push(Open { value, key: None, anchor, line });
        Ok(())
    }

    fn check_depth(&self, more: usize) -> Result<(), FormatError> {
        if self.open.len() + more > DEEPEST {
            return Err(FormatError::new(
                "the file is nested too deeply",
                "a plan needs six levels",
            ));
        }
        Ok(())
    }

    fn check_count(&mut self, more: usize) -> Result<(), FormatError> {
        self.count += more;
        if self.count > MOST_VALUES {
            return Err(FormatError::new("the file has too many values", "split the file"));
        }
        Ok(())
    }

    /// A finished value goes where it belongs.
    fn put(&mut self, value: Value, anchor: usize) -> Result<(), FormatError> {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.document = Some(value);
            return Ok(());
        };
        match (&mut open.value, open.key.take()) {
            (Value::Array(items), _) => items.push(value),
            (Value::Object(object), Some(key)) => {
                if object.contains_key(&key) {
                    let what = format!(
                        "`{key}` is given twice in the table that starts at line {}",
                        open.line
                    );
                    return Err(FormatError::new(what, "remove one of them"));
                }
                object.insert(key, value);
            }
            (_, None) => open.key = Some(key_text(value)?),
            _ => {}
        }
        Ok(())
    }
}

fn key_text(value: Value) -> Result<String, FormatError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Array(_) | Value::Object(_) => {
            Err(FormatError::new("a key is a list or a map", "use a plain word"))
        }
        other => Ok(other.to_string()),
    }
}

/// How many values a value holds, and how deep it is. It was read within the bounds, so this ends soon.
fn extent(value: &Value) -> (usize, usize) {
    let add = |(size, depth): (usize, usize), value: &Value| {
        let inner = extent(value);
        (size + inner.0, depth.max(inner.1 + 1))
    };
    match value {
        Value::Array(items) => items.iter().fold((1, 1), add),
        Value::Object(object) => object.values().fold((1, 1), add),
        _ => (1, 0),
    }
}

/// A scalar without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let looks_like_a_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().any(|b| b.is_ascii_digit());
    if !looks_like_a_number {
        return Value::from(text);
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = unsigned.parse::<i64>() {
        return Value::from(number);
    }
    if let Ok(number) = unsigned.parse::<u64>() {
        return Value::from(number);
    }
    let is_decimal =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    let number = unsigned.parse::<f64>().ok().filter(|_| is_decimal);
    number.and_then(Number::from_f64).map_or_else(|| Value::from(text), Value::Number)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_follow_the_core_schema() {
        let text = "[1, -2, +3, 1.5, 1e3, true, null, ~, yes, 1.2.3, 2026-11-15, '1', \"a\\nb\", 0x10, v1, !!str 7]";
        let expected = json!([
            1,
            -2,
            3,
            1.5,
            1000.0,
            true,
            null,
            null,
            "yes",
            "1.2.3",
            "2026-11-15",
            "1",
            "a\nb",
            "0x10",
            "v1",
            "7"
        ]);
        assert_eq!(value(text), Ok(expected));
    }

    #[test]
    fn anchors_are_followed_and_bombs_are_not() {
        assert_eq!(value("a: &x [1]\nb: *x\n"), Ok(json!({"a": [1], "b": [1]})));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..20 {
            let before = n - 1;
            let list = format!("*a{before}, ").repeat(10);
            let _ = writeln!(bomb, "a{n}: &a{n} [{list}]");
        }
        let told = value(&bomb).map_err(|error| error.what);
        assert_eq!(told, Err("the file has too many values".to_owned()));
        assert!(value(&"[".repeat(100_000)).is_err());
        let ladder = (1..200).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
            format!("{text}a{n}: &a{n} [*a{}]\n", n - 1)
        });
        let told = value(&ladder).map_err(|error| error.what);
        assert_eq!(told, Err("the file is nested too deeply".to_owned()));
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let told = |text: &str| value(text).map_err(|error| error.to_string());
        assert_eq!(
            told("a: 1\na: 2\n"),
            Err("line 2: `a` is given twice in the table that starts at line 1".into())
        );
        assert!(
            told("a: [1\nb: 2").is_err_and(|error| error.contains("line 2")),
            "{:?}",
            told("a: [1\nb: 2")
        );
        assert_eq!(told(""), Ok(Value::Null));
    }
}
