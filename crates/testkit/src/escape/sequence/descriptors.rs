//! Descriptors that whoever started ralph left open, and what `/proc` makes of them.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Review, Start},
};

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "descriptor-to-write",
        about: "S5 r08",
        steps: &[Agent("echo pwned >&9"), Start("go 9>> ~/.bashrc")],
        ..PLAIN
    },
    Sequence {
        name: "descriptor-to-write-in-a-gate",
        about: "S5",
        steps: &[
            Agent("work"),
            Gate("for n in 3 4 5 6 7 8 9; do eval \"echo pwned >&$n\"; done 2>/dev/null"),
            Start("go 9>> ~/.bashrc 7>> ~/.netrc"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "descriptor-to-read",
        about: "S5",
        steps: &[
            Agent(
                "for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n; eval \"tr a-z n-za-m <&$n\"; done 2>/dev/null",
            ),
            Gate("for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n; done"),
            Start("go 8< ~/.ssh/id_rsa"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "descriptor-of-a-folder",
        about: "S5",
        steps: &[
            Agent(
                "for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n/.ssh/id_rsa; hit /proc/self/fd/$n; done",
            ),
            Gate(
                "for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n/.netrc; hit /proc/self/fd/$n; done",
            ),
            Start("go 7< ~"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "descriptor-of-a-folder-for-the-reviewer",
        about: "S5",
        ground: "plan",
        steps: &[
            Agent("work"),
            Review(
                "for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n/.netrc; hit /proc/self/fd/$n; done; echo pwned >&9",
            ),
            Start("go 7< ~ 9>> ~/.bashrc"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "descriptor-of-the-root",
        about: "S5",
        steps: &[
            Agent(
                "for n in 3 4 5 6 7 8 9; do leak /proc/self/fd/$n{home}/.netrc /proc/1/fd/$n{home}/.netrc; hit /proc/self/fd/$n{home}; done; ln -s /proc/self/fd/6{home} sub; ln -s /proc/self/fd/6{home}/.netrc given",
            ),
            Gate("leak given sub/.netrc; hit sub"),
            Start("go 6< /"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "descriptors-of-process-one",
        about: "S5",
        steps: &[
            Agent(
                "for p in 1 2 self $PPID; do for f in /proc/$p/fd/*; do case $(readlink $f) in /*) leak $f/.netrc $f{home}/.netrc $f; hit $f$HOME;; esac; done; leak /proc/$p/root{home}/.netrc /proc/$p/cwd/../../.netrc; done 2>/dev/null",
            ),
            Gate("for f in /proc/1/fd/*; do leak $f{home}/.netrc; done"),
            Start("go 7< ~ 8< ~/.netrc"),
        ],
        ..PLAIN
    },
];
