//! One layer against the known settings: unknown keys and wrong types, all of them, with their lines.

use super::{
    Layer, Length, Origin,
    error::{Fault, SettingsError},
    gone, names,
    node::{Node, Value, join},
    shape::{Field, Shape},
};

/// Checks a value and all below it. Words of a choice are put into their own spelling.
pub(super) fn check(node: &mut Node, shape: &Shape, path: &str, errors: &mut Vec<SettingsError>) {
    let fits = match (&mut node.value, shape) {
        (Value::Table(table), Shape::Table(fields)) => {
            for (key, node) in table {
                let (table_path, path) = (path, join(path, key));
                match fields.iter().find(|field| field.name == *key) {
                    Some(field) => check(node, &field.shape, &path, errors),
                    None => errors.push(unknown(node, fields, (table_path, key))),
                }
            }
            true
        }
        (Value::Table(table), Shape::Map(shape)) => {
            for (key, node) in table {
                check(node, shape, &join(path, key), errors);
            }
            true
        }
        (Value::List(list), Shape::List(shape)) => {
            for (index, node) in list.iter_mut().enumerate() {
                check(node, shape, &format!("{path}[{index}]"), errors);
            }
            true
        }
        (Value::Text(_), Shape::Text)
        | (Value::Truth(_), Shape::Truth)
        | (Value::Whole(_), Shape::Number) => true,
        (Value::Text(text), Shape::Length) => Length::parse(text).is_some(),
        (Value::Text(text), Shape::Choice(words)) => {
            match words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
                Some(word) => text.clone_from(word),
                None => errors.push(wrong_type(node, shape, path)),
            }
            return;
        }
        (Value::Whole(number), Shape::Whole { max }) => (0..=i128::from(*max)).contains(number),
        (Value::Number(number), Shape::Number) => number.is_finite(),
        _ => false,
    };
    if !fits {
        errors.push(wrong_type(node, shape, path));
    }
}

fn unknown(node: &Node, fields: &[Field], (table, name): (&str, &str)) -> SettingsError {
    let at = node.origin.clone();
    let key = join(table, name);
    SettingsError { at, fault: Fault::Unknown { key }, help: names::help(table, name, fields) }
}

fn wrong_type(node: &Node, shape: &Shape, path: &str) -> SettingsError {
    let expected = match (&node.value, shape) {
        (Value::Whole(number), Shape::Whole { max }) if *number > 0 => format!("at most {max}"),
        _ => shape.expected(),
    };
    SettingsError {
        at: node.origin.clone(),
        fault: Fault::Type { key: path.to_owned(), expected, found: node.value.describe() },
        help: gone::word(path, &node.value)
            .map_or_else(|| example(&node.origin, shape, path), str::to_owned),
    }
}

/// The setting as it could be written in the same place.
fn example(origin: &Origin, shape: &Shape, path: &str) -> String {
    let key = path.rsplit('.').next().unwrap_or(path);
    let (value, name) = (shape.example(), &origin.file);
    let bare = value.trim_matches('"');
    match (origin.layer, shape) {
        (Layer::Env | Layer::Flags, Shape::List(_)) => {
            "separate the entries with spaces and quote them as in a shell".to_owned()
        }
        (Layer::Env, _) => format!("for example {name}={bare}"),
        (Layer::Flags, _) => format!("for example {name} {bare}"),
        _ if key.ends_with(']') => format!("for example {value}"),
        _ if is_json(name) => format!("for example \"{key}\": {value}"),
        // TOML has no header for a table of one entry of a list.
        (_, Shape::Table(fields)) if path.contains('[') => {
            let entries =
                fields.iter().map(|one| format!("{} = {}", one.name, one.shape.example()));
            format!("for example {key} = {{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        (_, Shape::Map(_)) if path.contains('[') => format!("for example {key} = {{}}"),
        (_, Shape::Table(_) | Shape::Map(_)) => format!("start it with [{path}]"),
        (_, Shape::List(entry)) if matches!(**entry, Shape::Table(_)) => {
            format!("start each entry with [[{path}]]")
        }
        _ => format!("for example {key} = {value}"),
    }
}

fn is_json(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}
