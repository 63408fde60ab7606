//! What was probably meant by a name that is not a setting.

use super::{
    aliases, gone,
    node::join,
    shape::{Field, Shape},
};

/// What to do about an unknown key in a table that has `fields`.
pub(super) fn help(table: &str, key: &str, fields: &[Field]) -> String {
    if let Some(setting) = aliases::of_shell(key) {
        return format!(
            "shell loops use this name; here it is `{setting}` (see docs/custom-agents.md)"
        );
    }
    if let Some(help) = gone::key(table, key) {
        return help.to_owned();
    }
    if let Some(near) = nearest(key, fields.iter().map(|field| field.name.as_str())) {
        return format!("did you mean `{}`?", join(table, near));
    }
    if let Some(elsewhere) = elsewhere(key) {
        return format!("did you mean `{elsewhere}`?");
    }
    if let Some(modern) = aliases::modern(key) {
        return format!("older names work only in settings.json; here it is `{modern}`");
    }
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    if table.is_empty() {
        format!("known tables are {}", names.join(", "))
    } else {
        format!("the keys of `{table}` are {}", names.join(", "))
    }
}

/// The known name closest to a name, if one is close.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    known
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The same name in another table.
fn elsewhere(key: &str) -> Option<String> {
    Shape::of_settings().fields().iter().find_map(|table| {
        let field = table.shape.fields().iter().find(|field| field.name == key)?;
        Some(join(&table.name, &field.name))
    })
}
