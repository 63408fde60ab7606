//! Fields of an object in whatever spelling. Knows no plan.

use serde_json::{Map, Value};

use super::super::{FormatError, format::FIX_VALUE};

/// An object whose fields are taken one by one, in whatever spelling; what is left was not known.
pub(in super::super) struct Fields {
    pub(super) left: Map<String, Value>,
    /// Every field by its plain spelling.
    names: Vec<(String, String)>,
    place: String,
}

impl Fields {
    pub(in super::super) fn new(object: Map<String, Value>, place: impl Into<String>) -> Self {
        let names = object.keys().map(|key| (plain(key), key.clone())).collect();
        Self { left: object, names, place: place.into() }
    }

    /// The first of these fields that is there and says something.
    pub(in super::super) fn take(&mut self, spellings: &[&str]) -> Option<Value> {
        for spelling in spellings {
            let named =
                |(plain, key): &&(String, String)| plain == spelling && self.left.contains_key(key);
            let key = self.names.iter().find(named).map(|(_, key)| key.clone());
            let value = key.and_then(|key| self.left.shift_remove(&key));
            if value.as_ref().is_some_and(|value| !value.is_null()) {
                return value;
            }
        }
        None
    }

    pub(in super::super) fn text(
        &mut self,
        spellings: &[&str],
    ) -> Result<Option<String>, FormatError> {
        let Some(value) = self.take(spellings) else { return Ok(None) };
        match value {
            Value::String(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            Value::Number(number) => Ok(Some(number.to_string())),
            Value::Array(lines) if lines.iter().all(Value::is_string) => {
                let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
                Ok(Some(lines.join("\n")).filter(|text| !text.is_empty()))
            }
            _ => Err(self.wrong(spellings, "text")),
        }
    }

    pub(in super::super) fn texts(
        &mut self,
        spellings: &[&str],
    ) -> Result<Vec<String>, FormatError> {
        let Some(value) = self.take(spellings) else { return Ok(Vec::new()) };
        let texts = match value {
            Value::String(text) if text.is_empty() => Some(Vec::new()),
            Value::String(text) => Some(vec![text]),
            Value::Number(number) => Some(vec![number.to_string()]),
            Value::Array(items) => items.into_iter().map(as_text).collect(),
            _ => None,
        };
        texts.ok_or_else(|| self.wrong(spellings, "a list of strings"))
    }

    pub(in super::super) fn number<T: TryFrom<i64>>(
        &mut self,
        spellings: &[&str],
    ) -> Result<Option<T>, FormatError> {
        let Some(value) = self.take(spellings) else { return Ok(None) };
        let number = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
        match number.and_then(|number| T::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(spellings, "a whole number in range")),
        }
    }

    pub(in super::super) fn flag(
        &mut self,
        spellings: &[&str],
    ) -> Result<Option<bool>, FormatError> {
        let Some(value) = self.take(spellings) else { return Ok(None) };
        let known = match &value {
            Value::Bool(flag) => Some(*flag),
            Value::String(word) => match word.to_lowercase().as_str() {
                "true" | "yes" => Some(true),
                "false" | "no" | "" => Some(false),
                _ => None,
            },
            _ => None,
        };
        known.map(Some).ok_or_else(|| self.wrong(spellings, "true or false"))
    }

    /// What is left; a name that the plan has a place for is put aside under another one.
    pub(in super::super) fn rest(self, own: &[&str]) -> Map<String, Value> {
        let keep = |(name, value): (String, Value)| {
            let is_taken = own.contains(&name.as_str());
            (if is_taken { format!("imported_{name}") } else { name }, value)
        };
        self.left.into_iter().map(keep).collect()
    }

    pub(in super::super) fn wrong(&self, spellings: &[&str], wanted: &str) -> FormatError {
        let field = spellings.first().copied().unwrap_or_default();
        FormatError::new(format!("field {field} of {} must be {wanted}", self.place), FIX_VALUE)
    }
}

pub(super) fn as_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `acceptance_criteria` and `acceptanceCriteria` are the same name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}
