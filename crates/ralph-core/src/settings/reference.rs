//! The reference of all settings for people, made from what each may be. Must never name a setting itself.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{
    node::join,
    privilege,
    shape::{Field, Shape},
};

/// A reference of all settings in Markdown: key, default, meaning.
pub fn reference() -> String {
    let mut text = String::from(
        "# Settings\n\nGenerated from the schema (`settings.schema.json`); do not edit by hand.\n\n\
         Later wins: built-in, user (`~/.config/ralph/settings.toml`), project (`.ralph/settings.toml`), \
         local (`.ralph/settings.local.toml`), variables (`RALPH_<TABLE>_<KEY>`), flags. \
         Tables merge; everything else is replaced, lists too.\n\n\
         Settings marked † can open the sandbox: a project file may only tighten them.\n",
    );
    for field in Shape::of_settings().fields() {
        table(&mut text, field, &field.name);
    }
    text
}

/// One table and the tables of its own inside; those with values that stand together are a row.
fn table(text: &mut String, field: &Field, path: &str) {
    let (title, fields) = match &field.shape {
        Shape::List(entry) => (format!("[[{path}]]"), entry.fields()),
        Shape::Map(entry) => (format!("[{path}.NAME]"), entry.fields()),
        shape => (format!("[{path}]"), shape.fields()),
    };
    let _ = write!(
        text,
        "\n## `{title}`\n\n{}\n\n| Key | Default | Meaning |\n|---|---|---|\n",
        field.meaning
    );
    let (tables, rows): (Vec<_>, Vec<_>) = fields.iter().partition(|inner| is_table(inner));
    for inner in rows {
        let loosens = privilege::is_guarded(&join(path, &inner.name));
        let choices = match &inner.shape {
            Shape::Choice(words) => format!(" One of `{}`.", words.join("`, `")),
            Shape::Table(keys) if is_empty(inner) => {
                let names: Vec<_> = keys.iter().map(|key| key.name.as_str()).collect();
                format!(" Keys: `{}`.", names.join("`, `"))
            }
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {}{choices} |",
            inner.name,
            if loosens { " †" } else { "" },
            default(&inner.default),
            inner.meaning.replace('|', "\\|").replace('\n', " "),
        );
    }
    for inner in tables {
        table(text, inner, &join(path, &inner.name));
    }
}

/// Whether it is a table whose keys are worth rows of their own.
fn is_table(field: &Field) -> bool {
    let fields = match &field.shape {
        Shape::List(entry) => entry.fields(),
        shape if is_empty(field) => shape.fields(),
        _ => &[],
    };
    fields.iter().any(|inner| !inner.meaning.is_empty())
}

fn is_empty(field: &Field) -> bool {
    field.default.as_object().is_some_and(serde_json::Map::is_empty)
}

fn default(json: &Json) -> String {
    match json {
        Json::Null => "none".to_owned(),
        Json::Object(map) if map.is_empty() => "`{}`".to_owned(),
        Json::Object(map) => {
            let entries: Vec<_> =
                map.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            format!("`{{ {} }}`", entries.join(", "))
        }
        other => format!("`{other}`"),
    }
}
