//! What can be asked about a project's files: texts, names, and what its CI and its scripts run. Reads only.

use std::{cell::OnceCell, path::Path};

use ralph_engine::project_file;

/// Files of the root that say what a project runs, beside the workflows.
const SCRIPTS: [&str; 19] = [
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    ".travis.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    "tox.ini",
    "noxfile.py",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "hatch.toml",
];
const WORKFLOWS: [&str; 3] = [".github/workflows", ".gitea/workflows", ".forgejo/workflows"];

/// The files of one folder of a project.
pub(super) struct Files<'a> {
    /// Where CI and scripts are.
    root: &'a Path,
    folder: &'a Path,
    has: &'a dyn Fn(&str) -> bool,
    scripts: OnceCell<String>,
}

impl<'a> Files<'a> {
    /// `has` says whether a program is installed.
    pub(super) fn new(root: &'a Path, folder: &'a Path, has: &'a dyn Fn(&str) -> bool) -> Self {
        Self { root, folder, has, scripts: OnceCell::new() }
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        text(self.folder, name)
    }

    pub(super) fn is_there(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// The first of these that is there.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.is_there(name))
    }

    /// Names in a folder below this one, in order.
    pub(super) fn names_in(&self, folder: &str) -> Vec<String> {
        names_in(&self.folder.join(folder))
    }

    pub(super) fn is_installed(&self, program: &str) -> bool {
        (self.has)(program)
    }

    /// Whether the project's CI or scripts say this.
    pub(super) fn runs(&self, words: &str) -> bool {
        self.scripts().contains(words)
    }

    /// The command that begins with these words, as the project's CI or scripts run it; none where it takes a shell or
    /// a CI to fill something in.
    pub(super) fn command(&self, words: &str) -> Option<String> {
        self.scripts().lines().find_map(|line| simple_command(line, words))
    }

    fn scripts(&self) -> &str {
        self.scripts.get_or_init(|| {
            let workflows = WORKFLOWS.iter().flat_map(|folder| {
                let names = names_in(&self.root.join(folder)).into_iter();
                names.map(move |name| format!("{folder}/{name}"))
            });
            let names = workflows.chain(SCRIPTS.iter().map(ToString::to_string));
            names.filter_map(|name| text(self.root, &name)).collect::<Vec<_>>().join("\n")
        })
    }
}

fn text(folder: &Path, name: &str) -> Option<String> {
    project_file::text(&folder.join(name), project_file::LARGEST_TEXT).ok()
}

/// Names of what lies in a folder, in order.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub(super) fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == ending)
}

/// The rest of a line from these words on, if that is a whole command.
fn simple_command(line: &str, words: &str) -> Option<String> {
    let (before, after) = line.split_once(words)?;
    let begins = before.is_empty() || before.ends_with([' ', '\t', '@', '"', '\'']);
    if !begins
        || before.contains('#')
        || after.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_')
    {
        return None;
    }
    let quote = before.chars().next_back().filter(|c| ['"', '\''].contains(c));
    let after = quote.and_then(|quote| after.strip_suffix(quote)).unwrap_or(after);
    let after = after.split(" #").next().unwrap_or(after).trim_end();
    let is_whole = !after.contains(|c| "$`\\|&;<>(){}\"'*?".contains(c));
    is_whole.then(|| format!("{words}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_as_ci_runs_it_where_that_is_all_of_it() {
        let whole = [
            ("      - run: cargo clippy --workspace", "cargo clippy --workspace"),
            ("  run: \"cargo clippy -- -D warnings\"", "cargo clippy -- -D warnings"),
            ("\t@cargo clippy  # as CI", "cargo clippy"),
        ];
        for (line, command) in whole {
            assert_eq!(simple_command(line, "cargo clippy").as_deref(), Some(command), "{line}");
        }
        let others = [
            "cargo clippy --target ${{ matrix.target }}",
            "cargo clippy && cargo test",
            "# cargo clippy",
            "cargo clippy-fix",
        ];
        for line in others {
            assert_eq!(simple_command(line, "cargo clippy"), None, "{line}");
        }
    }
}
