//! `ralph-fleet`: what `ralph fleet` starts.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
