//! One way to read a file of a project: whoever opens it otherwise follows the links that an agent put there.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// The one way, and what reads only where no agent ever writes, or looks at links itself.
const OTHERS: [&str; 18] = [
    "crates/ralph-engine/src/project_file.rs",
    "crates/ralph-engine/src/atomic_write.rs",
    "crates/ralph-engine/src/chance.rs",
    "crates/ralph-engine/src/clock.rs",
    "crates/ralph-engine/src/safe_files.rs",
    "crates/ralph-engine/src/beneath.rs",
    "crates/ralph-engine/src/git/",
    "crates/ralph-engine/src/sandbox/",
    "crates/ralph-engine/src/journal/",
    "crates/ralph-engine/src/process/",
    "crates/ralph-engine/src/network/",
    "crates/ralph-engine/src/hooks/",
    "crates/ralph-engine/src/gates/baseline_cache.rs",
    "crates/ralph-engine/src/live/setup.rs",
    "crates/ralph-engine/src/live/login.rs",
    "crates/ralph-engine/src/trust.rs",
    "crates/ralph-engine/src/archive.rs",
    "crates/ralph/src/cli/doctor.rs",
];

/// Ways to read a file and to follow every link on the way.
const NAMES: [&str; 5] =
    ["fs::read(", "fs::read_to_string(", "File::open(", "OpenOptions::new(", "fs::copy("];

/// Nobody but one module reads what an agent may have put in a file's place.
pub(crate) fn one_way(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in ["crates/ralph-engine/src/", "crates/ralph/src/"] {
        for (path, text) in repository.rust_below(folder) {
            if path.ends_with("_tests.rs") || OTHERS.iter().any(|other| path.starts_with(other)) {
                continue;
            }
            let lines = code_lines(outside_tests(path, text));
            let found = lines.filter(|(_, line)| NAMES.iter().any(|name| line.contains(name)));
            findings.extend(found.map(|(number, _)| {
                format!("{path}:{number}: files of a project are read through {}", OTHERS[0])
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_otherwise_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/a.rs", "//! A.\nlet text = std::fs::read_to_string(plan);\n"),
            (
                "crates/ralph-engine/src/live/b.rs",
                "let file = File::open(path)?;\n// fs::read(x)\n",
            ),
            ("crates/ralph-engine/src/project_file.rs", "let file = File::open(path)?;\n"),
            ("crates/ralph/src/c.rs", "x\n#[cfg(test)]\nmod tests {\nfs::read(x)\n}\n"),
        ]);
        let found = one_way(&planted);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|line| line.contains("a.rs:2") || line.contains("b.rs:1")));
    }
}
