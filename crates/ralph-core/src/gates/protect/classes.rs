//! Which class a path is of: what runs it, loads it or is ruled by it. Looks at the path alone.

use std::str::SplitAsciiWhitespace;

use super::Exposure;

/// What the files look like that tools run or load by themselves; explained there.
const CLASSES: &str = include_str!("classes.txt");

/// What a path is, if it is anything special. The case of letters does not matter: some disks ignore it.
pub(super) fn class(path: &str) -> Option<Exposure> {
    let low = path.to_ascii_lowercase();
    let (above, name) = low.rsplit_once('/').unwrap_or(("", &low));
    let folders = format!("/{above}/");
    let fits = |how: &str, word: &str| match how {
        "folder" => is_in(&folders, word),
        "name" => word == name || is_end(&low, word),
        "begins" => name.starts_with(word),
        "ends" => name.ends_with(word),
        _ => is_test_file(name) || is_test_class(path),
    };
    let mut entries = entries();
    let known = entries.find_map(|(class, how, mut words)| {
        exposure(class).filter(|_| words.any(|word| fits(how, word)))
    });
    known.or_else(|| is_unknown_dotfile(&folders, name).then_some(Exposure::Dotfile))
}

/// Every line of the table: a class, how it is recognised, and by which words.
fn entries() -> impl Iterator<Item = (&'static str, &'static str, SplitAsciiWhitespace<'static>)> {
    let lines = CLASSES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        Some((words.next()?, words.next()?, words))
    })
}

fn exposure(class: &str) -> Option<Exposure> {
    match class {
        "git_hook" => Some(Exposure::GitHook),
        "agent_config" => Some(Exposure::AgentConfig),
        "editor_task" => Some(Exposure::EditorTask),
        "ci" => Some(Exposure::Ci),
        "package_script" => Some(Exposure::PackageScript),
        "build_script" => Some(Exposure::BuildScript),
        "test" => Some(Exposure::Test),
        "tool_config" => Some(Exposure::ToolConfig),
        "executable" => Some(Exposure::Executable),
        _ => None,
    }
}

/// Whether a path ends with several names.
fn is_end(path: &str, names: &str) -> bool {
    let before = names.contains('/').then(|| path.strip_suffix(names)).flatten();
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether `/a/b/` holds a folder, which may be several names long.
fn is_in(folders: &str, folder: &str) -> bool {
    folders.match_indices(folder).any(|(at, _)| {
        folders[..at].ends_with('/') && folders[at + folder.len()..].starts_with('/')
    })
}

/// Tools look for their settings in dotfiles; one that nobody knows is somebody's.
fn is_unknown_dotfile(folders: &str, name: &str) -> bool {
    let mut harmless = entries().filter(|(class, ..)| *class == "harmless");
    let is_harmless = harmless.any(|(.., mut words)| words.any(|word| word == name));
    folders.contains("/.") || (name.starts_with('.') && !is_harmless)
}

/// `a_test.go`, `a.spec.ts`.
fn is_test_file(name: &str) -> bool {
    let (stem, _) = name.split_once('.').unwrap_or((name, ""));
    ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || [".test.", ".spec.", ".cy.", ".e2e."].iter().any(|inner| name.contains(inner))
}

/// `FooTest.java`, but not `latest.java`: here the case of letters tells.
fn is_test_class(path: &str) -> bool {
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let is_class = ["Test", "Tests", "Spec", "IT"].iter().any(|end| stem.ends_with(end));
    is_class && matches!(ending, "java" | "kt" | "cs" | "php" | "swift" | "scala" | "groovy")
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
