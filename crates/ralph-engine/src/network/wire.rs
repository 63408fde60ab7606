//! The far side of a relayed request, plain or in TLS, never waited for.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    os::fd::{AsFd, BorrowedFd},
};

use nix::poll::PollFlags;
use ralph_core::network::{Naming, RelayRule, Why};
use rustls::{ClientConnection, StreamOwned, pki_types::ServerName};

use super::{dial::World, wait};

/// A connection to an upstream.
pub(super) enum Wire {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Wire {
    /// Connects to a relay's upstream.
    pub(super) fn open(world: &World, rule: &RelayRule) -> Result<Self, Why> {
        let upstream = &rule.upstream;
        let stream = if rule.is_users_own {
            world.dial_as_given(&upstream.host, upstream.port)?
        } else {
            world.dial(&upstream.host, upstream.port, Naming::Rule)?
        };
        if !upstream.is_tls {
            return Ok(Self::Plain(stream));
        }
        let name = ServerName::try_from(upstream.host.clone()).map_err(|_| Why::BadHost)?;
        let session = ClientConnection::new(world.tls(), name).map_err(|_| Why::Broken)?;
        Ok(Self::Tls(Box::new(StreamOwned::new(session, stream))))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(stream) => stream.as_fd(),
            Self::Tls(stream) => stream.sock.as_fd(),
        }
    }

    /// What to wait for, given whether there is something to send and room for an answer.
    pub(super) fn wanted(&self, has_more: bool, has_room: bool) -> PollFlags {
        let mut flags = PollFlags::empty();
        let (is_shaking, is_sending) = match self {
            Self::Plain(_) => (false, has_more),
            // While hands are shaken, the session knows whose turn it is.
            Self::Tls(stream) if stream.conn.is_handshaking() => (true, stream.conn.wants_write()),
            Self::Tls(stream) => (false, has_more || stream.conn.wants_write()),
        };
        flags.set(PollFlags::POLLIN, is_shaking || has_room);
        flags.set(PollFlags::POLLOUT, is_sending);
        flags
    }

    /// Sends what goes at once; nothing if that must wait.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        now(match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        })
        .map(Option::unwrap_or_default)
    }

    /// Sends what TLS still holds back, as far as that goes at once.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(stream) => now(stream.flush().map(|()| 0)).map(drop),
        }
    }

    /// Reads what is there; `None` if nothing is yet, none of it at the end.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let result = match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        };
        match result {
            // Many servers close without the farewell of TLS; the message itself says whether all has come.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Some(0)),
            other => now(other),
        }
    }
}

fn now(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if wait::is_passing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
