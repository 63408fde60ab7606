//! Moves bytes between two sockets, both ways at once. Where much is moved the kernel does it, without taking it
//! through ralph's memory. Invariant: memory does not depend on how much is moved.

use std::{
    io::PipeReader,
    net::{Shutdown, TcpStream},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use nix::{errno::Errno, poll::PollFlags};
use ralph_core::network::Why;

use super::{pipe::Pipe, wait};

/// Room of a direction at first.
const BUFFER: usize = 32 * 1024;
/// So many bytes are much: worth two descriptors more, of which a process has not many.
const MUCH: u64 = 512 * 1024;

/// What went through a pair of joined sockets.
pub(super) struct Moved {
    pub up: u64,
    pub down: u64,
    pub end: Result<(), Why>,
}

/// Joins two sockets until both directions have ended, or neither side has said anything for so long.
pub(super) fn join(
    client: &TcpStream,
    server: &TcpStream,
    stop: &PipeReader,
    idle: Duration,
) -> Moved {
    let (mut up, mut down) = (Lane::new(client, server), Lane::new(server, client));
    let end = run(&mut up, &mut down, stop, idle);
    Moved { up: up.moved, down: down.moved, end }
}

fn run(
    up: &mut Lane<'_>,
    down: &mut Lane<'_>,
    stop: &PipeReader,
    idle: Duration,
) -> Result<(), Why> {
    loop {
        up.go().and_then(|()| down.go()).map_err(|_| Why::Broken)?;
        if up.is_over && down.is_over {
            return Ok(());
        }
        // Each socket is asked once, for both lanes.
        let flags = |reads: &Lane<'_>, writes: &Lane<'_>| {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::POLLIN, !reads.is_over && reads.held == 0);
            flags.set(PollFlags::POLLOUT, writes.held > 0);
            flags
        };
        let client = (up.from.as_fd(), flags(up, down));
        let server = (up.to.as_fd(), flags(down, up));
        wait::ready(stop, &[client, server], Instant::now() + idle)?;
    }
}

/// One direction.
struct Lane<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    buffer: Vec<u8>,
    /// In place of the buffer, once much is moved.
    pipe: Option<Pipe>,
    /// Bytes that were taken and not yet given.
    held: usize,
    moved: u64,
    is_over: bool,
}

impl<'a> Lane<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream) -> Self {
        let buffer = vec![0; BUFFER];
        Self { from, to, buffer, pipe: None, held: 0, moved: 0, is_over: false }
    }

    /// Moves as much as goes without waiting, but lets the other direction have its turn.
    fn go(&mut self) -> nix::Result<()> {
        for _ in 0..16 {
            while self.held > 0 {
                match passing(self.give())? {
                    None => return Ok(()),
                    Some(given) => self.held -= given,
                }
            }
            if self.is_over {
                return Ok(());
            }
            match passing(self.take())? {
                None => return Ok(()),
                Some(0) => {
                    self.is_over = true;
                    // The other side may be gone altogether, which its own lane finds out.
                    self.to.shutdown(Shutdown::Write).ok();
                    return Ok(());
                }
                Some(taken) => {
                    self.held = taken;
                    self.moved += taken as u64;
                }
            }
        }
        Ok(())
    }

    /// Takes what there is, with nothing held.
    fn take(&mut self) -> nix::Result<usize> {
        if self.pipe.is_none() && self.moved >= MUCH {
            // Without descriptors for one the buffer must do for now.
            self.pipe = Pipe::new().ok();
        }
        if let Some(pipe) = &mut self.pipe {
            return pipe.take(self.from);
        }
        self.buffer.resize(BUFFER, 0);
        let taken = nix::unistd::read(self.from, &mut self.buffer)?;
        self.buffer.truncate(taken);
        Ok(taken)
    }

    /// Gives what is held, or some of it.
    fn give(&mut self) -> nix::Result<usize> {
        match &mut self.pipe {
            Some(pipe) => pipe.give(self.to, self.held),
            None => nix::unistd::write(self.to, &self.buffer[self.buffer.len() - self.held..]),
        }
    }
}

/// `None` for what must be tried again later.
fn passing(result: nix::Result<usize>) -> nix::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
        Err(errno) => Err(errno),
    }
}
