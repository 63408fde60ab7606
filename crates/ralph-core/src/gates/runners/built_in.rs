//! The list of known runners. A new one is a file beside this and a line here.

use super::{Runner, bats, cargo, ctest, go, jest, mocha, nextest, node, pytest, unittest, vitest};

/// All known runners.
pub static RUNNERS: &[Runner] = &[
    cargo::RUNNER,
    nextest::RUNNER,
    pytest::RUNNER,
    unittest::RUNNER,
    jest::RUNNER,
    vitest::RUNNER,
    mocha::RUNNER,
    node::RUNNER,
    go::RUNNER,
    bats::RUNNER,
    ctest::RUNNER,
];
