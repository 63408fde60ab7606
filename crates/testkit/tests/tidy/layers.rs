//! Who may know whom: what Cargo and clippy do not see of the direction of knowledge.

use toml::{Table, Value};

use crate::{
    repository::Repository,
    words::{code_lines, has_word},
};

/// Crates that touch the world or throw dice.
const IMPURE: &[&str] = &[
    "async-std",
    "clap",
    "fastrand",
    "getrandom",
    "git2",
    "gix",
    "libc",
    "nix",
    "rand",
    "rustix",
    "signal-hook",
    "smol",
    "tempfile",
    "tokio",
    "uuid",
];

/// What a crate's ordinary dependencies must not name, and why.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    ("ralph-guard", IMPURE, "the guard is pure"),
    ("ralph-guard", &["ralph-core", "ralph-engine", "testkit"], "the guard knows nothing of ralph"),
    ("ralph-text", IMPURE, "text is pure"),
    ("ralph-text", &["ralph-core", "ralph-engine", "testkit"], "text knows no domain"),
    ("ralph-core", IMPURE, "the core is pure"),
    ("ralph-agents", IMPURE, "agents are described, not started"),
    ("ralph-agents", &["testkit"], "the test kit does not ship"),
    (
        "ralph-engine",
        &["anstream", "anstyle", "clap", "crossterm", "indicatif", "ratatui", "terminal_size"],
        "the engine never talks to a terminal",
    ),
    ("ralph-core", &["testkit"], "the test kit does not ship"),
    ("ralph-engine", &["testkit"], "the test kit does not ship"),
    ("ralph", &["testkit"], "the test kit does not ship"),
];

/// Words that code below a folder must not use, and why.
const STRANGERS: &[(&str, &str, &str)] = &[
    ("crates/ralph-core/src/", "ralph_engine", "the core does not know the engine"),
    ("crates/ralph-core/src/", "use ralph", "nothing imports the binary"),
    ("crates/ralph-engine/src/", "use ralph", "nothing imports the binary"),
    ("crates/testkit/src/", "use ralph", "nothing imports the binary"),
    ("crates/ralph/src/reporters/", "ralph_engine", "reporters know the core's events only"),
    ("crates/ralph/src/reporters.rs", "ralph_engine", "reporters know the core's events only"),
];

/// Manifests name no crate that would break their crate's rule.
pub(crate) fn manifests(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, forbidden, why) in FORBIDDEN {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = repository.text(&path).parse::<Table>().unwrap_or_default();
        if !manifest.contains_key("package") {
            findings.push(format!("{path}: is not a package's manifest"));
        }
        let named = dependencies(&manifest);
        for banned in forbidden.iter().filter(|banned| named.iter().any(|one| one == *banned)) {
            findings.push(format!("{path}: depends on {banned}, but {why}"));
        }
    }
    findings
}

/// Code uses no crate or module that it must not know.
pub(crate) fn uses(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (folder, word, why) in STRANGERS {
        for (path, text) in repository.rust_below(folder) {
            let lines = code_lines(text).filter(|(_, line)| has_word(line, word));
            findings.extend(lines.map(|(number, _)| format!("{path}:{number}: `{word}`: {why}")));
        }
    }
    findings
}

/// Names of ordinary and build dependencies, also those of one platform.
fn dependencies(manifest: &Table) -> Vec<String> {
    let names = |table: &Table| -> Vec<String> {
        ["dependencies", "build-dependencies"]
            .iter()
            .filter_map(|section| table.get(*section).and_then(Value::as_table))
            .flat_map(|section| section.keys().cloned())
            .collect()
    };
    let platforms = manifest.get("target").and_then(Value::as_table);
    let of_platforms = platforms.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    names(manifest).into_iter().chain(of_platforms.flat_map(names)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifests_with(core: &str) -> Vec<String> {
        manifests(&Repository::planted(&[
            ("crates/ralph-guard/Cargo.toml", "[package]\n[dependencies]\nserde = \"1\""),
            ("crates/ralph-text/Cargo.toml", "[package]"),
            ("crates/ralph-agents/Cargo.toml", "[package]"),
            ("crates/ralph-core/Cargo.toml", &format!("[package]\n{core}")),
            ("crates/ralph-engine/Cargo.toml", "[package]\n[dependencies]\nnix.workspace = true"),
            ("crates/ralph/Cargo.toml", "[package]\n[dev-dependencies]\ntestkit = { path = \"\" }"),
        ]))
    }

    #[test]
    fn a_core_with_a_runtime_is_found_in_every_spelling() {
        assert_eq!(manifests_with("[dependencies]\nserde.workspace = true"), [""; 0]);
        let found = ["crates/ralph-core/Cargo.toml: depends on tokio, but the core is pure"];
        assert_eq!(manifests_with("[dependencies]\ntokio = \"1\""), found);
        assert_eq!(manifests_with("[dependencies.tokio]\nversion = \"1\""), found);
        assert_eq!(manifests_with("[target.'cfg(unix)'.dependencies]\ntokio = \"1\""), found);
        assert_eq!(manifests_with("[build-dependencies]\ntokio = \"1\""), found);
    }

    #[test]
    fn a_manifest_that_is_missing_is_found() {
        assert_eq!(manifests(&Repository::planted(&[])).len(), FORBIDDEN.len());
    }

    #[test]
    fn a_core_that_knows_the_engine_is_found() {
        let planted = Repository::planted(&[
            (
                "crates/ralph-core/src/run.rs",
                "//! ralph_engine may be spoken of\nuse ralph_engine::git;",
            ),
            ("crates/ralph-engine/src/git.rs", "use ralph::cli;\nuse ralph_core::ids;"),
            ("crates/ralph/src/reporters/json.rs", "use ralph_engine::git;"),
            ("crates/ralph/src/cli/run.rs", "use ralph_engine::git;"),
        ]);
        let places: Vec<_> = uses(&planted)
            .iter()
            .map(|one| one.split(": ").next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(
            places,
            [
                "crates/ralph-core/src/run.rs:2",
                "crates/ralph-engine/src/git.rs:1",
                "crates/ralph/src/reporters/json.rs:1",
            ]
        );
    }
}
