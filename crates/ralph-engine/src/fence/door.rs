//! How the listener of a box gets out of it: as a descriptor through a pair of sockets that only ralph and its shim have.
//!
//! The listener stays in the box's network namespace wherever it is held, so ralph accepts from outside what programs
//! inside connect to, and no path or name inside leads to ralph.

use std::{
    io::{self, IoSlice, IoSliceMut},
    net::TcpListener,
    os::fd::{AsRawFd, OwnedFd},
    os::unix::net::UnixStream,
};

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

use crate::unix;

/// A door: ralph's side, and the side to leave open for the shim.
pub(crate) fn pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((ours, OwnedFd::from(theirs)))
}

/// Hands the listener out.
pub(crate) fn hand_out(door: &OwnedFd, listener: &TcpListener) -> io::Result<()> {
    let fds = [listener.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&fds)];
    sendmsg::<()>(door.as_raw_fd(), &[IoSlice::new(b"l")], &rights, MsgFlags::empty(), None)?;
    Ok(())
}

/// Waits for the listener; `None` when the box ended without handing one out.
pub(crate) fn receive(door: &UnixStream) -> io::Result<Option<TcpListener>> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([i32; 1]);
    let mut parts = [IoSliceMut::new(&mut byte)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(door.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(fds) = part
            && let Some(&fd) = fds.first()
        {
            return Ok(Some(TcpListener::from(unix::adopt(fd)?)));
        }
    }
    Ok(None)
}
