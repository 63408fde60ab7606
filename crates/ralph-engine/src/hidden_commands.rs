//! The parts of ralph that run as processes of their own, each behind a hidden subcommand. Must be asked before the
//! process has a second thread.

use crate::{git, process::shim, sandbox, unix};

/// Does such a part's work, if this process was started for one, and says with which code to exit.
///
/// Whatever else the caller left open stays with this process: nothing that ralph starts inherits it.
pub fn main() -> Option<i32> {
    git::room_answers();
    let word = std::env::args_os().nth(1).unwrap_or_default();
    // The stage becomes the next program and hands on what it was given.
    if word != sandbox::stage::SUBCOMMAND {
        unix::close_on_exec();
    }
    match word.to_str()? {
        shim::SUBCOMMAND => Some(shim::main()),
        sandbox::stage::SUBCOMMAND => Some(sandbox::stage::main()),
        git::ROOM => Some(git::room()),
        sandbox::selftest::SUBCOMMAND => Some(sandbox::selftest::main()),
        _ => None,
    }
}
