//! Which class a path is of: what runs it, loads it or is ruled by it. Looks at the path alone.

use super::{
    Exposure,
    table::{CLASSES, Class, HARMLESS},
};

/// What a path is, if it is anything special. The case of letters does not matter: some disks ignore it.
pub(super) fn class(path: &str) -> Option<Exposure> {
    let low = path.to_ascii_lowercase();
    let (above, name) = low.rsplit_once('/').unwrap_or(("", &low));
    let folders = format!("/{above}/");
    let fits = |class: &&Class| {
        words(class.names).any(|whole| whole == name || is_end(&low, whole))
            || words(class.starts).any(|start| name.starts_with(start))
            || words(class.ends).any(|end| name.ends_with(end))
            || words(class.folders).any(|folder| is_in(&folders, folder))
            || (class.exposure == Exposure::Test && (is_test_file(name) || is_test_class(path)))
    };
    let known = CLASSES.iter().find(fits).map(|class| class.exposure.clone());
    known.or_else(|| is_unknown_dotfile(&folders, name).then_some(Exposure::Dotfile))
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
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
    let is_harmless = words(HARMLESS).any(|harmless| harmless == name);
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
