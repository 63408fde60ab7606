//! Plans of other tools that lie at a project's root, for somebody who has none yet. Reads only, and imports nothing.

use std::{fs, path::Path};

use ralph_core::plan::formats;
use ralph_engine::project_file;

/// Files that other tools keep a plan in.
const NAMES: [&str; 3] = ["prd.json", "plan.json", "tasks.json"];
/// Documents whose boxes are not a plan.
const DOCUMENTS: [&str; 4] = ["readme.md", "contributing.md", "changelog.md", "security.md"];
/// Most bytes of a file that is looked at.
const LARGEST: u64 = 1 << 20;

/// The first file at the root that can be imported: one with a known name, else a Markdown checklist with open boxes.
pub(super) fn find(root: &Path) -> Option<String> {
    let entries = fs::read_dir(root).ok()?.flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_by_key(|name| (!NAMES.contains(&name.as_str()), name.clone()));
    names.into_iter().find(|name| is_plan(root, name))
}

fn is_plan(root: &Path, name: &str) -> bool {
    let low = name.to_lowercase();
    let is_markdown = Path::new(&low).extension().is_some_and(|ending| ending == "md");
    let is_list = is_markdown && !DOCUMENTS.contains(&low.as_str());
    if !NAMES.contains(&low.as_str()) && !is_list {
        return false;
    }
    let text = project_file::text(&root.join(name), LARGEST).unwrap_or_default();
    (!is_list || text.contains("- [ ] ")) && formats::detect(name, &text).is_some()
}
