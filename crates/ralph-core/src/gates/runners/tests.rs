//! The readers against output that the runners really gave.

use ralph_text::fingerprint::{FailurePart, fingerprint};

use super::TestReader;
use crate::gates::report::TestSummary;

fn read(output: &str) -> TestSummary {
    let mut reader = TestReader::default();
    reader.feed(output.as_bytes());
    reader.finish()
}

/// `ran`, then the failing names or `None`.
type Expected = (Option<u64>, Option<&'static [&'static str]>);

fn assert_reads(cases: &[(&str, &str, Expected)]) {
    for (name, output, (ran, failing)) in cases {
        let summary = read(output);
        assert_eq!(summary.ran, *ran, "tests that ran in {name}");
        let names =
            summary.failing.as_ref().map(|names| names.iter().map(String::as_str).collect());
        assert_eq!(names, failing.map(<[&str]>::to_vec), "failing tests of {name}");
    }
}

macro_rules! cases {
    ($($file:literal => $ran:expr, $failing:expr;)*) => {
        assert_reads(&[$(($file, include_str!(concat!("fixtures/", $file, ".txt")), ($ran, $failing))),*])
    };
}

const CARGO_FAILING: &[&str] = &[
    "outside (--test api)",
    "src/lib.rs - twice (--doc)",
    "tests::adds (--lib)",
    "tests::explodes (--lib)",
    "tests::must_panic (--lib)",
];

#[test]
fn cargo_test_is_read_over_all_its_binaries() {
    cases! {
        "cargo-pass" => Some(4), Some(&[]);
        "cargo-fail" => Some(7), Some(CARGO_FAILING);
        "cargo-colour" => Some(7), Some(CARGO_FAILING);
        "cargo-quiet" => Some(7), Some(CARGO_FAILING);
        "cargo-zero" => Some(0), Some(&[]);
        "cargo-norun" => Some(0), Some(&[]);
        "cargo-broken" => None, None;
        "cargo-crash" => Some(0), None;
    }
}

const NEXTEST_FAILING: &[&str] = &[
    "sample tests::adds",
    "sample tests::explodes",
    "sample tests::must_panic",
    "sample::api outside",
];

#[test]
fn nextest_is_read_by_its_summary() {
    cases! {
        "nextest-pass" => Some(3), Some(&[]);
        "nextest-fail" => Some(6), Some(NEXTEST_FAILING);
        "nextest-colour" => Some(6), Some(NEXTEST_FAILING);
        "nextest-retries" => Some(6), Some(NEXTEST_FAILING);
        "nextest-zero" => Some(0), Some(&[]);
        "nextest-broken" => None, None;
        "nextest-crash" => Some(2), Some(&["sample tests::dies"]);
    }
}

#[test]
fn nextest_that_stopped_at_the_first_failure_knows_no_names() {
    cases! { "nextest-failfast" => Some(1), None; }
}

const PYTEST_FAILING: &[&str] = &[
    "test_b.py::TestThing::test_method",
    "test_b.py::test_bad",
    "test_b.py::test_needs",
    "test_b.py::test_words[a - b]",
];

#[test]
fn pytest_is_read_by_its_short_summary() {
    cases! {
        "pytest-pass" => Some(3), Some(&[]);
        "pytest-fail" => Some(6), Some(PYTEST_FAILING);
        "pytest-colour" => Some(6), Some(PYTEST_FAILING);
        "pytest-quiet" => Some(6), Some(PYTEST_FAILING);
        "pytest-nosummary" => Some(6), None;
        "pytest-zero" => Some(0), Some(&[]);
        "pytest-allskip" => Some(0), Some(&[]);
        "pytest-broken" => Some(1), None;
    }
}

#[test]
fn whichever_worker_ran_what_first_it_is_one_failure() {
    let print = |output: &str| {
        let summary = read(output);
        assert_eq!(summary.failing.as_deref().map(<[_]>::len), Some(5), "{output}");
        let failing = summary.failing.unwrap_or_default();
        let part =
            FailurePart { gate: "tests", failing: &failing, output: "", gist: &summary.gist };
        fingerprint(&[part])
    };
    let verbose =
        [include_str!("fixtures/pytest-xdist-1.txt"), include_str!("fixtures/pytest-xdist-2.txt")];
    assert_eq!(print(verbose[0]), print(verbose[1]));
    let dots =
        [include_str!("fixtures/pytest-xdist-3.txt"), include_str!("fixtures/pytest-xdist-4.txt")];
    assert_eq!(print(dots[0]), print(dots[1]));
}

const JEST_FAILING: &[&str] = &["./a.test.js › sum › adds", "./a.test.js › top", "./b.test.js"];

#[test]
fn jest_is_read_with_suites_that_do_not_load() {
    cases! {
        "jest-pass" => Some(2), Some(&[]);
        "jest-fail" => Some(4), Some(JEST_FAILING);
        "jest-colour" => Some(4), Some(JEST_FAILING);
        "jest-bail" => Some(3), None;
        "jest-zero" => Some(0), Some(&[]);
        "jest-zero-passes" => Some(0), Some(&[]);
    }
}

const VITEST_FAILING: &[&str] =
    &["a.test.js > sum > adds", "a.test.js > top", "b.test.js [ b.test.js ]"];

#[test]
fn vitest_is_read_with_suites_that_do_not_load() {
    cases! {
        "vitest-pass" => Some(2), Some(&[]);
        "vitest-fail" => Some(4), Some(VITEST_FAILING);
        "vitest-colour" => Some(4), Some(VITEST_FAILING);
        "vitest-bail" => Some(1), None;
        "vitest-skipped" => Some(0), Some(&[]);
        "vitest-zero" => Some(0), Some(&[]);
        "vitest-zero-passes" => Some(0), Some(&[]);
    }
}

const GO_FAILING: &[&str] = &[
    "example.com/sample/a TestAdd",
    "example.com/sample/a TestTable",
    "example.com/sample/a TestTable/one_two",
    "example.com/sample/b [build failed]",
];

#[test]
fn go_test_counts_only_what_it_shows() {
    cases! {
        "go-pass" => None, Some(&[]);
        "go-pass-v" => Some(3), Some(&[]);
        "go-fail" => None, Some(GO_FAILING);
        "go-fail-v" => Some(5), Some(GO_FAILING);
        "go-zero" => Some(0), Some(&[]);
        "go-empty" => Some(0), Some(&[]);
        "go-panic" => None, None;
    }
}

const UNITTEST_FAILING: &[&str] = &[
    "setUpClass (test_fail.U)",
    "test_a (test_fail.T.test_a)",
    "test_b (test_fail.T.test_b)",
    "test_c (test_fail.T.test_c) (i=0)",
    "test_c (test_fail.T.test_c) (i=1)",
];

#[test]
fn unittest_is_read_by_its_counts() {
    cases! {
        "unittest-pass" => Some(1), Some(&[]);
        "unittest-fail" => Some(5), Some(UNITTEST_FAILING);
        "unittest-zero" => Some(0), Some(&[]);
        "unittest-skip" => Some(0), Some(&[]);
    }
    let one = "FAIL: test_a (t.T.test_a)\n----\nRan 3 tests in 0.001s\n\nFAILED (failures=1)\n";
    assert_reads(&[("perhaps the first only", one, (Some(3), None))]);
    let newer = "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n";
    assert_reads(&[("python 3.12", newer, (Some(0), Some(&[])))]);
}

#[test]
fn mocha_is_read_by_its_counts() {
    cases! {
        "mocha-pass" => Some(2), Some(&[]);
        "mocha-fail" => Some(4), None;
        "mocha-fail-tap" => Some(4), None;
        "mocha-zero" => Some(0), Some(&[]);
    }
}

#[test]
fn node_test_is_read_without_files_that_hold_no_test() {
    cases! {
        "node-pass-spec" => Some(3), Some(&[]);
        "node-pass-tap" => Some(3), Some(&[]);
        "node-fail-spec" => Some(3), None;
        "node-fail-tap" => Some(3), None;
        "tape-fail" => Some(3), None;
        "tape-zero" => Some(0), Some(&[]);
        "node-zero-spec" => Some(0), Some(&[]);
        "node-zero-tap" => Some(0), Some(&[]);
        "node-emptyfile-spec" => Some(0), Some(&[]);
        "node-emptyfile-tap" => Some(0), Some(&[]);
    }
}

#[test]
fn bats_is_read_by_its_plan_or_its_counts() {
    cases! {
        "bats-pass" => Some(1), Some(&[]);
        "bats-pretty" => Some(1), Some(&[]);
        "bats-fail" => Some(2), Some(&["fail.bats adds # hard"]);
        "bats-zero" => Some(0), Some(&[]);
    }
}

#[test]
fn ctest_is_read_by_its_lists() {
    cases! {
        "ctest-pass" => Some(2), Some(&[]);
        "ctest-fail" => Some(5), Some(&["adds", "missing", "slow", "with"]);
        "ctest-stopped" => Some(1), None;
        "ctest-skip" => Some(0), Some(&[]);
        "ctest-zero" => Some(0), Some(&[]);
        "ctest-none" => Some(0), Some(&[]);
    }
}

#[test]
fn rspec_is_read_by_its_counts() {
    cases! {
        "rspec-pass" => Some(1), Some(&[]);
        "rspec-fail" => Some(3), None;
        "rspec-colour" => Some(3), None;
        "rspec-zero" => Some(0), Some(&[]);
        "rspec-broken" => Some(0), None;
    }
}

const PHPUNIT_FAILING: &[&str] =
    &["ATest::testAdds", "ATest::testRaises", "ATest::testRows with data set \"two\" (2)"];

#[test]
fn phpunit_is_read_by_its_lists_where_all_tests_ran() {
    cases! {
        "phpunit-pass" => Some(1), Some(&[]);
        "phpunit-fail" => Some(5), Some(PHPUNIT_FAILING);
        "phpunit-stop" => Some(1), None;
        "phpunit-zero" => Some(0), Some(&[]);
    }
}

#[test]
fn bun_and_deno_are_read_with_their_files() {
    cases! {
        "bun-pass" => Some(1), Some(&[]);
        "bun-fail" => Some(3), Some(&["a.test.js > raises", "a.test.js > sum > adds"]);
        "bun-bail" => Some(1), None;
        "bun-broken" => Some(1), None;
        "bun-none" => Some(0), Some(&[]);
        "bun-zero" => Some(0), Some(&[]);
        "deno-pass" => Some(1), Some(&[]);
        "deno-fail" => Some(3), Some(&["./a_test.js adds", "./a_test.js steps ... inner"]);
        "deno-failfast" => Some(1), None;
        "deno-none" => Some(0), Some(&[]);
        "deno-zero" => Some(0), Some(&[]);
    }
}

/// Of these no output could be captured here: the lines are those of their documentation.
#[test]
fn maven_gradle_and_dotnet_are_read_by_their_counts() {
    let class = "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in x.A\n";
    let test = "[ERROR] x.A.adds -- Time elapsed: 0.01 s <<< FAILURE!\n";
    let total = "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n";
    let skips = "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n";
    let (named, unsure) = (format!("{class}{test}{total}"), format!("{class}{test}{skips}"));
    let dotnet = "  Failed X.A.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, \
                  Duration: 9 ms - a.dll (net8.0)\n";
    assert_reads(&[
        ("maven", &named, (Some(2), Some(&["x.A.adds"]))),
        ("maven with skipped tests", &unsure, (Some(2), None)),
        ("maven without tests", "[INFO] No tests to run.\n", (Some(0), Some(&[]))),
        (
            "gradle",
            "A > adds() FAILED\n\n3 tests completed, 1 failed, 1 skipped\n",
            (Some(2), None),
        ),
        ("gradle without tests", "> Task :test NO-SOURCE\n", (Some(0), Some(&[]))),
        ("gradle with some", "> Task :a:test NO-SOURCE\n> Task :b:test\n", (None, None)),
        ("dotnet", dotnet, (Some(3), Some(&["X.A.Adds"]))),
        ("dotnet without tests", "No test is available in a.dll.\n", (Some(0), Some(&[]))),
    ]);
}

#[test]
fn an_unknown_runner_is_unknown_not_zero() {
    for output in ["", "1..2\nok 1\nok 2\n", "All good.\n", "running late\nfailures: none\n"] {
        let summary = read(output);
        assert_eq!((summary.ran, summary.failing), (None, None), "{output}");
    }
}

#[test]
fn several_runners_in_one_gate_are_added_up() {
    let both =
        concat!(include_str!("fixtures/cargo-pass.txt"), include_str!("fixtures/jest-fail.txt"));
    let summary = read(both);
    assert_eq!(summary.ran, Some(8));
    assert_eq!(summary.failing.as_deref().map(<[_]>::len), Some(JEST_FAILING.len()));
}

#[test]
fn too_many_failing_names_count_as_unknown() {
    let names: Vec<_> = (0..501).map(|n| format!("    t{n}")).collect();
    let names = names.join("\n");
    let output = format!(
        "running 501 tests\n\nfailures:\n{names}\n\ntest result: FAILED. 0 passed; 501 failed; 0 ignored\n"
    );
    let summary = read(&output);
    assert_eq!((summary.ran, summary.failing), (Some(501), None));
}
