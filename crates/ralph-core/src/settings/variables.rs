//! Settings by `RALPH_<TABLE>_<KEY>` variables and by flags: text read by the type of the setting.

use serde::{Deserialize, Serialize};

use super::{
    Layer, Origin,
    error::{Fault, SettingsError, Warning},
    names,
    node::{Node, Value},
    shape::Shape,
};

/// What every variable of ours begins with.
pub const PREFIX: &str = "RALPH_";

/// Variable by which a hook finds the file of its call.
pub const CALL_VARIABLE: &str = "RALPH_CALL";

/// Variables with our prefix that are no settings.
const RESERVED: [&str; 2] = ["RALPH_RUN_ID", CALL_VARIABLE];

/// Short names of settings that are often set from outside.
const SHORT: [(&str, &str); 1] = [("RALPH_SANDBOX", "RALPH_SANDBOX_MODE")];

/// A setting given on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// As the user wrote it, such as `--agent`.
    pub name: String,
    /// The setting, such as `agent.command`.
    pub key: String,
    pub value: String,
}

/// Reads variables; those without our prefix and empty ones are passed over.
pub(super) fn from_env(variables: &[(String, String)]) -> (Node, Vec<Warning>) {
    let mut root = Node::table(Origin::named(Layer::Env, "the environment"));
    let mut warnings = Vec::new();
    for (name, value) in variables {
        let skipped = value.is_empty() || RESERVED.contains(&name.as_str());
        let Some(rest) = name.strip_prefix(PREFIX).filter(|_| !skipped) else {
            continue;
        };
        let long = SHORT
            .iter()
            .find(|(short, _)| short == name)
            .map_or(rest, |(_, long)| long.strip_prefix(PREFIX).unwrap_or(long));
        let origin = Origin::named(Layer::Env, name);
        match locate(long, Shape::of_settings(), &[]) {
            Some((path, shape)) => root.insert(&path, Node { value: read(value, shape), origin }),
            None => warnings.push(unknown(name, origin)),
        }
    }
    (root, warnings)
}

/// Reads flags.
pub(super) fn from_flags(flags: &[Flag]) -> (Node, Vec<SettingsError>) {
    let mut root = Node::table(Origin::named(Layer::Flags, "the command line"));
    let mut errors = Vec::new();
    for flag in flags {
        let path: Vec<String> = flag.key.split('.').map(str::to_owned).collect();
        let shape = path.iter().try_fold(Shape::of_settings(), |shape, key| {
            shape.fields().iter().find(|field| &field.name == key).map(|field| &field.shape)
        });
        let origin = Origin::named(Layer::Flags, &flag.name);
        match shape {
            Some(shape) => root.insert(&path, Node { value: read(&flag.value, shape), origin }),
            None => errors.push(SettingsError {
                at: origin,
                fault: Fault::Unknown { key: flag.key.clone() },
                help: "this is a bug in ralph; please report it".to_owned(),
            }),
        }
    }
    (root, errors)
}

/// The names of all variables that settings can be given by.
pub(super) fn names_of(shape: &Shape, prefix: &str, names: &mut Vec<String>) {
    for field in shape.fields() {
        let name = format!("{prefix}{}", field.name.to_ascii_uppercase());
        match &field.shape {
            Shape::Table(_) => names_of(&field.shape, &format!("{name}_"), names),
            Shape::Map(_) => {}
            shape if is_readable(shape) => names.push(name),
            _ => {}
        }
    }
}

fn is_readable(shape: &Shape) -> bool {
    match shape {
        Shape::Table(_) | Shape::Map(_) => false,
        Shape::List(entry) => matches!(entry.as_ref(), Shape::Text | Shape::Choice(_)),
        _ => true,
    }
}

/// The setting that `LIMITS_MAX_ITERATIONS` names. Keys of a free table keep the case they are written in.
fn locate<'a>(name: &str, shape: &'a Shape, path: &[String]) -> Option<(Vec<String>, &'a Shape)> {
    shape.fields().iter().find_map(|field| {
        let length = field.name.len();
        let head = name.get(..length).filter(|head| head.eq_ignore_ascii_case(&field.name))?;
        let mut path = path.to_vec();
        path.push(field.name.clone());
        match (name.get(head.len()..)?, &field.shape) {
            ("", shape) if is_readable(shape) => Some((path, shape)),
            (rest, Shape::Map(shape)) => {
                let rest = rest.strip_prefix('_').filter(|key| !key.is_empty())?;
                if matches!(**shape, Shape::Table(_)) {
                    return locate_in_entry(rest, shape, &path);
                }
                path.push(rest.to_owned());
                Some((path, shape))
            }
            (rest, shape) => locate(rest.strip_prefix('_')?, shape, &path),
        }
    })
}

/// The setting that `mine_COMMAND` names in a free table of tables: the shortest name before a known key.
fn locate_in_entry<'a>(
    name: &str,
    shape: &'a Shape,
    path: &[String],
) -> Option<(Vec<String>, &'a Shape)> {
    name.match_indices('_').filter(|(at, _)| *at > 0).find_map(|(at, _)| {
        let entry = [path, &[name.get(..at)?.to_owned()]].concat();
        locate(name.get(at + 1..)?, shape, &entry)
    })
}

/// Text by type; what does not fit stays text, and the type check says what is wrong with it.
fn read(text: &str, shape: &Shape) -> Value {
    let as_text = || Value::Text(text.to_owned());
    match shape {
        Shape::Truth => match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Value::Truth(true),
            "false" | "0" | "no" | "off" => Value::Truth(false),
            _ => as_text(),
        },
        Shape::Whole { .. } => text.trim().parse().map_or_else(|_| as_text(), Value::Whole),
        Shape::Number => text.trim().parse().map_or_else(|_| as_text(), Value::Number),
        Shape::List(_) => shell_words::split(text).map_or_else(
            |_| as_text(),
            |words| {
                let entry = |word| Node { value: Value::Text(word), origin: Origin::built_in() };
                Value::List(words.into_iter().map(entry).collect())
            },
        ),
        _ => as_text(),
    }
}

fn unknown(name: &str, at: Origin) -> Warning {
    let mut known = Vec::new();
    names_of(Shape::of_settings(), PREFIX, &mut known);
    let help = match names::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => "variables are named RALPH_<TABLE>_<KEY>, such as RALPH_AGENT_COMMAND".to_owned(),
    };
    Warning { at, what: "this variable is not a setting and is ignored".to_owned(), help }
}
