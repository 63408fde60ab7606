//! `ralph __shim`: stands between ralph and one agent or gate, so that the whole tree ends with it.
//!
//! `__shim CONTROL STATUS CONTAINMENT PROGRAM [ARG]...` with the agent's streams, environment and
//! directory as its own. Must run before the process has a second thread.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::RawFd,
};

use super::{
    spec::Containment,
    tend::{Job, Role, tend},
    unix,
};

/// The hidden subcommand's name.
pub const SUBCOMMAND: &str = "__shim";

/// Whether this process was started as a shim.
pub fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == SUBCOMMAND)
}

/// Runs the shim and says with which code the process must exit.
pub fn main() -> i32 {
    match parse(std::env::args_os().skip(2)).and_then(|(job, containment)| run(job, containment)) {
        Ok(()) => 0,
        // The streams belong to the agent; ralph learns of it by the missing report.
        Err(_) => 1,
    }
}

fn parse(mut args: impl Iterator<Item = OsString>) -> io::Result<(Job, Containment)> {
    let mut next = || args.next().ok_or(io::Error::from(io::ErrorKind::InvalidInput));
    let control = unix::adopt(number(&next()?)?)?;
    let status = unix::adopt(number(&next()?)?)?;
    let containment = Containment::from_word(&next()?)
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let program = next()?;
    Ok((Job { program, args: args.collect(), control, status }, containment))
}

fn number(text: &OsStr) -> io::Result<RawFd> {
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

#[cfg(target_os = "linux")]
fn run(job: Job, containment: Containment) -> io::Result<()> {
    use super::{
        namespace::{self, Side},
        tend::release_stdio,
    };

    if containment != Containment::Group {
        match namespace::split(containment) {
            Ok(Side::Inside) => return tend(job, Role::Init),
            Ok(Side::Useless) => return Ok(()),
            Ok(Side::Outside(mut inner)) => {
                if inner.is_ready() {
                    let _ = release_stdio();
                    inner.wait();
                    return Ok(());
                }
                inner.wait();
            }
            // Refused: no privilege, no room, or forbidden by policy. The other way remains.
            Err(_) => {}
        }
    }
    nix::sys::prctl::set_child_subreaper(true)?;
    tend(job, Role::Reaper)
}

/// Without subreapers the process group is all that can be ended.
#[cfg(not(target_os = "linux"))]
fn run(job: Job, _containment: Containment) -> io::Result<()> {
    tend(job, Role::Reaper)
}
