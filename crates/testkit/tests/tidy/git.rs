//! One way to call git: whoever starts it otherwise starts it outside its box.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// The folder that owns git, and its files that may start a process.
const OWNER: &str = "crates/ralph-engine/src/git/";
const STARTERS: [&str; 3] = ["command.rs", "enclosed.rs", "room.rs"];

/// Ways to name git as a program.
const NAMES: [&str; 4] = [
    r#"Command::new("git""#,
    r#"Path::new("git")"#,
    r#"PathBuf::from("git")"#,
    r#"program: "git""#,
];

/// Nobody but one module starts git, and there only what builds its box does.
pub(crate) fn one_way(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in ["crates/ralph-core/src/", "crates/ralph-engine/src/", "crates/ralph/src/"] {
        for (path, text) in repository.rust_below(folder) {
            let lines = || code_lines(outside_tests(path, text));
            let found: Vec<usize> = match path.strip_prefix(OWNER) {
                Some(file) if STARTERS.contains(&file) => Vec::new(),
                Some(_) => numbers(lines(), &["Command::new("]),
                None => numbers(lines(), &NAMES),
            };
            let told = found.iter().map(|number| {
                format!("{path}:{number}: git is started by {OWNER}{} only", STARTERS[0])
            });
            findings.extend(told);
        }
    }
    findings
}

fn numbers<'a>(lines: impl Iterator<Item = (usize, &'a str)>, words: &[&str]) -> Vec<usize> {
    let is_found = |line: &str| words.iter().any(|word| line.contains(word));
    lines.filter(|(_, line)| is_found(line)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_is_started_elsewhere_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/a.rs", "//! A.\nCommand::new(\"git\").arg(\"status\");\n"),
            ("crates/ralph/src/b.rs", "ask(Path::new(\"git\"), &[]);\n// Command::new(\"git\")\n"),
            ("crates/ralph-engine/src/git/log.rs", "let c = Command::new(program);\n"),
            ("crates/ralph-engine/src/git/command.rs", "let c = Command::new(program);\n"),
            ("crates/ralph/src/c.rs", "x\n#[cfg(test)]\nmod tests {\nCommand::new(\"git\")\n}\n"),
            ("crates/ralph/src/tests/d.rs", "Command::new(\"git\");\n"),
        ]);
        let found = one_way(&planted);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|line| line.contains("a.rs:2")
            || line.contains("b.rs:1")
            || line.contains("log.rs:1")));
    }
}
