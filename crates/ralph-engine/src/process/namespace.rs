//! A PID namespace for the agent, with a `/proc` of its own. The process that asks for it stays
//! outside and unchanged, so a refusal at any point leaves it free to go on without one.

use std::{
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::fd::AsFd,
};

use nix::{
    errno::Errno,
    mount::{MsFlags, mount},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sched::CloneFlags,
    sys::{prctl, signal::Signal, wait::waitpid},
    unistd::{Gid, Pid, Uid},
};

use super::spec::Containment;
use crate::unix;

/// On which side of the new namespace this process finds itself.
pub(super) enum Side {
    /// Still where it was; the other one is process 1 of the namespace.
    Outside(Inner),
    /// Process 1 of a namespace that is ready for use.
    Inside,
    /// Process 1 of a namespace that cannot be used; nothing to do but leave.
    Useless,
}

/// Process 1 of the namespace, seen from outside.
pub(super) struct Inner {
    pid: Pid,
    ready: PipeReader,
    /// Closes when this process ends; see [`Offer::accept`].
    _life: PipeWriter,
}

impl Inner {
    /// Waits until the namespace is ready; `false` when the kernel refused some part of it.
    pub(super) fn is_ready(&mut self) -> bool {
        matches!(self.ready.read(&mut [0]), Ok(1))
    }

    /// Waits until process 1, and with it everything in the namespace, is gone.
    pub(super) fn wait(&self) {
        while waitpid(self.pid, None) == Err(Errno::EINTR) {}
    }
}

/// Splits this process in two, one of them inside a new namespace.
pub(super) fn split(containment: Containment) -> io::Result<Side> {
    let namespaces = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    match split_into(namespaces, None) {
        Err(error)
            if error.kind() == io::ErrorKind::PermissionDenied
                && containment == Containment::UserNamespace =>
        {
            let identity = (Uid::effective(), Gid::effective());
            split_into(namespaces | CloneFlags::CLONE_NEWUSER, Some(identity))
        }
        done => done,
    }
}

fn split_into(namespaces: CloneFlags, identity: Option<(Uid, Gid)>) -> io::Result<Side> {
    let (ready, ready_from) = io::pipe()?;
    let (life_of, life) = io::pipe()?;
    if let Some(pid) = unix::fork_into(namespaces)? {
        return Ok(Side::Outside(Inner { pid, ready, _life: life }));
    }
    drop((ready, life));
    let accepted = Offer { ready: ready_from, life: life_of, identity }.accept();
    Ok(if accepted.is_ok() { Side::Inside } else { Side::Useless })
}

/// A fresh namespace, seen from inside.
struct Offer {
    ready: PipeWriter,
    life: PipeReader,
    identity: Option<(Uid, Gid)>,
}

impl Offer {
    fn accept(mut self) -> io::Result<()> {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The parent is outside, so `getppid` says 0 whether it lives or not; its end of the pipe
        // tells whether it was gone before the line above could take effect.
        let mut life = [PollFd::new(self.life.as_fd(), PollFlags::empty())];
        if poll(&mut life, PollTimeout::ZERO)? != 0 {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        if let Some((user, group)) = self.identity {
            // Without privileges a group map is accepted only after giving up `setgroups`.
            std::fs::write("/proc/self/setgroups", "deny")?;
            std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
        let nothing = None::<&str>;
        mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_SLAVE, nothing)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("proc"), "/proc", Some("proc"), flags, nothing)?;
        self.ready.write_all(&[1])
    }
}
