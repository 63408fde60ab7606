//! What counts as a secret in a file or a patch that an agent wrote. Reads no file and asks no git.

use std::collections::BTreeMap;

use ralph_core::{
    gates::protect::Glob,
    redact::{Redactor, Secret},
};

use super::files::shown;

/// What must not get into objects.
#[derive(Debug, Clone, Default)]
pub struct Screen {
    known: Redactor,
    /// Paths in which what only looks like a secret may stand.
    admitted: Vec<Glob>,
}

impl Screen {
    /// Settings with a glob that cannot be read never start a run; here such a glob admits nothing.
    pub fn new(known: Redactor, admitted: &[String]) -> Self {
        let admitted = admitted.iter().filter_map(|glob| Glob::parse(glob).ok()).collect();
        Self { known, admitted }
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.known
    }

    /// The secrets of a file that `old` does not hold already. A value of the run's environment is one wherever it
    /// stands.
    pub(crate) fn secrets(&self, path: &[u8], text: &[u8], old: &[u8]) -> Vec<Secret> {
        let mut found = self.known.new_secrets(text, old);
        if !found.is_empty() && self.admits(path) {
            found.retain(|secret| secret.is_named);
        }
        found
    }

    /// The secrets that a commit's patch without context adds, by the file they stand in. What it only moves from one
    /// file to another is not new.
    pub(crate) fn secrets_in_patch(&self, patch: &[u8]) -> Vec<(String, Secret)> {
        let (added, removed) = sides(patch);
        let found = added.iter().flat_map(|(path, text)| {
            let secrets = self.secrets(path, text, &removed);
            secrets.into_iter().map(|secret| (shown(path), secret))
        });
        found.collect()
    }

    fn admits(&self, path: &[u8]) -> bool {
        let path = String::from_utf8_lossy(path);
        self.admitted.iter().any(|glob| glob.matches(&path))
    }
}

/// Added lines by file, and all removed ones. A name that git quotes stays as it is written.
fn sides(patch: &[u8]) -> (BTreeMap<Vec<u8>, Vec<u8>>, Vec<u8>) {
    let (mut added, mut removed) = (BTreeMap::<Vec<u8>, Vec<u8>>::new(), Vec::new());
    let (mut file, mut is_head) = (Vec::new(), true);
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            is_head = true;
        } else if line.starts_with(b"@@ ") {
            is_head = false;
        } else if is_head {
            if let Some(name) = line.strip_prefix(b"+++ ") {
                let name = name.strip_prefix(b"b/").unwrap_or(name);
                file = name.strip_suffix(b"\n").unwrap_or(name).to_vec();
            }
        } else if let Some(line) = line.strip_prefix(b"+") {
            added.entry(file.clone()).or_default().extend_from_slice(line);
        } else if let Some(line) = line.strip_prefix(b"-") {
            removed.extend_from_slice(line);
        }
    }
    (added, removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together, so that this file holds none.
    fn token() -> String {
        format!("ghp_{}", "q7Rm2XwZk9LpT4vYs8NbC3hJd6FgA1eUo5Ki")
    }

    fn screen(admitted: &[&str]) -> Screen {
        let admitted: Vec<String> = admitted.iter().map(ToString::to_string).collect();
        Screen::new(Redactor::new([("MY_TOKEN", "value-of-mine-7731")]), &admitted)
    }

    #[test]
    fn an_admitted_path_may_hold_what_looks_like_a_secret_but_no_value_of_the_environment() {
        let screen = screen(&["tests/fixtures/**"]);
        let text = format!("{}\nvalue-of-mine-7731\n", token());
        let found = |path: &str| -> Vec<String> {
            let found = screen.secrets(path.as_bytes(), text.as_bytes(), b"");
            found.into_iter().map(|secret| secret.kind).collect()
        };
        assert_eq!(found("src/a.rs"), ["github-token", "MY_TOKEN"]);
        assert_eq!(found("tests/fixtures/key.txt"), ["MY_TOKEN"]);
    }

    #[test]
    fn a_patch_is_read_file_by_file_and_a_moved_line_is_not_new() {
        let token = token();
        let patch = |from: &str, to: &str, sign: &str| {
            format!(
                "diff --git a/{from} b/{to}\n--- a/{from}\n+++ b/{to}\n@@ -1 +1 @@\n{sign}{token}\n"
            )
        };
        let added = patch("src/a.rs", "src/a.rs", "+");
        let named = |patch: &str, admitted: &[&str]| -> Vec<String> {
            let found = screen(admitted).secrets_in_patch(patch.as_bytes());
            found.into_iter().map(|(path, secret)| format!("{path} {}", secret.kind)).collect()
        };
        assert_eq!(named(&added, &[]), ["src/a.rs github-token"]);
        assert_eq!(named(&added, &["src/**"]), [""; 0]);
        let moved = format!("{}{added}", patch("old.rs", "/dev/null", "-"));
        assert_eq!(named(&moved, &[]), [""; 0]);
        let head_like = format!("{added}+++ b/tests/x\n+{token}\n");
        assert_eq!(named(&head_like, &["tests/**"]), ["src/a.rs github-token"; 2]);
    }
}
