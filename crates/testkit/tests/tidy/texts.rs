//! Words that must not be committed: unfinished work, tests switched off, this or that machine, hosts, large files.

use crate::{
    repository::{Repository, has_extension},
    words::has_word,
};

/// Spelt in two parts, so that this file does not break its own rules.
const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const SWITCHED_OFF: &str = concat!("#[", "ignore");
const BESIDE: &str = concat!("../", "shared");
const MACHINE: &[&str] = &[concat!("/", "work"), concat!("/", "root/"), concat!("../.", "library")];
/// Commands that other people type; what they name is nobody's machine.
const CORPUS: &str = "guard-corpus.tsv";
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("deb.", "debian.org"),
];

/// Most bytes of one file.
const LARGEST: usize = 300 * 1024;

/// Nothing says that it is unfinished.
pub(crate) fn unfinished(repository: &Repository) -> Vec<String> {
    let code = |path: &str| {
        ["rs", "toml", "py", "sh"].iter().any(|kind| has_extension(path, kind))
            || matches!(path, "justfile" | ".ci/run")
    };
    lines(repository, code, |line| UNFINISHED.iter().any(|word| has_word(line, word)))
}

/// No test is switched off, except for one that says which recipe plays it.
pub(crate) fn switched_off(repository: &Repository) -> Vec<String> {
    let played = format!("{SWITCHED_OFF} = \"just ");
    let is_off = |line: &str| line.contains(SWITCHED_OFF) && !line.contains(&played);
    lines(repository, |path| has_extension(path, "rs"), is_off)
}

/// Nothing names a place of one machine, or what lies beside the repository (recipes may).
pub(crate) fn machines(repository: &Repository) -> Vec<String> {
    let recipe =
        |path: &str| matches!(path, "justfile" | ".ci/run") || path.starts_with("scripts/");
    let own = |path: &str| !recipe(path) && !path.ends_with(CORPUS);
    let mut findings = lines(repository, own, |line| line.contains(BESIDE));
    findings.extend(lines(
        repository,
        |_| true,
        |line| MACHINE.iter().any(|place| names_place(line, place)),
    ));
    findings
}

/// Nothing names a package registry's host; the lock file is cargo's own.
pub(crate) fn hosts(repository: &Repository) -> Vec<String> {
    let ours = |path: &str| path.rsplit('/').next() != Some("Cargo.lock");
    lines(repository, ours, |line| HOSTS.iter().any(|host| line.contains(host)))
}

/// No file is large.
pub(crate) fn large(repository: &Repository) -> Vec<String> {
    let large = repository.sizes().filter(|(_, bytes)| *bytes > LARGEST);
    large.map(|(path, bytes)| format!("{path}: {bytes} bytes (more than {LARGEST})")).collect()
}

/// Whether a path begins with `place`: not in the middle of another one, not as the start of a longer name.
fn names_place(line: &str, place: &str) -> bool {
    let continues =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | ')' | '*' | '>');
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + place.len()..].chars().next();
        let whole = place.ends_with('/')
            || !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        !before.is_some_and(continues) && whole
    })
}

/// `path:line` of every line of a chosen file that matches.
fn lines(
    repository: &Repository,
    chosen: impl Fn(&str) -> bool,
    matches: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in repository.texts().filter(|(path, _)| chosen(path)) {
        let found = text.lines().enumerate().filter(|(_, line)| matches(line));
        findings
            .extend(found.map(|(index, line)| format!("{path}:{}: {}", index + 1, line.trim())));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_code_is_found_and_prose_about_it_is_not() {
        let word = UNFINISHED[0];
        let planted = Repository::planted(&[
            ("a.rs", &format!("// {word}: later")),
            ("justfile", &format!("# {word}")),
            ("b.rs", "Todo::new()"),
            ("c.md", &format!("no {word}")),
        ]);
        assert_eq!(unfinished(&planted).len(), 2);
    }

    #[test]
    fn a_test_that_is_switched_off_is_found() {
        let planted = Repository::planted(&[
            ("a.rs", &format!("{SWITCHED_OFF} = \"slow\"]")),
            ("b.rs", "ignored()"),
            ("c.rs", &format!("{SWITCHED_OFF} = \"just slow plays it\"]")),
        ]);
        assert_eq!(switched_off(&planted).len(), 1);
    }

    #[test]
    fn a_machines_place_is_found_and_similar_ones_are_not() {
        let found = |line: &str| machines(&Repository::planted(&[("a.md", line)])).len();
        for place in MACHINE {
            assert_eq!(found(&format!("see {place}")), 1, "{place}");
        }
        assert_eq!(found(&format!("\"{}/main\"", MACHINE[0])), 1);
        assert_eq!(found(BESIDE), 1);
        assert_eq!(found(&format!("src{0} {0}space {0}-tree root{0}", MACHINE[0])), 0);
    }

    #[test]
    fn recipes_may_name_what_lies_beside_the_repository() {
        let planted = Repository::planted(&[("justfile", BESIDE), ("scripts/a.py", BESIDE)]);
        assert_eq!(machines(&planted), [""; 0]);
    }

    #[test]
    fn a_registry_host_is_found() {
        for host in HOSTS {
            let planted = Repository::planted(&[("a.toml", host), ("Cargo.lock", host)]);
            assert_eq!(hosts(&planted).len(), 1, "{host}");
        }
    }

    #[test]
    fn a_large_file_is_found() {
        let planted = Repository::planted(&[("a", &"x".repeat(LARGEST + 1)), ("b", "x")]);
        assert_eq!(large(&planted).len(), 1);
    }
}
