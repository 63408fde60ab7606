//! `ralph __stage`: enters the box's control group, puts the root of the box together, then becomes the next program.
//!
//! Happens in a mount namespace of its own, so nobody else sees it. Runs before the process has a second thread.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::Command,
};

use serde::{Deserialize, Serialize};

use super::{group, lay::Laid};

/// The hidden subcommand's name.
pub(crate) const SUBCOMMAND: &str = "__stage";

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    groups: Vec<PathBuf>,
    laid: Vec<Laid>,
}

/// What to put before the next program.
pub(super) fn order(groups: Vec<PathBuf>, laid: Vec<Laid>) -> Vec<OsString> {
    let order = Order { groups, laid };
    // Paths are text in here; one that is none is not found, and then nothing is started.
    let order = serde_json::to_string(&order).unwrap_or_default();
    vec!["/proc/self/exe".into(), SUBCOMMAND.into(), order.into()]
}

/// Does as ordered and becomes the next program; comes back only with an exit code for a failure.
pub(crate) fn main() -> i32 {
    let mut args = std::env::args_os().skip(2);
    let (Some(order), Some(program)) = (args.next(), args.next()) else {
        return 2;
    };
    let error = match follow(&order) {
        Ok(()) => Command::new(program).args(args).exec(),
        Err(error) => error,
    };
    // The streams are those of what was to be started, and are read by whoever wanted that.
    let _ = fs::write("/dev/stderr", format!("cannot make the box: {error}\n"));
    127
}

fn follow(order: &OsStr) -> io::Result<()> {
    let Order { groups, laid } = serde_json::from_slice(order.as_encoded_bytes())?;
    group::enter(&groups)?;
    prepare(&laid)
}

#[cfg(target_os = "linux")]
fn prepare(laid: &[Laid]) -> io::Result<()> {
    super::laying::lay(laid)
}

#[cfg(not(target_os = "linux"))]
fn prepare(_: &[Laid]) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
