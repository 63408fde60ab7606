//! The `ralph` binary: hands the words of the command line over and turns the result into an exit code.

mod cli;
mod diagnostics;
mod exit;
mod reporters;
mod words;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    // `ralph __shim …` stands between ralph and every process it starts; it is dispatched here, before clap.
    let code = catch_unwind(AssertUnwindSafe(|| cli::dispatch::main(words)));
    // The panic hook has printed what happened.
    ExitCode::from(code.unwrap_or(exit::BUG))
}
