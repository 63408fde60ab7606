//! One way to start a program for a person: whoever starts it otherwise finds it where agents write.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// The one way, and what starts ralph itself.
const OTHERS: [&str; 4] = [
    "crates/ralph/src/session/probe.rs",
    "crates/ralph/src/session/background.rs",
    "crates/ralph/src/session/watch_key.rs",
    "crates/ralph/src/args/",
];

/// Nobody but one module of the binary starts programs.
pub(crate) fn one_way(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in repository.rust_below("crates/ralph/src/") {
        if path.ends_with("_tests.rs") || OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let lines = code_lines(outside_tests(path, text));
        let found = lines.filter(|(_, line)| line.contains("Command::new("));
        findings.extend(found.map(|(number, _)| {
            format!("{path}:{number}: programs are started through {}", OTHERS[0])
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_started_otherwise_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/a.rs", "//! A.\nlet child = Command::new(pager);\n"),
            ("crates/ralph/src/session/probe.rs", "Command::new(program)\n"),
            ("crates/ralph/src/c.rs", "x\n#[cfg(test)]\nmod tests {\nCommand::new(x)\n}\n"),
        ]);
        let found = one_way(&planted);
        assert!(matches!(&found[..], [one] if one.contains("a.rs:2")), "{found:?}");
    }
}
