//! Gates of projects that build themselves with make, CMake or just, and of shell scripts tested with bats.

use super::{
    files::{Files, has_ending},
    found_gate::FoundGate,
};

/// Where tests with bats usually lie, from the most usual on.
const BATS_FOLDERS: [&str; 4] = ["test", "tests", "spec", "."];
/// Where projects keep a bats of their own.
const OWN_BATS: [&str; 4] =
    ["bin/bats", "test/bats/bin/bats", "tests/bats/bin/bats", "node_modules/.bin/bats"];

pub(super) fn cmake(files: &Files<'_>) -> Vec<FoundGate> {
    let Some(text) = files.text("CMakeLists.txt") else { return Vec::new() };
    let is_tested = ["enable_testing", "include(CTest)", "add_test("].iter();
    if !is_tested.clone().any(|word| text.to_lowercase().contains(&word.to_lowercase())) {
        return Vec::new();
    }
    let command = "cmake -S . -B build && cmake --build build && \
                   ctest --test-dir build --output-on-failure";
    vec![FoundGate::new("test", command, "CMakeLists.txt")]
}

pub(super) fn bats(files: &Files<'_>) -> Vec<FoundGate> {
    let holds = |folder: &&&str| files.names_in(folder).iter().any(|name| has_ending(name, "bats"));
    let Some(folder) = BATS_FOLDERS.iter().find(holds) else { return Vec::new() };
    let bats = files.first(&OWN_BATS).map_or_else(|| "bats".into(), |own| format!("./{own}"));
    vec![FoundGate::new("test", format!("{bats} {folder}"), "*.bats")]
}

pub(super) fn make(files: &Files<'_>) -> Vec<FoundGate> {
    by_target(files, &["GNUmakefile", "makefile", "Makefile"], "make")
}

pub(super) fn just(files: &Files<'_>) -> Vec<FoundGate> {
    by_target(files, &["justfile", "Justfile", ".justfile"], "just")
}

/// The targets of a file that people use for tests and lints.
fn by_target(files: &Files<'_>, names: &[&'static str], program: &str) -> Vec<FoundGate> {
    let Some((name, file)) = names.iter().find_map(|name| Some((*name, files.text(name)?))) else {
        return Vec::new();
    };
    let has = |target: &&&str| file.lines().any(|line| is_target(line, target));
    let test = ["test", "check"].iter().find(has);
    let lint = ["lint"].iter().find(has);
    let gate = |kind, target: &&str| FoundGate::new(kind, format!("{program} {target}"), name);
    let test = test.map(|target| gate("test", target));
    test.into_iter()
        .flat_map(|it| [it].into_iter().chain(lint.map(|it| gate("lint", it))))
        .collect()
}

/// Whether a line begins a target: `test: build`, or `test *args:` of just.
fn is_target(line: &str, target: &str) -> bool {
    line.strip_prefix(target).is_some_and(|rest| {
        let is_name = rest.starts_with(':') || rest.starts_with(' ');
        is_name && rest.contains(':') && !rest.contains('=')
    })
}
