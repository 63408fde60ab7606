//! `ralph __shim`: stands between ralph and one agent or gate, so that the whole tree ends with it.
//!
//! `__shim ORDER PROGRAM [ARG]...` with the agent's streams, environment and directory as its own. Must run before the
//! process has a second thread.

use std::{
    ffi::OsString,
    io,
    os::fd::{OwnedFd, RawFd},
};

use serde::{Deserialize, Serialize};

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

/// What ralph asks of the shim. Descriptors are open under their numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) control: RawFd,
    pub(super) status: RawFd,
    /// To hand out the box's listener.
    pub(super) door: Option<RawFd>,
    pub(super) containment: Containment,
    pub(super) fence: Option<Fence>,
}

/// Runs the shim and says with which code the process must exit.
pub(crate) fn main() -> i32 {
    match parse(std::env::args_os().skip(2)).and_then(run) {
        Ok(()) => 0,
        // The streams belong to the agent; ralph learns of it by the missing report.
        Err(_) => 1,
    }
}

/// An order with its descriptors taken over.
struct Accepted {
    job: Job,
    containment: Containment,
    fence: Option<Fence>,
    door: Option<OwnedFd>,
}

impl Accepted {
    /// Tends the agent behind its fence; without the fence nothing is started.
    fn tend(mut self, role: Role) -> io::Result<()> {
        if let Some(fence) = &self.fence
            && let Err(error) = fence::raise(fence, self.door.take())
        {
            return refuse(self.job, &format!("cannot put up the fence of the sandbox: {error}"));
        }
        tend(self.job, role)
    }
}

fn parse(mut args: impl Iterator<Item = OsString>) -> io::Result<Accepted> {
    let mut next = || args.next().ok_or(io::Error::from(io::ErrorKind::InvalidInput));
    let order: Order = serde_json::from_slice(next()?.as_encoded_bytes())?;
    let control = unix::adopt(order.control)?;
    let status = unix::adopt(order.status)?;
    let door = order.door.map(unix::adopt).transpose()?;
    let program = next()?;
    let job = Job { program, args: args.collect(), control, status };
    Ok(Accepted { job, containment: order.containment, fence: order.fence, door })
}

#[cfg(target_os = "linux")]
fn run(accepted: Accepted) -> io::Result<()> {
    use super::{
        namespace::{self, Side},
        tend::release_stdio,
    };

    let containment = accepted.containment;
    if containment == Containment::Enclosed {
        return accepted.tend(Role::Init);
    }
    if containment != Containment::Group {
        match namespace::split(containment) {
            Ok(Side::Inside) => return accepted.tend(Role::Init),
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
    accepted.tend(Role::Reaper)
}

/// Without subreapers the process group is all that can be ended.
#[cfg(not(target_os = "linux"))]
fn run(accepted: Accepted) -> io::Result<()> {
    accepted.tend(Role::Reaper)
}
