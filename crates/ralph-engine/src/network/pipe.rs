//! A pipe in which bytes wait between two sockets: the kernel moves whole pages in and out.

use std::net::TcpStream;

#[cfg(not(target_os = "linux"))]
use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::fcntl::{FcntlArg, OFlag, SpliceFFlags, fcntl, splice};

/// Wanted room. The sum of a user's pipes is limited; then the usual room must do.
#[cfg(target_os = "linux")]
const ROOM: i32 = 1024 * 1024;

/// See the module. Only Linux has this; elsewhere there is never one.
pub(super) struct Pipe {
    #[cfg(target_os = "linux")]
    reader: std::os::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    writer: std::os::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    room: usize,
}

#[cfg(target_os = "linux")]
impl Pipe {
    pub(super) fn new() -> nix::Result<Self> {
        let (reader, writer) = nix::unistd::pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)?;
        let room = fcntl(&writer, FcntlArg::F_SETPIPE_SZ(ROOM));
        let room = room.or_else(|_| fcntl(&writer, FcntlArg::F_GETPIPE_SZ))?;
        Ok(Self { reader, writer, room: usize::try_from(room).unwrap_or(4096) })
    }

    /// Takes what the socket has.
    pub(super) fn take(&mut self, from: &TcpStream) -> nix::Result<usize> {
        splice(from, None, &self.writer, None, self.room, flags())
    }

    /// Gives the socket what is held.
    pub(super) fn give(&mut self, to: &TcpStream, held: usize) -> nix::Result<usize> {
        splice(&self.reader, None, to, None, held, flags())
    }
}

#[cfg(target_os = "linux")]
fn flags() -> SpliceFFlags {
    SpliceFFlags::SPLICE_F_MOVE | SpliceFFlags::SPLICE_F_NONBLOCK
}

#[cfg(not(target_os = "linux"))]
impl Pipe {
    pub(super) fn new() -> nix::Result<Self> {
        Err(Errno::ENOSYS)
    }

    pub(super) fn take(&mut self, _: &TcpStream) -> nix::Result<usize> {
        Err(Errno::ENOSYS)
    }

    pub(super) fn give(&mut self, _: &TcpStream, _: usize) -> nix::Result<usize> {
        Err(Errno::ENOSYS)
    }
}
