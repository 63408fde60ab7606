//! How many production lines each crate has, and that none grows past what it may have. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::{repository::Repository, shape::outside_tests};

/// Crate and the most lines it may have. A limit may only fall; an ADR that raises one names what was removed for it (0029).
const MOST: &[(&str, usize)] = &[
    ("ralph-text", 3_140),
    ("ralph-guard", 4_450),
    ("ralph-core", 33_225),
    ("ralph-agents", 6_040),
    ("ralph-engine", 29_700),
    ("ralph", 25_910),
    ("ralph-fleet", 11_570),
];

/// No crate has more lines than it may have, and every crate that ships has its limit.
pub(crate) fn within(repository: &Repository) -> Vec<String> {
    let most = |name: &str| MOST.iter().find(|(of, _)| *of == name).map_or(0, |(_, most)| *most);
    production(repository)
        .into_iter()
        .filter(|(name, lines)| *lines > most(name))
        .map(|(name, lines)| format!("{name}: {lines} production lines (at most {})", most(&name)))
        .collect()
}

/// The crates, their lines and the sum, as a table.
pub(crate) fn table(repository: &Repository) -> Vec<String> {
    let sizes = production(repository);
    let sum: usize = sizes.values().sum();
    let rows = sizes.into_iter().chain([("all".to_owned(), sum)]);
    rows.map(|(name, lines)| format!("{lines:>7} {name}")).collect()
}

/// Lines by crate, without tests and without the test kit.
fn production(repository: &Repository) -> BTreeMap<String, usize> {
    let tests = only_for_tests(repository);
    let is_test = |path: &str| tests.iter().any(|stem| is_in(path, stem));
    let mut sizes = BTreeMap::new();
    for (path, text) in repository.rust_below("crates/") {
        let Some((name, "src")) = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.split_once('/'))
            .map(|(name, rest)| (name, rest.split('/').next().unwrap_or_default()))
        else {
            continue;
        };
        if name != "testkit" && !is_test(path) {
            *sizes.entry(name.to_owned()).or_default() += outside_tests(path, text).lines().count();
        }
    }
    sizes
}

/// Whether a path is the module of this stem or below it.
fn is_in(path: &str, stem: &str) -> bool {
    path.strip_prefix(stem).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Modules that are declared for tests only: their path without the ending.
fn only_for_tests(repository: &Repository) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    for (path, text) in repository.rust() {
        let folder = match path.rsplit_once('/') {
            Some((folder, "mod.rs" | "lib.rs" | "main.rs")) => folder.to_owned(),
            _ => path.trim_end_matches(".rs").to_owned(),
        };
        let mut is_next = false;
        for line in text.lines() {
            let module = line.split("mod ").nth(1).and_then(|rest| rest.strip_suffix(';'));
            match module {
                Some(module) if is_next => {
                    stems.insert(format!("{folder}/{module}"));
                }
                _ => {}
            }
            let is_for_tests = line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,");
            is_next = is_for_tests || (is_next && line.starts_with("#["));
        }
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_for_tests_does_not_count() {
        let planted = Repository::planted(&[
            ("crates/a/src/lib.rs", "//! A.\n#[cfg(test)]\nmod b;\nmod c;\n"),
            ("crates/a/src/b.rs", "x\nx\n"),
            ("crates/a/src/b/deep.rs", "x\n"),
            ("crates/a/src/c.rs", "x\n#[cfg(test)]\nmod tests {\n}\n"),
            ("crates/a/tests/d.rs", "x\n"),
            ("crates/testkit/src/e.rs", "x\n"),
        ]);
        assert_eq!(table(&planted), ["      5 a", "      5 all"]);
    }

    #[test]
    fn a_crate_that_grows_too_far_and_one_without_a_limit_are_found() {
        let text = "x\n".repeat(5_000);
        let planted = Repository::planted(&[
            ("crates/ralph-guard/src/a.rs", &text),
            ("crates/ralph-new/src/a.rs", "x\n"),
            ("crates/ralph/src/a.rs", &text),
        ]);
        assert_eq!(within(&planted).len(), 2);
    }
}
