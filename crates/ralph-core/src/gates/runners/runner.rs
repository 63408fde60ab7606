//! The list of known runners. A new one is a file beside this and a line here.

use super::{
    RunnerReader, bats, cargo, ctest, go, jest, mocha, nextest, node, pytest, unittest, vitest,
};

/// Something that runs tests.
#[derive(Debug)]
pub struct Runner {
    pub name: &'static str,
    /// Whether these words of one simple command, without wrappers, call it.
    pub is_called_by: fn(&[&str]) -> bool,
    /// A fresh reader of its output; it recognises the output by itself.
    pub reader: fn() -> Box<dyn RunnerReader>,
}

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
