//! Files of the tree that a failure is about: what it names as missing, and the places that its output gives.

use std::collections::BTreeSet;

use super::{Gap, gap::is_name_char};

/// Most names that are looked for.
const MAX_HINTS: usize = 40;
/// Most files that are named to an agent.
const MAX_FILES: usize = 8;
/// Shortest name that may be misspelled.
const SHORTEST_MISSPELLED: usize = 3;

/// What to look for in the tree after a failure with this gap: the missing names first, then every path in the output.
pub fn hints<'a>(gap: &Gap, outputs: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut hints = gap.names.clone();
    let lines = outputs.flat_map(str::lines);
    let words = lines.flat_map(|line| line.split(|c| !is_name_char(c)));
    for word in words.map(without_position).filter(|word| is_path(word)) {
        if hints.len() >= MAX_HINTS {
            break;
        }
        if !hints.iter().any(|known| known == word) {
            hints.push(word.to_owned());
        }
    }
    hints
}

/// The files of a tree that hints lead to, the surest first. A hint that leads to no file gives none.
pub fn files(hints: &[String], paths: &BTreeSet<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for fits in [is_named, is_module, is_nearly] {
        for hint in hints {
            for path in paths.iter().filter(|path| fits(hint, path)) {
                if found.len() < MAX_FILES && !found.contains(path) {
                    found.push(path.clone());
                }
            }
        }
    }
    found
}

/// `src/a.rs` of `src/a.rs:88:5`.
fn without_position(word: &str) -> &str {
    let end = word.find(':').unwrap_or(word.len());
    word[..end].trim_end_matches(['.', '-'])
}

fn is_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    has_ending && !word.contains("//")
}

/// The path itself, absolute or from some folder on.
fn is_named(hint: &str, path: &str) -> bool {
    let hint = hint.trim_start_matches("./");
    let has_ending = is_path(hint) || hint.contains('/');
    has_ending && (ends_at_folder(path, hint) || ends_at_folder(hint, path))
}

fn ends_at_folder(whole: &str, end: &str) -> bool {
    whole.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The file of a module: `app.db` and `crate::app::db` are `app/db.py` and `src/app/db.rs`.
fn is_module(hint: &str, path: &str) -> bool {
    let plain = hint.replace("::", "/").replace(['.', '\\'], "/");
    let plain = plain.trim_matches('/');
    let roots = ["crate/", "self/", "super/", "@/", "~/"];
    let plain = roots.iter().find_map(|root| plain.strip_prefix(root)).unwrap_or(plain);
    let index = ["/mod", "/index", "/__init__"];
    let stem = stem(path);
    let stem = index.iter().find_map(|name| stem.strip_suffix(name)).unwrap_or(stem);
    !plain.is_empty() && ends_at_folder(stem, plain)
}

/// A name that is probably misspelled, against the file's own.
fn is_nearly(hint: &str, path: &str) -> bool {
    let last = |text: &str| text.rsplit(['/', '.', ':', '\\']).next().map(str::to_lowercase);
    let hint = if is_path(hint) { stem(hint) } else { hint };
    let (Some(wanted), Some(name)) = (last(hint), last(stem(path))) else { return false };
    let most = if wanted.chars().count() >= 2 * SHORTEST_MISSPELLED { 2 } else { 1 };
    wanted.chars().count() >= SHORTEST_MISSPELLED && distance(&wanted, &name) <= most
}

fn stem(path: &str) -> &str {
    let folder = path.rfind('/').map_or(0, |at| at + 1);
    path[folder..].rfind('.').filter(|at| *at > 0).map_or(path, |at| &path[..folder + at])
}

/// How many letters must be added, removed or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut above_left = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = above_left + usize::from(from != *to);
            above_left = row[j + 1];
            row[j + 1] = replaced.min(above_left + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stuck::gap;

    fn found(output: &str, tree: &[&str]) -> Vec<String> {
        let Some(gap) = gap(output) else { panic!("no gap in {output}") };
        let paths = tree.iter().map(ToString::to_string).collect();
        files(&hints(&gap, [output].into_iter()), &paths)
    }

    #[test]
    fn files_that_are_there_are_found_by_what_a_failure_says() {
        let tree = [
            "src/util.py",
            "src/app/db.py",
            "src/main.py",
            "tests/test_main.py",
            "web/src/sum.ts",
            "web/src/index.ts",
            "src/net/mod.rs",
            "README.md",
            "data/settings.json",
        ];
        for (output, expected) in [
            ("ModuleNotFoundError: No module named 'utl'", vec!["src/util.py"]),
            ("ModuleNotFoundError: No module named 'app.db'", vec!["src/app/db.py"]),
            (
                "  File \"/srv/src/main.py\", line 3, in <module>\nModuleNotFoundError: No module named 'utl'",
                vec!["src/main.py", "src/util.py"],
            ),
            ("error[E0432]: unresolved import `crate::net`", vec!["src/net/mod.rs"]),
            (
                "    Cannot find module './sum' from 'web/src/index.ts'",
                vec!["web/src/index.ts", "web/src/sum.ts"],
            ),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'data/setings.json'",
                vec!["data/settings.json"],
            ),
            ("sh: 1: frobnicate: not found", vec![]),
            ("ReferenceError: xy is not defined", vec![]),
        ] {
            assert_eq!(found(output, &tree), expected, "{output}");
        }
    }

    #[test]
    fn no_more_files_are_named_than_are_read() {
        let many: Vec<String> = (0..50).map(|n| format!("d{n}/util.py")).collect();
        let tree: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(found("No module named 'util'", &tree).len(), MAX_FILES);
    }
}
