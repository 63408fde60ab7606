//! Twenty histories that lead nowhere.

use super::{History, broken, idle, red, review, stuck};

pub(in crate::stuck) const STUCK: &[History] = &[
    stuck(
        "the same assertion three times",
        3,
        "three different edits, and the expired token is still let through each time",
        &[
            red(&["auth::rejects_expired"], "left: 200\nright: 401\nsrc/auth.rs:41:9", "a"),
            red(&["auth::rejects_expired"], "left: 200\nright: 401\nsrc/auth.rs:52:9", "b"),
            red(&["auth::rejects_expired"], "left: 200\nright: 401\nsrc/auth.rs:47:9", "c"),
        ],
    ),
    stuck(
        "a new failure, then an old wall",
        5,
        "the first two attempts move, the next three meet one and the same failure",
        &[
            broken("error[E0308]: mismatched types", "a"),
            red(&["cache::evicts", "cache::hits"], "left: 3\nright: 2", "b"),
            red(&["cache::evicts"], "left: 3\nright: 2", "c"),
            red(&["cache::evicts"], "left: 3\nright: 2", "d"),
            red(&["cache::evicts"], "left: 3\nright: 2", "e"),
        ],
    ),
    stuck(
        "a module that is nowhere",
        3,
        "the agent imports a module that does not exist, in three ways",
        &[
            broken(
                "test_x.py:1: in <module>\nE   ModuleNotFoundError: No module named 'app.db'",
                "a",
            ),
            broken(
                "test_x.py:3: in <module>\nE   ModuleNotFoundError: No module named 'app.db'",
                "b",
            ),
            broken(
                "test_x.py:2: in <module>\nE   ModuleNotFoundError: No module named 'app.db'",
                "c",
            ),
        ],
    ),
    stuck(
        "a name of another version",
        3,
        "a function that this version of the library does not have is called again and again",
        &[
            broken(
                "error[E0425]: cannot find function `spawn_local` in module `rt`\n --> src/a.rs:9:5",
                "a",
            ),
            broken(
                "error[E0425]: cannot find function `spawn_local` in module `rt`\n --> src/a.rs:19:9",
                "b",
            ),
            broken(
                "error[E0425]: cannot find function `spawn_local` in module `rt`\n --> src/a.rs:4:1",
                "c",
            ),
        ],
    ),
    stuck(
        "an agent that only talks",
        2,
        "two attempts that end with a plan in words and no edit",
        &[
            idle(&["export::writes_csv"], "not implemented"),
            idle(&["export::writes_csv"], "not implemented"),
        ],
    ),
    stuck(
        "it gives up after one try",
        3,
        "one honest attempt, then two that leave everything as it is",
        &[
            red(&["ui::focus_returns", "ui::tab_order"], "expected #ok to be focused", "a"),
            idle(&["ui::focus_returns", "ui::tab_order"], "expected #ok to be focused"),
            idle(&["ui::focus_returns", "ui::tab_order"], "expected #ok to be focused"),
        ],
    ),
    stuck(
        "idle before a flaky gate",
        2,
        "the output differs because the gate is flaky, but the agent did nothing twice",
        &[
            idle(&["net::reconnects"], "timed out waiting for the port"),
            idle(&["net::reconnects", "net::times_out"], "connection refused"),
        ],
    ),
    stuck(
        "two wrong answers in turn",
        5,
        "each fix undoes the one before: the same two trees come again and again",
        &[
            red(&["date::utc"], "left: 13:00 local\nright: 12:00 utc", "a"),
            red(&["date::local"], "left: 12:00 utc\nright: 13:00 local", "b"),
            red(&["date::utc"], "left: 13:00 local\nright: 12:00 utc", "a"),
            red(&["date::local"], "left: 12:00 utc\nright: 13:00 local", "b"),
            red(&["date::utc"], "left: 13:00 local\nright: 12:00 utc", "a"),
        ],
    ),
    stuck(
        "a flaky test in between",
        5,
        "the real failure is always there; once a flaky test fails beside it",
        &[
            red(&["pay::rounds"], "left: 0.29\nright: 0.30", "a"),
            red(&["pay::rounds"], "left: 0.29\nright: 0.30", "b"),
            red(&["pay::rounds", "mail::sends"], "left: 0.29\nright: 0.30\nsmtp closed", "c"),
            red(&["pay::rounds"], "left: 0.29\nright: 0.30", "d"),
            red(&["pay::rounds"], "left: 0.29\nright: 0.30", "e"),
        ],
    ),
    stuck(
        "the reviewer is not heard",
        2,
        "a second review finds word for word what the first one found",
        &[
            review("password reset is missing (spec line 24)"),
            review("password reset is missing (spec line 24)"),
        ],
    ),
    stuck(
        "reviews that move, then stand",
        4,
        "two points are fixed, the third is asked for twice, with a red build between",
        &[
            review("no error for an empty name; no test for the limit; docs missing"),
            review("no test for the limit"),
            red(&["limit::holds"], "left: 11\nright: 10", "a"),
            review("no test for the limit"),
        ],
    ),
    stuck(
        "a script without names of tests",
        3,
        "`make check` says only that it failed; three edits change nothing about that",
        &[
            broken(
                "checking invariants\ninvariant 7 does not hold\nmake: *** [check] Error 1",
                "a",
            ),
            broken(
                "checking invariants\ninvariant 7 does not hold\nmake: *** [check] Error 1",
                "b",
            ),
            broken(
                "checking invariants\ninvariant 7 does not hold\nmake: *** [check] Error 1",
                "c",
            ),
        ],
    ),
    stuck(
        "the same work made anew",
        3,
        "each attempt starts over and arrives at exactly the same files",
        &[
            red(&["sort::is_stable"], "left: [b, a]\nright: [a, b]", "a"),
            red(&["sort::is_stable"], "left: [b, a]\nright: [a, b]", "a"),
            red(&["sort::is_stable"], "left: [b, a]\nright: [a, b]", "a"),
        ],
    ),
    stuck(
        "a hundred failures that nobody touches",
        3,
        "a broken fixture fails every test of a file, each time",
        &[
            red(&["db::a", "db::b", "db::c", "db::d"], "fixture 'conn' not found", "a"),
            red(&["db::a", "db::b", "db::c", "db::d"], "fixture 'conn' not found", "b"),
            red(&["db::a", "db::b", "db::c", "db::d"], "fixture 'conn' not found", "c"),
        ],
    ),
    stuck(
        "worse and back again",
        6,
        "two attempts break more, but each return ends at the failure it began with",
        &[
            red(&["parse::nested"], "unexpected end of input", "a"),
            red(&["parse::nested"], "unexpected end of input", "b"),
            red(&["parse::nested", "parse::flat"], "stack overflow", "c"),
            red(&["parse::nested"], "unexpected end of input", "d"),
            broken("error: this file contains an unclosed delimiter", "e"),
            red(&["parse::nested"], "unexpected end of input", "f"),
        ],
    ),
    stuck(
        "a lint that is argued with",
        3,
        "the lint wants the cast away; the agent moves it from line to line",
        &[
            broken("error: casting `u64` to `u32` may truncate the value\n --> src/n.rs:8:3", "a"),
            broken("error: casting `u64` to `u32` may truncate the value\n --> src/n.rs:12:3", "b"),
            broken("error: casting `u64` to `u32` may truncate the value\n --> src/n.rs:31:7", "c"),
        ],
    ),
    stuck(
        "a test that never ends",
        3,
        "a deadlock: the gate runs into its time limit with the same test each time",
        &[
            red(&["queue::drains"], "test queue::drains has been running for over 60 seconds", "a"),
            red(&["queue::drains"], "test queue::drains has been running for over 60 seconds", "b"),
            red(&["queue::drains"], "test queue::drains has been running for over 60 seconds", "c"),
        ],
    ),
    stuck(
        "stuck again after a review",
        4,
        "the fix of a finding breaks a test, and three attempts cannot mend it",
        &[
            review("the index is rebuilt on every call"),
            red(&["index::finds_new"], "left: None\nright: Some(7)", "a"),
            red(&["index::finds_new"], "left: None\nright: Some(7)", "b"),
            red(&["index::finds_new"], "left: None\nright: Some(7)", "c"),
        ],
    ),
    stuck(
        "the build machine lacks a library",
        3,
        "no edit helps against a library that is not installed",
        &[
            broken(
                "/usr/bin/ld: cannot find -lpq: No such file or directory\ncollect2: error",
                "a",
            ),
            broken(
                "/usr/bin/ld: cannot find -lpq: No such file or directory\ncollect2: error",
                "b",
            ),
            broken(
                "/usr/bin/ld: cannot find -lpq: No such file or directory\ncollect2: error",
                "c",
            ),
        ],
    ),
    stuck(
        "guessing at a number",
        4,
        "one test, and each attempt prints another wrong number: the fingerprint never repeats. Not seen by \
         the rules: as far as they can tell, the number may be on its way; max_attempts ends it",
        &[
            red(&["hash::matches_spec"], "left: 91\nright: 17", "a"),
            red(&["hash::matches_spec"], "left: 4\nright: 17", "b"),
            red(&["hash::matches_spec"], "left: 230\nright: 17", "c"),
            red(&["hash::matches_spec"], "left: 58\nright: 17", "d"),
            red(&["hash::matches_spec"], "left: 3\nright: 17", "e"),
        ],
    ),
];
