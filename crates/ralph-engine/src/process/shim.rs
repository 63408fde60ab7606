//! `ralph __shim`: stands between ralph and one agent or gate, so that the whole tree ends with it.
//!
//! `__shim CONTROL STATUS CONTAINMENT DOOR FENCE PROGRAM [ARG]...` with the agent's streams, environment
//! and directory as its own. Must run before the process has a second thread.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::{OwnedFd, RawFd},
};

use super::{
    spec::Containment,
    tend::{Job, Role, refuse, tend},
};
use crate::{
    fence::{self, Fence},
    unix,
};

/// The hidden subcommand's name.
pub const SUBCOMMAND: &str = "__shim";

/// Stands for an argument that is not needed.
const NONE: &str = "-";

/// Runs the shim and says with which code the process must exit.
pub(crate) fn main() -> i32 {
    match parse(std::env::args_os().skip(2)).and_then(run) {
        Ok(()) => 0,
        // The streams belong to the agent; ralph learns of it by the missing report.
        Err(_) => 1,
    }
}

/// What the command line asks for.
struct Order {
    job: Job,
    containment: Containment,
    fence: Option<(Fence, Option<OwnedFd>)>,
}

impl Order {
    /// Tends the agent behind its fence; without the fence nothing is started.
    fn tend(mut self, role: Role) -> io::Result<()> {
        if let Some((fence, door)) = self.fence.take()
            && let Err(error) = fence::raise(&fence, door)
        {
            return refuse(self.job, format!("cannot put up the fence of the sandbox: {error}"));
        }
        tend(self.job, role)
    }
}

fn parse(mut args: impl Iterator<Item = OsString>) -> io::Result<Order> {
    let mut next = || args.next().ok_or(io::Error::from(io::ErrorKind::InvalidInput));
    let control = unix::adopt(number(&next()?)?)?;
    let status = unix::adopt(number(&next()?)?)?;
    let containment = Containment::from_word(&next()?)
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let door = match next()? {
        word if word == NONE => None,
        word => Some(unix::adopt(number(&word)?)?),
    };
    let fence = match next()? {
        word if word == NONE => None,
        word => Some((serde_json::from_slice(word.as_encoded_bytes())?, door)),
    };
    let program = next()?;
    let job = Job { program, args: args.collect(), control, status };
    Ok(Order { job, containment, fence })
}

fn number(text: &OsStr) -> io::Result<RawFd> {
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

#[cfg(target_os = "linux")]
fn run(order: Order) -> io::Result<()> {
    use super::{
        namespace::{self, Side},
        tend::release_stdio,
    };

    let containment = order.containment;
    if containment == Containment::Enclosed {
        return order.tend(Role::Init);
    }
    if containment != Containment::Group {
        match namespace::split(containment) {
            Ok(Side::Inside) => return order.tend(Role::Init),
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
    order.tend(Role::Reaper)
}

/// Without subreapers the process group is all that can be ended.
#[cfg(not(target_os = "linux"))]
fn run(order: Order) -> io::Result<()> {
    order.tend(Role::Reaper)
}
