//! Lines that say nothing about a failure: progress, passing tests, counts, how long it took.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::patterns::{SOURCE, regex};

/// What cargo prints while it builds, set right in a column.
const BUILD_STEPS: [&str; 14] = [
    "Compiling",
    "Checking",
    "Finished",
    "Running",
    "Downloading",
    "Downloaded",
    "Updating",
    "Locking",
    "Blocking",
    "Fresh",
    "Building",
    "Adding",
    "Starting",
    "Doc-tests",
];

/// Lines after normalising. `*` stands for anything, a number for any number.
const NOISE: &[&str] = &[
    // ralph's own excerpt
    "[... * ...]",
    // cargo test, nextest
    "running 1 test*",
    "test * ... ok",
    "test * ... ignored*",
    "test result: *",
    "Nextest run ID *",
    "Summary * run: *",
    "Cancel* due to test failure*",
    "warning: build failed, waiting for other jobs to finish...",
    // pytest, unittest
    "platform * -- Python *",
    "linux -- Python *",
    "darwin -- Python *",
    "rootdir: *",
    "configfile: *",
    "cachedir: *",
    "plugins: *",
    "collecting *",
    "collected 1 item*",
    "created: 1/1 worker*",
    "1 worker* [1 item*]",
    "Using --randomly-seed=*",
    "* PASSED",
    "PASSED *",
    "1 failed* in <time>",
    "1 passed* in <time>",
    "1 error* in <time>",
    "Ran 1 test* in <time>",
    "* ... ok",
    // jest, vitest, mocha, node, ava, deno
    "✓*",
    "✔*",
    "PASS *",
    "Test Suites: 1 *",
    "Tests: 1 *",
    "Snapshots: 1 *",
    "Time: *",
    "Seed: *",
    "Ran all test suites*",
    "RUN v1* *",
    "❯ * (1 test*",
    "Test Files 1 *",
    "Tests 1 *",
    "Start at <time>",
    "Duration <time>*",
    "1 passing",
    "ℹ * 1",
    "* (node:*:<line>)",
    "* async Promise.all (index 1)",
    "FAILED | 1 passed*",
    "npm * A complete log of this run can be found in:*",
    // go
    "=== RUN *",
    "=== PAUSE *",
    "=== CONT *",
    "=== NAME *",
    "--- PASS: *",
    "-test.shuffle *",
    "ok * <time>*",
    "ok * (cached)",
    // TAP: node, bats, prove
    "TAP version 1",
    "1..1",
    "ok 1*",
    "# Subtest: *",
    "# tests 1",
    "# suites 1",
    "# pass 1",
    "# fail 1",
    "# cancelled 1",
    "# skipped 1",
    "# todo 1",
    "# duration_ms 1",
    "duration_ms: 1",
    "# Looks like you failed 1 test* of 1.",
    "Failed 1/1 subtests",
    "Failed test*: 1*",
    "Files=1, Tests=1,*",
    "* (Wstat: 1 (exited 1) Tests: 1 Failed: 1)",
    // rspec, minitest, phpunit, ExUnit
    "Finished in *",
    "1 example*, 1 failure*",
    "1 test*, 1 failure*",
    "Randomized with seed *",
    "Run options: *",
    "1 runs, 1 assertions, *",
    "* = <time> = .",
    "Tests: 1, Assertions: 1,*",
    "Random Seed: *",
    // ctest, JUnit, make
    "Test project *",
    "Internal ctest changing into directory: *",
    "Start 1: *",
    "1/1 Test #1: * Passed*",
    "* Passed <time>",
    "1% tests passed, 1 tests failed out of 1",
    "Total Test time *",
    "Tests run: 1, *",
    "ok: *",
];

/// Rulers, also with a count between them.
const RULER: &str = r"[=\-_─━⎯*|~ ]*(?:\[\d+/\d+\][⎯ ]*)?";
/// `..F.s`, after the file's name or before `5 / 5 (100%)`.
const DOTS: &str = r"(?:[FEsxXSRWIPN]*\.[.FEsxXSRWIPN]*|[FE]+)(?: \d+ / \d+ \(.+\))?";

/// All of the above as one expression.
static NOTHING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let lines: Vec<String> = NOISE.iter().map(|pattern| expression(pattern)).collect();
    let dots = format!(r"(?:[^ ]+\.{SOURCE} )?{DOTS}");
    regex(&format!("^(?:{RULER}|{dots}|{})$", lines.join("|")))
});

/// Whether this raw line is a step of a build.
pub(super) fn is_build_step(line: &str) -> bool {
    BUILD_STEPS.iter().any(|step| line.starts_with(&format!("{step:>12} ")))
}

/// Whether this normalised line says nothing.
pub(super) fn says_nothing(line: &str) -> bool {
    let text = line.trim_matches(['=', ' ']);
    NOTHING.as_ref().is_some_and(|nothing| nothing.is_match(text) || nothing.is_match(line))
}

fn expression(pattern: &str) -> String {
    let one = |c: char| match c {
        '*' => ".*".to_owned(),
        '1' => r"[0-9]+(?:\.[0-9]+)?".to_owned(),
        '<' | '>' => c.to_string(),
        c if c.is_ascii_punctuation() => format!("\\{c}"),
        c => c.to_string(),
    };
    pattern.chars().map(one).collect()
}
