//! TOML text to nodes with line numbers. Knows nothing of what the keys mean.

use toml::de::{DeTable, DeValue};

use super::{
    Origin,
    error::{Fault, SettingsError},
    lines::Lines,
    node::{Node, Table, Value},
};

/// Reads a TOML document.
pub(super) fn parse(text: &str, file: &Origin) -> Result<Node, Vec<SettingsError>> {
    let lines = Lines::of(text);
    let document = DeTable::parse(text).map_err(|error| {
        vec![SettingsError {
            help: if error.message().contains("duplicate") {
                "remove one of them".to_owned()
            } else {
                "text needs quotes, lists need [brackets], and a table starts with [name]"
                    .to_owned()
            },
            at: error
                .span()
                .map_or_else(|| file.clone(), |span| file.at_line(lines.line(span.start))),
            fault: Fault::Syntax { format: "TOML", why: one_line(error.message()) },
        }]
    })?;
    let reader = Reader { lines, file };
    Ok(Node { value: reader.table(document.get_ref()), origin: file.clone() })
}

fn one_line(message: &str) -> String {
    message.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

struct Reader<'a> {
    lines: Lines,
    file: &'a Origin,
}

impl Reader<'_> {
    fn origin(&self, offset: usize) -> Origin {
        self.file.at_line(self.lines.line(offset))
    }

    fn table(&self, table: &DeTable<'_>) -> Value {
        let entries = table.iter().map(|(key, value)| {
            let node =
                Node { value: self.value(value.get_ref()), origin: self.origin(key.span().start) };
            (key.get_ref().clone().into_owned(), node)
        });
        Value::Table(entries.collect::<Table>())
    }

    fn value(&self, value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.clone().into_owned()),
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                .map_or(Value::Odd("a number out of range"), Value::Whole),
            DeValue::Float(number) => {
                number.as_str().parse().map_or(Value::Odd("a number out of range"), Value::Number)
            }
            DeValue::Boolean(truth) => Value::Truth(*truth),
            DeValue::Datetime(_) => Value::Odd("a date or time"),
            DeValue::Array(list) => Value::List(
                list.iter()
                    .map(|entry| Node {
                        value: self.value(entry.get_ref()),
                        origin: self.origin(entry.span().start),
                    })
                    .collect(),
            ),
            DeValue::Table(table) => self.table(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Layer;

    #[test]
    fn every_key_and_entry_knows_its_line() {
        let text = "[limits]\nmax_iterations = 5\n\n[[gate]]\ncommand = 'a'\n\n[[gate]]\nname = 'b'\n\n[agent]\nflags = [\n  'x',\n  'y',\n]\n";
        let node = parse(text, &Origin::named(Layer::Project, "s.toml"));
        let mut seen = Vec::new();
        if let Ok(node) = &node {
            node.walk("", &mut |path, origin| {
                seen.push(format!("{path} {}", origin.place()));
            });
        }
        assert_eq!(
            seen,
            [
                "agent.flags s.toml:11",
                "gate s.toml:4",
                "gate[0] s.toml:4",
                "gate[0].command s.toml:5",
                "gate[1] s.toml:7",
                "gate[1].name s.toml:8",
                "limits.max_iterations s.toml:2",
            ]
        );
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        let error =
            parse("[limits]\nmax_iterations = = 5\n", &Origin::named(Layer::User, "u.toml"));
        assert_eq!(error.err().and_then(|errors| errors.first()?.at.line), Some(2));
    }
}
