//! Which format a name means, and which one a text is in.

use super::{ALL, Look, PlanFormat};

/// The format of this name.
pub fn named(name: &str) -> Option<&'static PlanFormat> {
    let wanted = name.to_lowercase().replace('_', ".");
    let is_called =
        |format: &&&PlanFormat| format.name == wanted || format.aliases.contains(&wanted.as_str());
    ALL.iter().find(is_called).copied()
}

/// The format that a text is in, as far as its name and its looks tell.
pub fn detect(file_name: &str, text: &str) -> Option<&'static PlanFormat> {
    let text = text.trim_start_matches('\u{feff}');
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let look = Look { name, text, json: serde_json::from_str(text).ok() };
    ALL.iter().find(|format| (format.recognises)(&look)).copied()
}

/// What to do about a format that was dropped, by its name or by that of a file.
pub fn dropped(name: &str) -> Option<&'static str> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    ["yaml", "yml", "beads", "bd", "jsonl"].contains(&ending.as_str()).then_some(
        "0.2.0 dropped YAML and beads: `ralph plan FILE` drafts a plan from any text, and JSON with `tasks` is imported",
    )
}
