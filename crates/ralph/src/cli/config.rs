//! `ralph config`: text out of resolved settings, and the templates to change.

use std::{fmt::Write as _, io::Write as _, path::Path};

use ralph_core::{
    prompt::TemplateName,
    settings::{self, Origin, Resolved},
};
use serde_json::{Map, Value as Json, json};

use crate::{
    args::commands::ConfigCommand,
    cli::init::folder::{self, Existing},
    context::Context,
    diagnostics::CommandError,
    exit,
    session::project::Project,
};

/// Whether `config show` says where each value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origins {
    Hidden,
    Shown,
    /// And only values that somebody set are shown.
    OnlySet,
}

/// How `config show` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Toml,
    Json,
}

/// Runs `ralph config`.
pub(crate) fn exec(command: &ConfigCommand, context: &Context) -> Result<u8, CommandError> {
    let text = match command {
        ConfigCommand::EjectPrompts { force } => {
            let folder = Project::open(context, &[])?.layout.views().join("prompts");
            for line in eject(&folder, if *force { Existing::Replace } else { Existing::Keep })? {
                context.note(line)?;
            }
            context.note(
                "the next run uses them; remove the ones you do not change (docs/prompts.md)",
            )?;
            return Ok(exit::DONE);
        }
        ConfigCommand::Schema => settings::schema(),
        ConfigCommand::Show { origin } => {
            let origins = if *origin { Origins::Shown } else { Origins::Hidden };
            let style = if context.json { Style::Json } else { Style::Toml };
            let resolved = Project::open(context, &[])?.resolved;
            for warning in &resolved.warnings {
                context.warn(format!("{warning} ({})", warning.help))?;
            }
            show(&resolved, origins, style)
        }
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text.trim_end())?;
    Ok(exit::DONE)
}

/// The effective settings: TOML that could be a settings file, or one JSON object.
pub(crate) fn show(resolved: &Resolved, origins: Origins, style: Style) -> String {
    match style {
        Style::Json => show_json(resolved, origins),
        Style::Toml => Page { text: String::new(), resolved, origins }.write(),
    }
}

/// Writes every template; a line for each says what became of it.
fn eject(folder: &Path, existing: Existing) -> Result<Vec<String>, CommandError> {
    let write = |name: TemplateName| {
        let path = folder.join(format!("{}.md", name.name()));
        let is_new = folder::write(&path, &name.ejected(), existing)?;
        let (word, hint) = if is_new { ("wrote", "") } else { ("kept ", " (--force replaces it)") };
        Ok(format!("{word}  {}{hint}", path.display()))
    };
    TemplateName::ALL.into_iter().map(write).collect()
}

fn show_json(resolved: &Resolved, origins: Origins) -> String {
    let mut object = json!({ "v": 1, "settings": resolved.settings });
    if origins != Origins::Hidden
        && let Some(object) = object.as_object_mut()
    {
        object.insert("origins".to_owned(), json!(resolved.origins));
    }
    format!("{object:#}\n")
}

struct Page<'a> {
    text: String,
    resolved: &'a Resolved,
    origins: Origins,
}

impl Page<'_> {
    fn write(mut self) -> String {
        let Ok(Json::Object(tables)) = serde_json::to_value(&self.resolved.settings) else {
            return self.text;
        };
        // Keys outside of any table must come before the first one.
        for (name, value) in tables.iter().filter(|(_, value)| is_plain(value)) {
            self.line(name, name, value);
        }
        for (name, value) in &tables {
            match value {
                Json::Object(table) if is_of_tables(table) => {
                    for (key, entry) in table {
                        if let Json::Object(entry) = entry {
                            let title = format!("[{name}.{}]", key_text(key));
                            self.table(&title, &format!("{name}.{key}"), entry);
                        }
                    }
                }
                Json::Object(table) => self.table(&format!("[{name}]"), name, table),
                Json::Array(list) => {
                    for (index, entry) in list.iter().enumerate() {
                        if let Json::Object(table) = entry {
                            self.table(&format!("[[{name}]]"), &format!("{name}[{index}]"), table);
                        }
                    }
                }
                _ => {}
            }
        }
        self.text
    }

    fn table(&mut self, title: &str, path: &str, table: &Map<String, Json>) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let before = self.text.len();
        let _ = writeln!(self.text, "{gap}{title}");
        let empty = self.text.len();
        for (key, value) in table.iter().filter(|(_, value)| !value.is_null()) {
            self.line(key, &format!("{path}.{key}"), value);
        }
        if self.origins == Origins::OnlySet && self.text.len() == empty {
            self.text.truncate(before);
        }
    }

    fn line(&mut self, key: &str, path: &str, value: &Json) {
        let origin = self.origin(path);
        if self.origins == Origins::OnlySet && origin == Origin::built_in().to_string() {
            return;
        }
        let _ = write!(self.text, "{} = {}", key_text(key), value_text(value));
        if self.origins != Origins::Hidden {
            let comment: String =
                origin.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            let _ = write!(self.text, "  # {comment}");
        }
        self.text.push('\n');
    }

    /// One origin, or that of each part where they differ.
    fn origin(&self, path: &str) -> String {
        let origins = &self.resolved.origins;
        if let Some(origin) = origins.get(path) {
            return origin.to_string();
        }
        let below = format!("{path}.");
        let parts: Vec<(&str, &Origin)> = origins
            .iter()
            .filter_map(|(path, origin)| Some((path.strip_prefix(&below)?, origin)))
            .collect();
        match parts.as_slice() {
            [] => Origin::built_in().to_string(),
            [(_, first), rest @ ..] if rest.iter().all(|(_, origin)| origin == first) => {
                first.to_string()
            }
            parts => {
                let parts: Vec<_> = parts.iter().map(|(key, at)| format!("{key}: {at}")).collect();
                parts.join(", ")
            }
        }
    }
}

/// Whether it holds nothing but tables, such as those by the names of agents.
fn is_of_tables(table: &Map<String, Json>) -> bool {
    table.values().all(Json::is_object)
}

fn is_plain(value: &Json) -> bool {
    match value {
        Json::Object(_) | Json::Null => false,
        Json::Array(list) => !list.iter().any(Json::is_object),
        _ => true,
    }
}

fn key_text(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { quoted(key) }
}

/// A basic string on one line. JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
fn quoted(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn value_text(value: &Json) -> String {
    match value {
        Json::String(text) => quoted(text),
        Json::Array(list) => {
            format!("[{}]", list.iter().map(value_text).collect::<Vec<_>>().join(", "))
        }
        Json::Object(map) if map.is_empty() => "{}".to_owned(),
        Json::Object(map) => {
            let entry = |(key, value): (&String, &Json)| {
                format!("{} = {}", key_text(key), value_text(value))
            };
            format!("{{ {} }}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
