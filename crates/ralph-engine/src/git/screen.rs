//! What counts as a secret in what an agent wrote, be it content, a name or a message. Reads no file and asks no git.

use ralph_core::gates::protect::Glob;
use ralph_text::redact::{Redactor, Secret};

use super::{
    content::{View, views},
    files::shown,
};

/// What must not get into objects.
#[derive(Debug, Clone, Default)]
pub struct Screen {
    known: Redactor,
    /// Paths in which what only looks like a secret may stand.
    admitted: Vec<Glob>,
    /// What only looks like a secret may stand everywhere.
    admits_all: bool,
}

/// What was there before: a secret in it is not new.
#[derive(Debug, Default)]
pub(crate) struct Old {
    pub(crate) content: Vec<u8>,
    pub(crate) names: Vec<u8>,
}

impl Old {
    /// Adds what a file held, however it was packed.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        views(bytes, &mut |_, text| {
            self.content.extend_from_slice(text);
            self.content.push(b'\n');
        });
    }
}

/// What was found in some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) secrets: Vec<Secret>,
    /// Why part of it could not be looked into.
    pub(crate) unread: Option<String>,
    /// The secrets stand there as they are: they can be taken out of a copy.
    pub(crate) is_plain: bool,
}

impl Screen {
    /// Settings with a glob that cannot be read never start a run; here such a glob admits nothing.
    pub fn new(known: Redactor, admitted: &[String]) -> Self {
        let admitted = admitted.iter().filter_map(|glob| Glob::parse(glob).ok()).collect();
        Self { known, admitted, admits_all: false }
    }

    /// The same for values of the run's environment alone.
    pub(crate) fn for_known_values(&self) -> Self {
        Self { admits_all: true, ..self.clone() }
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.known
    }

    /// What a file holds that `old` does not hold already. A value of the run's environment is a secret wherever it
    /// stands.
    pub(crate) fn look(&self, path: &[u8], bytes: &[u8], old: &[u8]) -> Look {
        let mut look = Look { secrets: Vec::new(), unread: None, is_plain: true };
        look.unread = views(bytes, &mut |view, text| {
            let mut found = self.known.new_secrets(text, old);
            if view == View::Joined {
                found.retain(|secret| secret.is_named);
            }
            if view != View::Plain {
                // Lines are counted in what a person sees, and there it was told already or cannot be seen.
                found.retain(|one| look.secrets.iter().all(|known| known.kind != one.kind));
                found = without_lines(found);
                look.is_plain &= found.is_empty();
            }
            look.secrets.extend(found);
        });
        if !look.secrets.is_empty() && self.admits(path) {
            look.secrets.retain(|secret| secret.is_named);
        }
        look
    }

    /// The secrets in a name, a link's target or a message.
    pub(crate) fn in_words(&self, path: &[u8], words: &[u8], old: &[u8]) -> Vec<Secret> {
        without_lines(self.look(path, words, old).secrets)
    }

    /// A path for people, without what must not be shown.
    pub(crate) fn shown(&self, path: &[u8]) -> String {
        self.known.text(&shown(path)).into_owned()
    }

    /// Whether a file must not be taken in if it cannot be looked into: there are values to look for, and the user did
    /// not admit it.
    pub(crate) fn must_read(&self, path: &[u8]) -> bool {
        self.known.knows_values() && !self.admits(path)
    }

    fn admits(&self, path: &[u8]) -> bool {
        let path = String::from_utf8_lossy(path);
        self.admits_all || self.admitted.iter().any(|glob| glob.matches(&path))
    }
}

fn without_lines(found: Vec<Secret>) -> Vec<Secret> {
    found.into_iter().map(|secret| Secret { line: 0, ..secret }).collect()
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
            let found = screen.look(path.as_bytes(), text.as_bytes(), b"");
            found.secrets.into_iter().map(|secret| secret.kind).collect()
        };
        assert_eq!(found("src/a.rs"), ["github-token", "MY_TOKEN"]);
        assert_eq!(found("tests/fixtures/key.txt"), ["MY_TOKEN"]);
    }

    #[test]
    fn names_are_shown_without_what_they_hold() {
        let screen = screen(&[]);
        assert_eq!(screen.shown(b"a/f-value-of-mine-7731.txt"), "a/f-[redacted:MY_TOKEN].txt");
        assert_eq!(screen.in_words(b"", b"f-value-of-mine-7731", b"").len(), 1);
        assert!(
            screen.in_words(b"", b"f-value-of-mine-7731", b"old f-value-of-mine-7731").is_empty()
        );
    }

    #[test]
    fn strings_of_a_program_that_only_meet_without_zero_bytes_count_for_known_values_alone() {
        let screen = screen(&[]);
        let found = |bytes: &[u8]| screen.look(b"a.bin", bytes, b"").secrets.len();
        let text =
            [b"\x01\x02\x03 plain machine code ", &b"password=\0Zq7xW9pLr2Kd8VtYmN3s"[..]].concat();
        assert_eq!(found(&text), 0);
        assert_eq!(found(b"\x01\x02\x03 plain machine code value-of-\0mine-7731"), 1);
    }
}
