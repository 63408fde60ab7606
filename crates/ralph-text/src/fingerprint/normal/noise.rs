//! Lines that say nothing about a failure: progress, passing tests, counts, how long it took.

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
    "PASS [*",
    "Nextest run ID *",
    "Summary [*",
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

/// A longer line is data, and would take long to compare.
const LONGEST: usize = 1000;

/// Whether this raw line is a step of a build.
pub(super) fn is_build_step(line: &str) -> bool {
    let is_step = |step: &&str| {
        let indent = 12_usize.saturating_sub(step.len());
        line.get(..indent).is_some_and(|start| start.trim().is_empty())
            && line.get(indent..).is_some_and(|rest| rest.starts_with(*step))
            && line.get(12..13) == Some(" ")
    };
    BUILD_STEPS.iter().any(is_step)
}

/// Whether this normalised line says nothing.
pub(super) fn says_nothing(line: &str) -> bool {
    let text = line.trim_matches(['=', ' ']);
    let is_noise = |pattern: &&str| matches(pattern, text) || matches(pattern, line);
    is_ruler(text) || is_dots(text) || (line.len() <= LONGEST && NOISE.iter().any(is_noise))
}

fn is_ruler(text: &str) -> bool {
    const RULERS: [char; 9] = ['=', '-', '_', '─', '━', '⎯', '*', '|', '~'];
    let is_part =
        |c: char| RULERS.contains(&c) || (text.contains('⎯') && "[]/0123456789".contains(c));
    text.chars().all(|c| is_part(c) || c == ' ')
}

/// `..F.s`, after the file's name or before `5 / 5 (100%)`.
fn is_dots(text: &str) -> bool {
    let are_dots = |word: &str| {
        word.chars().all(|c| ".FEsxXSRWIPN".contains(c)) && word.contains('.')
            || word.chars().all(|c| "FE".contains(c))
    };
    match text.split(' ').collect::<Vec<_>>().as_slice() {
        [dots] | [dots, _, "/", _, _] => are_dots(dots),
        [file, dots] => super::path::is_source(file) && are_dots(dots),
        _ => false,
    }
}

/// Whether the text has the pattern's form.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            starts
                .into_iter()
                .any(|at| text.get(at..).is_some_and(|end| matches(rest.as_str(), end)))
        }
        Some('1') => after_number(text).is_some_and(|end| matches(rest.as_str(), end)),
        Some(c) => text.strip_prefix(c).is_some_and(|end| matches(rest.as_str(), end)),
    }
}

/// What follows the number, `12` or `0.5`, that the text begins with.
fn after_number(text: &str) -> Option<&str> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let whole = Some(digits(text)).filter(|whole| *whole > 0)?;
    let rest = text.get(whole..)?;
    match rest.strip_prefix('.') {
        Some(part) if digits(part) > 0 => part.get(digits(part)..),
        _ => Some(rest),
    }
}
