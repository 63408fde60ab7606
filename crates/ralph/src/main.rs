//! The `ralph` binary.

use std::process::ExitCode;

use ralph_engine::process::shim;

fn main() -> ExitCode {
    if shim::is_wanted() {
        return ExitCode::from(u8::try_from(shim::main()).unwrap_or(1));
    }
    ExitCode::SUCCESS
}
