//! JSON text to nodes with line numbers. Knows nothing of what the keys mean.

use serde_json::value::RawValue;

use super::{
    Origin,
    error::{Fault, SettingsError},
    json_entries::{JsonEntries, offset_in},
    lines::Lines,
    node::{Node, Table, Value},
};

/// Reads a JSON document.
pub(super) fn parse(text: &str, file: &Origin) -> Result<Node, Vec<SettingsError>> {
    let reader = Reader { text, lines: Lines::of(text), file };
    let raw: &RawValue = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| reader.syntax(&error, error.line()))?;
    let node = reader.node(raw, file.clone())?;
    if matches!(node.value, Value::Table(_)) {
        return Ok(node);
    }
    Err(vec![SettingsError {
        at: file.at_line(1),
        fault: Fault::Syntax {
            format: "JSON for settings",
            why: format!("the document is {}", node.value.describe()),
        },
        help: "write one object: { \"agent\": { … } }".to_owned(),
    }])
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines,
    file: &'a Origin,
}

impl<'a> Reader<'a> {
    fn origin(&self, raw: &RawValue) -> Origin {
        self.file.at_line(self.lines.line(offset_in(self.text, raw)))
    }

    fn syntax(&self, error: &serde_json::Error, line: usize) -> Vec<SettingsError> {
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or(&why).to_owned();
        vec![SettingsError {
            at: self.file.at_line(line),
            fault: Fault::Syntax { format: "JSON", why },
            help: "JSON allows neither comments nor a comma after the last entry".to_owned(),
        }]
    }

    fn node(&self, raw: &'a RawValue, origin: Origin) -> Result<Node, Vec<SettingsError>> {
        let at = self.origin(raw);
        let wrong = |error: serde_json::Error| self.syntax(&error, at.line.unwrap_or(1));
        let value = match raw.get().as_bytes().first() {
            Some(b'{') => self.table(serde_json::from_str(raw.get()).map_err(wrong)?)?,
            Some(b'[') => {
                let list: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(wrong)?;
                let nodes = list.into_iter().map(|raw| self.node(raw, self.origin(raw)));
                Value::List(nodes.collect::<Result<_, _>>()?)
            }
            _ => {
                let json: serde_json::Value = serde_json::from_str(raw.get()).map_err(wrong)?;
                Node::from_json(&json, &origin).value
            }
        };
        Ok(Node { value, origin })
    }

    fn table(&self, entries: JsonEntries<'a>) -> Result<Value, Vec<SettingsError>> {
        let mut table = Table::new();
        for (raw_key, raw) in entries.0 {
            let origin = self.origin(raw_key);
            let key: String = serde_json::from_str(raw_key.get())
                .map_err(|error| self.syntax(&error, origin.line.unwrap_or(1)))?;
            let node = self.node(raw, origin.clone())?;
            if table.insert(key.clone(), node).is_some() {
                let help = "remove one of them".to_owned();
                return Err(vec![SettingsError { at: origin, fault: Fault::Twice { key }, help }]);
            }
        }
        Ok(Value::Table(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Layer;

    #[test]
    fn every_key_and_entry_knows_its_line() {
        let text = "{\n  \"limits\": {\n    \"max_iterations\": 5 },\n  \"gate\": [\n    {\n \"command\": \"a\" },\n    { \"n\\u0061me\": \"b\" }\n  ]\n}\n";
        let node = parse(text, &Origin::named(Layer::Project, "s.json"));
        let mut seen = Vec::new();
        if let Ok(node) = &node {
            node.walk("", &mut |path, origin| {
                seen.push(format!("{path} {}", origin.place()));
            });
        }
        assert_eq!(
            seen,
            [
                "gate s.json:4",
                "gate[0] s.json:5",
                "gate[0].command s.json:6",
                "gate[1] s.json:7",
                "gate[1].name s.json:7",
                "limits.max_iterations s.json:3",
            ]
        );
    }

    #[test]
    fn what_is_no_object_with_single_keys_is_refused_with_its_line() {
        for (text, line) in
            [("{\n\"a\": 1,\n}", 3), ("[1]", 1), ("{\"a\":1,\n\"a\":2}", 2), ("", 1)]
        {
            let error = parse(text, &Origin::named(Layer::User, "u.json")).err();
            assert_eq!(
                error.and_then(|errors| errors.first()?.at.line.map(|at| at.max(1))),
                Some(line),
                "{text}"
            );
        }
    }
}
