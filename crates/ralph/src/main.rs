//! The `ralph` binary: hands the words of the command line over and turns the result into an exit code.

mod args;
mod ask;
mod cli;
mod command_line;
mod context;
mod diagnostics;
mod env_vars;
mod exit;
mod files;
mod reporters;
mod session;
mod watch;
mod words;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    // Before clap, and with nothing else set up: what stands between ralph and every process it starts.
    if let Some(code) = ralph_engine::hidden_commands::main() {
        return ExitCode::from(u8::try_from(code).unwrap_or(exit::BUG));
    }
    let code = catch_unwind(AssertUnwindSafe(|| command_line::dispatch::main(words)));
    // The panic hook has printed what happened.
    ExitCode::from(code.unwrap_or(exit::BUG))
}
