//! One way to write a file whole: whoever renames otherwise forgets to sync the file or its folder.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// The one way.
const OWNER: &str = "crates/ralph-engine/src/atomic_write.rs";

/// Files that rename for another reason, and which.
const MOVES: [(&str, &str); 16] = [
    ("crates/ralph-engine/src/archive.rs", "a folder that was filled before becomes the archive"),
    ("crates/ralph-engine/src/inbox.rs", "a request that cannot be read is moved aside"),
    ("crates/ralph-engine/src/plan_file.rs", "what is no longer a file is moved aside"),
    ("crates/ralph-engine/src/remove.rs", "folders are moved before they are removed"),
    ("crates/ralph-engine/src/run.rs", "the journal of a run that is closed for good is retired"),
    ("crates/ralph-engine/src/sandbox/selftest.rs", "an attempt that must fail"),
    ("crates/ralph-engine/src/git/obstructions.rs", "what is in the way is moved aside"),
    ("crates/ralph-engine/src/git/replace.rs", "a tree's file comes into the worktree, unsynced"),
    ("crates/ralph-engine/src/git/copy.rs", "the index of a copy that is thrown away"),
    ("crates/ralph-engine/src/git/incoming.rs", "git's objects move into the repository"),
    ("crates/ralph-engine/src/git/index.rs", "git's own protocol: index.lock becomes the index"),
    ("crates/ralph-engine/src/git/layer.rs", "what an agent renamed is renamed"),
    ("crates/ralph-engine/src/git/nested.rs", "a repository that was moved aside comes back"),
    ("crates/ralph-engine/src/git/record.rs", "the record of a run that is over is retired"),
    ("crates/ralph-engine/src/git/uncommitted.rs", "a merge in progress is moved aside"),
    ("crates/ralph/src/cli/init/write.rs", "the old settings are kept beside the new ones"),
];

/// Ways to put one file in the place of another.
const NAMES: [&str; 6] = [
    "fs::rename(",
    "renameat(",
    "NamedTempFile",
    "tempfile_in(",
    ".persist(",
    ".persist_noclobber(",
];

/// Nobody but one module puts a new file in the place of an old one.
pub(crate) fn one_way(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in ["crates/ralph-engine/src/", "crates/ralph/src/"] {
        for (path, text) in repository.rust_below(folder) {
            let is_move = MOVES.iter().any(|(file, _)| *file == path);
            if path == OWNER || path.ends_with("_tests.rs") || is_move {
                continue;
            }
            let lines = code_lines(outside_tests(path, text));
            let found = lines.filter(|(_, line)| NAMES.iter().any(|name| line.contains(name)));
            findings.extend(found.map(|(number, _)| {
                format!("{path}:{number}: files are written whole by {OWNER} only")
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_put_in_place_otherwise_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/a.rs", "//! A.\nstd::fs::rename(&new, &old)?;\n"),
            ("crates/ralph-engine/src/b.rs", "let file = NamedTempFile::new_in(x)?;\n"),
            ("crates/ralph-engine/src/live/c.rs", "file.persist(path)?;\n// fs::rename(a, b)\n"),
            (OWNER, "renameat(folder, new, folder, old)?;\n"),
            ("crates/ralph-engine/src/remove.rs", "fs::rename(folder, &target)?;\n"),
            ("crates/ralph/src/d.rs", "x\n#[cfg(test)]\nmod tests {\nfs::rename(a, b)\n}\n"),
        ]);
        let found = one_way(&planted);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|line| line.contains("a.rs:2")
            || line.contains("b.rs:1")
            || line.contains("c.rs:1")));
    }
}
