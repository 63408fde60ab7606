//! What the shim takes from itself before it starts the agent. Runs inside the box, in a process with one thread.
//!
//! Fails closed: whatever cannot be put up is an error, and then nothing is started.

use std::{io, net::TcpListener, os::fd::OwnedFd};

use nix::sys::resource::{Resource, setrlimit};

use super::{
    door,
    terms::{Fence, Limits},
};

/// Puts up the fence around this process and all it will start.
pub(crate) fn raise(fence: &Fence, door: Option<OwnedFd>) -> io::Result<()> {
    if let (Some(port), Some(door)) = (fence.listen, door) {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        door::hand_out(&door, &listener)?;
    }
    if let Some(limits) = &fence.limits {
        limit(limits)?;
    }
    kernel(fence)
}

fn limit(limits: &Limits) -> io::Result<()> {
    let bounds = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_NPROC, limits.processes),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_DATA, limits.data_bytes),
    ];
    for (resource, most) in bounds {
        let (_, hard) = nix::sys::resource::getrlimit(resource)?;
        let most = most.min(hard);
        setrlimit(resource, most, most)?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn kernel(fence: &Fence) -> io::Result<()> {
    // When the machine's memory runs out, what is in the box goes before anything of the user's.
    std::fs::write("/proc/self/oom_score_adj", "500").ok();
    // Whoever runs as the same user could otherwise write this process's memory, and speak to ralph in its name.
    nix::sys::prctl::set_dumpable(false)?;
    nix::sys::prctl::set_no_new_privs()?;
    if let Some(writable) = &fence.writable {
        super::landlock::restrict(writable)?;
    }
    if fence.seccomp {
        super::seccomp::install(fence)?;
    }
    Ok(())
}

/// Other systems have their own ways, outside the shim.
#[cfg(not(target_os = "linux"))]
fn kernel(_: &Fence) -> io::Result<()> {
    Ok(())
}
