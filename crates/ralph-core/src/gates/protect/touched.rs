//! The list of changed paths that need a second look, bounded so that no change can flood a journal or a prompt.

use serde::{Deserialize, Serialize};

use super::{
    classes,
    glob::{self, Glob},
};

/// So many paths are listed, …
const MOST: usize = 200;
/// … in so many bytes.
const MOST_BYTES: usize = 32 * 1024;

/// Why a changed path needs a second look. What weighs more comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "exposure", rename_all = "snake_case")]
pub enum Exposure {
    /// The settings protect it.
    Protected { glob: String },
    /// Git runs it, or is told by it what to run.
    GitHook,
    /// A coding agent obeys it or runs what it names.
    AgentConfig,
    /// An editor or a shell runs what it names as soon as the folder is opened.
    EditorTask,
    /// The project's automation runs it or is ruled by it.
    Ci,
    /// A package manager runs it or installs what it names.
    PackageScript,
    /// A build runs it.
    BuildScript,
    /// It is part of what proves the work.
    Test,
}

impl Exposure {
    /// The class in words, for people and prompts.
    pub fn describe(&self) -> String {
        match self {
            Self::Protected { glob } => format!("protected by {glob}"),
            Self::GitHook => "git runs it".into(),
            Self::AgentConfig => "agents obey it".into(),
            Self::EditorTask => "editors or shells run it".into(),
            Self::Ci => "automation runs it".into(),
            Self::PackageScript => "package managers run or install it".into(),
            Self::BuildScript => "builds run it".into(),
            Self::Test => "a test".into(),
        }
    }
}

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

/// Which of these paths need a second look.
///
/// Settings with a glob that cannot be read never start a run; here such a glob matches nothing.
pub fn exposures<'a>(paths: impl Iterator<Item = &'a str>, globs: &[String]) -> Exposures {
    let globs: Vec<(&String, Glob)> =
        globs.iter().filter_map(|text| Some((text, Glob::parse(text).ok()?))).collect();
    let mut all = Vec::new();
    for path in paths {
        if !globs.is_empty() {
            let names = glob::names(path);
            let found = globs.iter().find(|(_, glob)| glob.matches_names(&names));
            all.extend(
                found.map(|(glob, _)| (Exposure::Protected { glob: (*glob).clone() }, path)),
            );
        }
        all.extend(classes::class(path).map(|exposure| (exposure, path)));
    }
    bounded(all)
}

/// Keeps what weighs most.
fn bounded(mut all: Vec<(Exposure, &str)>) -> Exposures {
    all.sort();
    all.dedup();
    let mut bytes = 0_usize;
    let fitting = all.iter().take(MOST).take_while(|(_, path)| {
        // One is always told, however long its path is.
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

    fn found(paths: &[&str], globs: &[&str]) -> Exposures {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        exposures(paths.iter().copied(), &globs)
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
            "tests/a.rs: a test",
            "tests/b.rs: protected by tests",
            "tests/b.rs: a test",
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
        assert!(shown.contains("zz/.husky/pre-commit: git runs it"), "{shown}");
        assert!(shown.contains("zz/secret.txt: protected by secret.*"), "{shown}");
        assert!(found.touched.is_sorted());
    }

    #[test]
    fn long_paths_are_bounded_by_bytes_and_one_is_always_told() {
        let many: Vec<String> =
            (0..100).map(|n| format!("tests/{n}/{}", "x".repeat(4_000))).collect();
        let of_many = exposures(many.iter().map(String::as_str), &[]);
        assert_eq!((of_many.touched.len(), of_many.left_out), (8, 92));
        let giant = format!("tests/{}", "x".repeat(100_000));
        assert_eq!(exposures([giant.as_str()].into_iter(), &[]).touched.len(), 1);
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
