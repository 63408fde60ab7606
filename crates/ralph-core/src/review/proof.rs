//! Tells whether what a reviewer calls evidence is something that can be looked at. Never whether it is true.

/// Words beside which a number is a result: `12 passed`, `exit code 0`, `returned 401`.
const RESULT_WORDS: [&str; 18] = [
    "code", "error", "errors", "exit", "exited", "failed", "failures", "http", "ok", "output",
    "passed", "printed", "returned", "returns", "status", "test", "tests", "warnings",
];
/// Fewest characters of a quotation that can be output.
const LEAST_QUOTED: usize = 3;

/// Whether the text points at something.
///
/// One of these is enough, and nothing else counts, however sure it sounds:
/// 1. a path: a word that ends like a file name (`src/login.rs`) or has a line number (`Makefile:12`);
/// 2. a quotation in backticks or double quotes, which is how output and commands are given;
/// 3. a line that begins with `$ `, as a command in a terminal does;
/// 4. a number together with a word that programs report results with.
pub(super) fn is_evidence(text: &str) -> bool {
    place_in(text).is_some() || has_quotation(text) || has_command(text) || has_result(text)
}

/// The first path in a text, with its line if it has one.
pub(super) fn place_in(text: &str) -> Option<&str> {
    text.split(|c: char| c.is_whitespace() || "()[]{}<>\"'`,;|".contains(c))
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .find(|word| is_path(word))
}

fn is_path(word: &str) -> bool {
    let at = word.find([':', '#']).unwrap_or(word.len());
    let (path, place) = word.split_at(at);
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let place = place.trim_start_matches([':', '#', 'L']);
    let has_line = place.starts_with(|c: char| c.is_ascii_digit());
    (has_line && name.contains(char::is_alphabetic)) || has_extension(name)
}

/// `login.rs` or `.gitignore`; not `e.g`, `1.5` or `...`.
fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_word = extension.len() <= 10
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    is_word && (stem.chars().count() >= 2 || (stem.is_empty() && extension.len() >= 2))
}

fn has_quotation(text: &str) -> bool {
    [('`', '`'), ('"', '"'), ('“', '”')].into_iter().any(|(open, close)| {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, behind)) = after.split_once(close) else {
                return false;
            };
            if inside.chars().filter(|c| !c.is_whitespace()).count() >= LEAST_QUOTED {
                return true;
            }
            rest = behind;
        }
        false
    })
}

fn has_command(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().strip_prefix("$ ").is_some_and(|c| !c.trim().is_empty()))
}

fn has_result(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let has_number = words.clone().any(|word| word.chars().all(|c| c.is_ascii_digit()));
    has_number && words.any(|word| RESULT_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_looked_at_is_evidence() {
        for text in [
            "src/login.rs:42",
            "see src/login.rs, lines 40-52.",
            "(login.rs#L12)",
            "Makefile:3",
            "src\\win\\login.cs:9",
            "the rule in .gitignore",
            "`cargo test login` prints `3 passed`",
            "```\nok\n1..4\n```",
            "it answers \"wrong password\"",
            "es meldet “falsches Kennwort”",
            "$ curl -i localhost\nHTTP/1.1 401",
            "test result: ok. 12 passed; 0 failed",
            "exit code 0",
            "curl returned 401",
        ] {
            assert!(is_evidence(text), "{text}");
        }
    }

    #[test]
    fn assurances_are_no_evidence() {
        for text in [
            "",
            "  \n",
            "n/a",
            "N/A.",
            "none",
            "-",
            "...",
            "…",
            "yes",
            "true",
            "ok",
            "OK.",
            "looks good",
            "Looks good to me!",
            "see above",
            "see the diff",
            "verified",
            "met",
            "I checked it and/or ran it",
            "e.g. everything",
            "i.e. done",
            "all tests pass",
            "100% done",
            "it's done, I'm sure it's right",
            "`` and \"\"",
            "$ ",
            "version 1.5",
            "the code is correct",
            "criterion 2 is met",
            "12:30",
        ] {
            assert!(!is_evidence(text), "{text}");
        }
    }

    #[test]
    fn the_first_path_is_the_place() {
        assert_eq!(place_in("in `src/a.rs:4`, not src/b.rs"), Some("src/a.rs:4"));
        assert_eq!(place_in("nowhere, i.e. nothing"), None);
    }
}
