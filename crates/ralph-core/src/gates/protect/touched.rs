//! The list of changed paths that need a second look, bounded so that no change can flood a journal or a prompt.

use serde::{Deserialize, Serialize};

use super::{
    Exposure, classes,
    facts::{Change, Content, leads_out},
    glob::{self, Glob},
};

/// So many paths are listed, …
const MOST: usize = 200;
/// … in so many bytes.
const MOST_BYTES: usize = 32 * 1024;

/// A changed path that needs a second look. A path can be listed twice: as protected, and for what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Touched {
    pub path: String,
    #[serde(flatten)]
    pub exposure: Exposure,
}

/// What [`exposures`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exposures {
    /// Sorted by path.
    pub touched: Vec<Touched>,
    /// How many more there are; only those that weigh least are left out.
    pub left_out: u64,
}

/// What the project says about its paths.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules<'a> {
    /// Globs of protected paths. Settings with one that cannot be read never start a run; here it matches nothing.
    pub protect: &'a [String],
    /// The folder that git takes hooks from, where it is part of the worktree.
    pub hooks: Option<&'a str>,
}

/// Which of these changes need a second look.
pub fn exposures<'a>(changes: impl Iterator<Item = Change<'a>>, rules: &Rules<'_>) -> Exposures {
    let parsed = |text: &'_ String| Some((text.clone(), Glob::parse(text).ok()?));
    let globs: Vec<(String, Glob)> = rules.protect.iter().filter_map(parsed).collect();
    let mut all = Vec::new();
    for Change { path, content } in changes {
        if !globs.is_empty() {
            let names = glob::names(path);
            let found = globs.iter().find(|(_, glob)| glob.matches_names(&names));
            all.extend(found.map(|(glob, _)| (Exposure::Protected { glob: glob.clone() }, path)));
        }
        all.extend(exposure(path, content, rules.hooks).map(|exposure| (exposure, path)));
    }
    bounded(all)
}

/// The weightiest reason, apart from protection.
fn exposure(path: &str, content: Content<'_>, hooks: Option<&str>) -> Option<Exposure> {
    let is_hook = hooks.is_some_and(|folder| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let by_name = if is_hook { Some(Exposure::GitHook) } else { classes::class(path) };
    let by_fact = match content {
        Content::Repository => Some(Exposure::Repository),
        Content::Link { target } if leads_out(path, target) => Some(Exposure::LinkOutside),
        content if content.is_program() => Some(Exposure::Executable),
        Content::File { .. } | Content::Link { .. } | Content::Gone => None,
    };
    by_name.into_iter().chain(by_fact).min()
}

/// Keeps what weighs most.
fn bounded(mut all: Vec<(Exposure, &str)>) -> Exposures {
    all.sort();
    all.dedup();
    let mut bytes = 0_usize;
    let fitting = all.iter().take(MOST).take_while(|(_, path)| {
        // One is always listed, however long its path is.
        let is_first = bytes == 0;
        bytes += path.len().max(1);
        is_first || bytes <= MOST_BYTES
    });
    let kept = fitting.count();
    let left_out = (all.len() - kept) as u64;
    all.truncate(kept);
    let mut touched: Vec<Touched> = all
        .into_iter()
        .map(|(exposure, path)| Touched { path: path.to_owned(), exposure })
        .collect();
    touched.sort();
    Exposures { touched, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(path: &str) -> Change<'_> {
        Change { path, content: Content::File { is_executable: false, begins: b"text" } }
    }

    fn found(paths: &[&str], globs: &[&str]) -> Exposures {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        exposures(paths.iter().map(|path| plain(path)), &Rules { protect: &globs, hooks: None })
    }

    fn shown(found: &Exposures) -> Vec<String> {
        let shown =
            |touched: &Touched| format!("{}: {}", touched.path, touched.exposure.describe());
        found.touched.iter().map(shown).collect()
    }

    #[test]
    fn a_path_is_listed_for_what_it_is_and_for_the_first_glob_that_protects_it() {
        let found = found(
            &["src/lib.rs", "tests/b.rs", "tests/a.rs", "docs/x.md"],
            &["docs/**", "tests", "*.rs"],
        );
        let expected = [
            "docs/x.md: protected by docs/**",
            "src/lib.rs: protected by *.rs",
            "tests/a.rs: protected by tests",
            "tests/a.rs: test",
            "tests/b.rs: protected by tests",
            "tests/b.rs: test",
        ];
        assert_eq!((shown(&found), found.left_out), (expected.map(String::from).to_vec(), 0));
    }

    #[test]
    fn many_tests_cannot_hide_a_hook_or_a_protected_path() {
        let many: Vec<String> = (0..1_000).map(|n| format!("tests/t{n:04}.rs")).collect();
        let mut paths: Vec<&str> = many.iter().map(String::as_str).collect();
        paths.extend(["zz/.husky/pre-commit", "zz/secret.txt"]);
        let found = found(&paths, &["secret.*"]);
        assert_eq!((found.touched.len(), found.left_out), (200, 802));
        let shown = shown(&found).join("\n");
        assert!(shown.contains("zz/.husky/pre-commit: run by git"), "{shown}");
        assert!(shown.contains("zz/secret.txt: protected by secret.*"), "{shown}");
        assert!(found.touched.is_sorted());
    }

    #[test]
    fn long_paths_are_bounded_by_bytes_and_one_is_always_told() {
        let many: Vec<String> =
            (0..100).map(|n| format!("tests/{n}/{}", "x".repeat(4_000))).collect();
        let of_many = exposures(many.iter().map(|path| plain(path)), &Rules::default());
        assert_eq!((of_many.touched.len(), of_many.left_out), (8, 92));
        let giant = format!("tests/{}", "x".repeat(100_000));
        assert_eq!(exposures([plain(&giant)].into_iter(), &Rules::default()).touched.len(), 1);
    }

    #[test]
    fn whatever_is_executable_is_listed_wherever_it_lies() {
        let names =
            ["a", "src/lib.rs", "docs/x.md", "tests/run", ".x/y", "Makefile", "x y", ".gitignore"];
        let facts = [
            Content::File { is_executable: true, begins: b"" },
            Content::File { is_executable: true, begins: b"text" },
            Content::File { is_executable: false, begins: b"#!/bin/sh" },
            Content::Repository,
            Content::Link { target: "/bin/sh" },
        ];
        for path in names {
            for content in facts {
                let found = exposures([Change { path, content }].into_iter(), &Rules::default());
                assert_eq!(found.touched.len(), 1, "{path} {content:?}");
                assert_ne!(found.touched[0].exposure, Exposure::Test, "{path} {content:?}");
            }
        }
    }

    #[test]
    fn the_folder_that_git_takes_hooks_from_is_known_by_its_setting() {
        let rules = Rules { protect: &[], hooks: Some("scripts/git") };
        let paths = ["scripts/git/pre-push", "scripts/github/x.md"];
        let found = exposures(paths.into_iter().map(plain), &rules);
        assert_eq!(shown(&found), ["scripts/git/pre-push: run by git"]);
    }

    #[test]
    fn a_list_that_was_cut_says_how_much_is_missing() {
        let many: Vec<String> = (0..1_500).map(|n| format!("bin/{n}")).collect();
        let content = Content::File { is_executable: true, begins: b"" };
        let changes = many.iter().map(|path| Change { path, content });
        let found = exposures(changes, &Rules::default());
        assert_eq!(found.touched.len() as u64 + found.left_out, 1_500);
        assert!(!found.touched.is_empty());
    }

    #[test]
    fn what_was_touched_survives_the_journal() -> Result<(), serde_json::Error> {
        let found = found(&["tests/a", "Makefile"], &["tests/**"]);
        let line = serde_json::to_string(&found.touched)?;
        assert!(line.contains(r#"{"path":"Makefile","exposure":"build_script"}"#), "{line}");
        assert_eq!(serde_json::from_str::<Vec<Touched>>(&line)?, found.touched);
        Ok(())
    }
}
