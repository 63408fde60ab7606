//! The list of known runners. A new one is a file beside this and a line here.

use super::{
    Runner, bats, bun, cargo, ctest, deno, dotnet, go, gradle, jest, mocha, nextest, node, phpunit,
    pytest, rspec, surefire, unittest, vitest,
};

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
    rspec::RUNNER,
    phpunit::RUNNER,
    surefire::RUNNER,
    gradle::RUNNER,
    dotnet::RUNNER,
    deno::RUNNER,
    bun::RUNNER,
];
