//! Takes secrets out of structured data. Fails closed: what cannot be cleaned as it stands loses its text.

use std::borrow::Cow;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Redactor;

/// In the place of text that had to go as a whole.
const GONE: &str = "[redacted]";

impl Redactor {
    /// The same without secrets, also where a secret reaches over a border between two texts, or where cutting it out
    /// of the written form would leave something that cannot be read.
    #[must_use]
    pub fn data<T: Serialize + DeserializeOwned>(&self, data: T) -> T {
        let Ok(text) = serde_json::to_vec(&data) else { return data };
        let Cow::Owned(clean) = self.bytes(&text) else { return data };
        if let Ok(clean) = serde_json::from_slice(&clean) {
            return clean;
        }
        let Ok(mut value) = serde_json::to_value(&data) else { return data };
        change::<T>(&mut value, &|text| match self.text(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        });
        let is_clean = serde_json::to_vec(&value)
            .is_ok_and(|text| matches!(self.bytes(&text), Cow::Borrowed(_)));
        if !is_clean {
            change::<T>(&mut value, &|text| (text != GONE).then(|| GONE.to_owned()));
        }
        serde_json::from_value(value).unwrap_or(data)
    }
}

/// Changes texts and names, but for those that must be what they are: the words of the format itself.
fn change<T: DeserializeOwned>(value: &mut Value, to: &dyn Fn(&str) -> Option<String>) {
    let mut pointers = Vec::new();
    find(value, String::new(), to, &mut pointers);
    for pointer in pointers.into_iter().rev() {
        let before = value.clone();
        match value.pointer_mut(&pointer) {
            Some(Value::String(text)) => {
                if let Some(other) = to(text) {
                    *text = other;
                }
            }
            Some(Value::Object(fields)) => {
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed.map(|(name, it)| (to(&name).unwrap_or(name), it)).collect();
            }
            _ => {}
        }
        if serde_json::from_value::<T>(value.clone()).is_err() {
            *value = before;
        }
    }
}

/// Where there is something to change, outer before inner.
fn find(value: &Value, at: String, to: &dyn Fn(&str) -> Option<String>, found: &mut Vec<String>) {
    match value {
        Value::String(text) if to(text).is_some() => found.push(at),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(item, format!("{at}/{index}"), to, found);
            }
        }
        Value::Object(fields) => {
            if fields.keys().any(|name| to(name).is_some()) {
                found.push(at.clone());
            }
            for (name, item) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                find(item, format!("{at}/{name}"), to, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Implementation,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Said {
        kind: Kind,
        lines: Vec<String>,
        rest: BTreeMap<String, String>,
    }

    fn said(lines: &[&str]) -> Said {
        Said {
            kind: Kind::Implementation,
            lines: lines.iter().copied().map(str::to_owned).collect(),
            rest: BTreeMap::new(),
        }
    }

    #[test]
    fn a_value_that_is_a_word_of_the_format_does_not_save_the_others() {
        let redactor = Redactor::new([("MY_TOKEN", "implementation"), ("OTHER", "8f3kq0zz1x")]);
        let clean = redactor.data(said(&["it is 8f3kq0zz1x", "an implementation"]));
        let text = serde_json::to_string(&clean.lines).unwrap_or_default();
        assert!(!text.contains("8f3kq0zz1x") && !text.contains("implementation"), "{text}");
        assert_eq!(clean.kind, Kind::Implementation);
    }

    #[test]
    fn a_value_that_spans_two_texts_takes_both_with_it() {
        let redactor = Redactor::new([("MY_TOKEN", "8f3kq0zz1x\",\"7h2mw9yy4v")]);
        let clean = redactor.data(said(&["8f3kq0zz1x", "7h2mw9yy4v"]));
        let text = serde_json::to_string(&clean).unwrap_or_default();
        assert!(!text.contains("8f3kq0zz1x\",\"7h2mw9yy4v"), "{text}");
    }

    #[test]
    fn a_name_that_is_a_secret_goes_too() {
        let redactor = Redactor::new([("MY_TOKEN", "8f3kq0zz1x"), ("OTHER", "implementation")]);
        let mut before = said(&["an implementation"]);
        before.rest.insert("8f3kq0zz1x".into(), "8f3kq0zz1x".into());
        let text = serde_json::to_string(&redactor.data(before)).unwrap_or_default();
        assert!(!text.contains("8f3kq0zz1x"), "{text}");
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_is() {
        let redactor = Redactor::new([("MY_TOKEN", "8f3kq0zz1x")]);
        assert_eq!(redactor.data(said(&["nothing"])), said(&["nothing"]));
    }
}
