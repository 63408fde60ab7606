//! Twenty histories that are slow and get somewhere.

use super::{History, broken, healthy, idle, red, review, unfinished};

pub(in crate::stuck) const HEALTHY: &[History] = &[
    healthy(
        "one test after the other",
        "five tests fail, then four, then three: slow, but each attempt mends one",
        &[
            red(&["m::a", "m::b", "m::c", "m::d", "m::e"], "not implemented", "a"),
            red(&["m::b", "m::c", "m::d", "m::e"], "not implemented", "b"),
            red(&["m::c", "m::d", "m::e"], "not implemented", "c"),
            red(&["m::d", "m::e"], "not implemented", "d"),
            red(&["m::e"], "not implemented", "e"),
        ],
    ),
    healthy(
        "a big refactoring",
        "the compile errors change with every attempt as the new type spreads",
        &[
            broken("error[E0308]: mismatched types: expected `Id`, found `u32` in a.rs", "a"),
            broken("error[E0308]: mismatched types: expected `Id`, found `u32` in b.rs", "b"),
            broken("error[E0277]: the trait bound `Id: Hash` is not satisfied", "c"),
            broken("error[E0382]: borrow of moved value: `id`", "d"),
            red(&["api::lists"], "left: 2\nright: 3", "e"),
        ],
    ),
    healthy(
        "twice the same, then on",
        "a second look was enough: the third attempt fails somewhere else",
        &[
            red(&["zip::reads"], "bad magic number", "a"),
            red(&["zip::reads"], "bad magic number", "b"),
            red(&["zip::writes"], "left: 0 bytes\nright: 112 bytes", "c"),
            red(&["zip::writes"], "left: 64 bytes\nright: 112 bytes", "d"),
        ],
    ),
    healthy(
        "honest about what is left",
        "a long task: everything is green each time, and the agent says truthfully that it is not finished",
        &[unfinished("a"), unfinished("b"), unfinished("c"), unfinished("d"), unfinished("e")],
    ),
    healthy(
        "one pause",
        "an attempt that changed nothing between two that did",
        &[
            red(&["log::rotates"], "left: 1 file\nright: 2 files", "a"),
            idle(&["log::rotates"], "left: 1 file\nright: 2 files"),
            red(&["log::keeps_seven"], "left: 8 files\nright: 7 files", "b"),
        ],
    ),
    healthy(
        "two pauses apart",
        "twice nothing changed, but never twice in a row, and the work goes on",
        &[
            idle(&["tz::parses", "tz::prints"], "unknown zone"),
            red(&["tz::prints"], "left: +1\nright: +01:00", "a"),
            idle(&["tz::prints"], "left: +1\nright: +01:00"),
            red(&["tz::round_trip"], "left: None\nright: Some(0)", "b"),
        ],
    ),
    healthy(
        "the review shrinks",
        "three findings, then two, then one: each review asks for less",
        &[review("no timeout; no retry; no log"), review("no retry; no log"), review("no log")],
    ),
    healthy(
        "an old finding comes back",
        "the second review saw something else; that the first point returns once is no circle yet",
        &[
            review("the lock is held while writing"),
            review("the lock is taken twice"),
            review("the lock is held while writing"),
        ],
    ),
    healthy(
        "red between two reviews",
        "the fix of a finding fails twice in the tests before it stands; the next review asks for something new",
        &[
            review("rows are read one by one"),
            red(&["rows::batch"], "left: 99\nright: 100", "a"),
            red(&["rows::batch"], "left: 101\nright: 100", "b"),
            review("the batch size is a magic number"),
        ],
    ),
    healthy(
        "the same failure on both sides of a review",
        "the failure was mended before the review and is met once more after it",
        &[
            red(&["acl::denies"], "left: Allow\nright: Deny", "a"),
            red(&["acl::denies"], "left: Allow\nright: Deny", "b"),
            review("deny must be logged"),
            red(&["acl::denies"], "left: Allow\nright: Deny", "c"),
        ],
    ),
    healthy(
        "two steps forward, one back",
        "a step back to an old failure, with other files, on a way that goes down from four to one",
        &[
            red(&["q::a", "q::b", "q::c", "q::d"], "no rows", "a"),
            red(&["q::a", "q::b"], "no rows", "b"),
            red(&["q::a", "q::b", "q::c", "q::d"], "no rows", "c"),
            red(&["q::a"], "no rows", "d"),
            red(&["q::a", "q::b"], "no rows", "e"),
        ],
    ),
    healthy(
        "alternating, and better each time",
        "two areas are worked on in turn; in both of them fewer tests fail than before",
        &[
            red(&["in::a", "in::b", "in::c"], "bad input", "a"),
            red(&["out::a", "out::b", "out::c", "out::d"], "bad output", "b"),
            red(&["in::a", "in::b"], "bad input", "c"),
            red(&["out::a", "out::b"], "bad output", "d"),
            red(&["in::a"], "bad input", "e"),
            red(&["out::a"], "bad output", "f"),
        ],
    ),
    healthy(
        "a flaky neighbour",
        "the flaky test comes and goes; the real failures are mended one after the other",
        &[
            red(&["csv::quotes", "csv::crlf"], "left: 2 fields\nright: 3 fields", "a"),
            red(&["csv::crlf", "net::flaky"], "left: \\r\nright: \\r\\n\nport in use", "b"),
            red(&["csv::crlf"], "left: \\r\nright: \\r\\n", "c"),
            red(&["net::flaky"], "port in use", "d"),
        ],
    ),
    healthy(
        "from build to tests to lint",
        "each attempt gets one gate further",
        &[
            broken("error[E0432]: unresolved import `crate::model`", "a"),
            broken("error[E0063]: missing field `at` in initializer of `Event`", "b"),
            red(&["event::orders"], "left: [2, 1]\nright: [1, 2]", "c"),
            broken("error: this function has too many lines (91/80)", "d"),
            broken("Diff in src/event.rs at line 12", "e"),
        ],
    ),
    healthy(
        "a missing name after the other",
        "information gaps, but each time another one: the agent finds its way through the code",
        &[
            broken("ImportError: cannot import name 'Store' from 'app.store'", "a"),
            broken("ModuleNotFoundError: No module named 'app.index'", "b"),
            broken("NameError: name 'load_index' is not defined", "c"),
            broken(
                "FileNotFoundError: [Errno 2] No such file or directory: 'data/index.json'",
                "d",
            ),
        ],
    ),
    healthy(
        "the message moves towards the goal",
        "one test all the time, and its message shows how the answer gets nearer",
        &[
            red(&["bench::fits"], "used 940 MiB of 256 MiB", "a"),
            red(&["bench::fits"], "used 610 MiB of 256 MiB", "b"),
            red(&["bench::fits"], "used 380 MiB of 256 MiB", "c"),
            red(&["bench::fits"], "used 270 MiB of 256 MiB", "d"),
        ],
    ),
    healthy(
        "more failures because more compiles",
        "the count rises when the build is mended and hidden tests run at last; then it falls",
        &[
            broken("error[E0106]: missing lifetime specifier", "a"),
            red(&["p::a", "p::b", "p::c"], "left: 0\nright: 1", "b"),
            red(&["p::a", "p::b", "p::c", "p::d"], "left: 0\nright: 1", "c"),
            red(&["p::b", "p::d"], "left: 0\nright: 1", "d"),
            red(&["p::d"], "left: 0\nright: 1", "e"),
        ],
    ),
    healthy(
        "tests written first",
        "the agent writes tests before code: at first more fail, and never the same ones three times",
        &[
            red(&["spec::one"], "not implemented", "a"),
            red(&["spec::one", "spec::two", "spec::three"], "not implemented", "b"),
            red(&["spec::two", "spec::three"], "not implemented", "c"),
            red(&["spec::three"], "not implemented", "d"),
        ],
    ),
    healthy(
        "an old failure met on the way",
        "a failure seen three times in six, never twice in a row, with new files each time",
        &[
            red(&["fs::locks"], "resource busy", "a"),
            broken("error[E0599]: no method named `lock` found for struct `Dir`", "b"),
            red(&["fs::locks"], "resource busy", "c"),
            red(&["fs::unlocks", "fs::locks"], "left: 1\nright: 0", "d"),
            red(&["fs::locks"], "resource busy", "e"),
            red(&["fs::unlocks"], "left: 1\nright: 0", "f"),
        ],
    ),
    healthy(
        "twice violated, then good work",
        "two attempts touch a protected file; the third heeds the rule and fails an ordinary test",
        &[
            broken("the agent changed the protected path tests/golden.json", "a"),
            broken("the agent changed the protected path tests/golden.json", "b"),
            red(&["golden::matches"], "left: 12 lines\nright: 14 lines", "c"),
            red(&["golden::matches"], "left: 13 lines\nright: 14 lines", "d"),
        ],
    ),
];
