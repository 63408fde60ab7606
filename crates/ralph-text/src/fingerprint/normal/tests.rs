//! Properties of normalising, and what it keeps although it looks like noise.

use super::normalise;

/// Lines as runners print them, one of each kind.
const LINES: [&str; 29] = [
    "   Compiling sample v0.1.0 (/tmp/proj-12ab)",
    "test tests::adds ... FAILED",
    "test tests::fine ... ok",
    "thread 'tests::adds' (7105) panicked at src/lib.rs:45:9:",
    "  left: 401",
    " right: 200",
    "  17 |     let sum = total;",
    "   13: test('gives status', (t) => {",
    "   14:   t.is(status(), 200);",
    "404: not found",
    "    sample_test.go:12: 404: not found",
    "E       assert 401 == 200",
    "E        +  where 401 = <function status at 0x7f9b41dd6480>()",
    "FAILED test_app.py::test_status - assert 401 == 200",
    "==================== 1 failed, 4 passed in 0.10s ====================",
    "test_app.py ..F.                                     [100%]",
    "Sun Nov 15 03:44:16 2026 pid 24903 HASH(0x55f8843548c0) localhost:44903 said 503",
    "2026-11-15 03:45:07.101416Z #PID<0.122.0> pid 25768 said 503",
    "not ok 3 - gives status",
    "  1) app gives status",
    "8/9 Test #8: status ...........................***Failed    0.01 sec",
    "        FAIL [   0.012s] (4/5) sample tests::noise",
    "goroutine 22 [running]:",
    "\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e",
    "app.ts(4,9): error TS2322: Type 'number' is not assignable to type 'string'.",
    "  4:7   error  'half' is assigned a value but never used  no-unused-vars",
    "see /tmp/run-18509/cfa8b293.log after 66.371µs",
    "request 1ba0efa1-efa1-4abc-8def-0356a754954f to http://127.0.0.1:45991/health",
    "@@ -1,4 +1,5 @@ fn main",
];

/// The lines in another order, with some of them twice: the same for the same seed.
fn shuffled(seed: usize) -> String {
    let mut lines: Vec<&str> = LINES.to_vec();
    let mut state = seed;
    for at in (1..lines.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lines.swap(at, (state >> 33) % (at + 1));
    }
    lines.extend_from_within(..seed % LINES.len());
    lines.join("\n")
}

#[test]
fn normalising_twice_changes_nothing_more() {
    let whole = normalise(&LINES.join("\n"));
    assert_eq!(normalise(&whole), whole);
    for line in LINES {
        let once = normalise(line);
        assert_eq!(normalise(&once), once, "{line}");
    }
}

#[test]
fn the_order_of_lines_and_their_repetition_change_nothing() {
    let expected = normalise(&LINES.join("\n"));
    for seed in 0..60 {
        assert_eq!(normalise(&shuffled(seed)), expected, "seed {seed}");
    }
}

#[test]
fn passing_tests_and_progress_change_nothing() {
    let failure = "--- FAIL: TestStatus (0.00s)\n    a_test.go:21: got 401, want 200";
    for noise in [
        "ok  \tsample\t0.003s",
        "✓ fine 0 (8 ms)",
        "ok 1 - fine 0",
        "1..5",
        "running 12 tests",
        "..F...s.x",
        "test_app.py::test_fine PASSED                [ 50%]",
        "Tests:       2 failed, 2 passed, 4 total",
        "Ran 5 tests in 0.009s",
        "5 examples, 1 failure",
        "Finished in 0.10856 seconds (files took 0.71946 seconds to load)",
        "────────────",
        "     Running unittests src/lib.rs (target/debug/deps/sample-e6daf73c296d6df0)",
        "=== RUN   TestFine1",
    ] {
        assert_eq!(
            normalise(&format!("{noise}\n{failure}\n{noise}")),
            normalise(failure),
            "{noise}"
        );
    }
}

#[test]
fn values_that_look_like_noise_are_kept() {
    for value in [
        "got 1000000 rows, want 1000001",
        "unexpected status:401",
        "expected 3 items, got 4 items",
        "expected: 30s",
        "left: 12ms",
        "'2024-02-29' == '2024-03-01'",
        "- 09:30:00",
        "aspect ratio is 16:9",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "HRESULT 0x80070005",
        "404: not found",
        "coverage of 71% is below 80%",
        "GET /users/7 gave 404",
        "no table tmp_orders",
        "Running the migration failed",
        "expected port 8080",
    ] {
        assert_eq!(normalise(value), value);
    }
}
