//! `ralph-fleet`: what `ralph fleet` starts. Hands the words of the command line over and turns the result into an exit
//! code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(ralph_fleet::commands::main(std::env::args_os()))
}
