//! `ralph fleet`: hands its words to `ralph-fleet`, which is a program of its own so that this one carries nothing of
//! its engine. Knows none of its commands.

use std::{
    ffi::OsString,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{context::Context, diagnostics::CommandError, exit, session::probe};

/// The program.
const PROGRAM: &str = "ralph-fleet";
/// Tells it which version of ralph starts it; it refuses any but its own.
const VERSION: &str = "FLEET_CALLER";

/// `ralph fleet`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct FleetArgs {
    /// Command of the fleet and its arguments; `ralph fleet --help` lists them
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Becomes that program.
pub(crate) fn exec(args: &FleetArgs, context: &Context) -> Result<u8, CommandError> {
    let Some(program) = program(&context.project_dir) else {
        return Err(CommandError::new(
            exit::USAGE,
            format!("{PROGRAM} is not installed"),
            "install it beside ralph: cargo install --locked --path crates/ralph-fleet",
        ));
    };
    let mut command = probe::outside(&context.project_dir).command_for(&program);
    command.args(context.json.then_some("--json")).args(&args.words);
    command.current_dir(&context.project_dir);
    command.env(VERSION, env!("CARGO_PKG_VERSION"));
    let error = command.exec();
    Err(CommandError::file("start", &program)(error))
}

/// The one beside this program, else the first on the search path.
fn program(folder: &Path) -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.with_file_name(PROGRAM);
    if beside.is_file() {
        return Some(beside);
    }
    probe::outside(folder).find(PROGRAM)
}
