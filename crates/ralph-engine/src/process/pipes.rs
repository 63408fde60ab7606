//! Ralph's ends of a process's pipes: waits on them and moves bytes in pieces of one fixed size.
//! Knows nothing of endings.

use std::{
    io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write},
    os::fd::{AsFd, BorrowedFd},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
};

use super::listen::Stream;

const CHUNK: usize = 64 * 1024;

/// What can be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    Stdout,
    Stderr,
    Status,
    Attention,
}

/// What `poll` found, by source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready([PollFlags; 5]);

impl Ready {
    pub(super) fn has(&self, source: Source) -> bool {
        !self.0[source as usize].is_empty()
    }

    /// Ready, but without anything to read: it will stay so for ever.
    pub(super) fn is_broken(&self, source: Source) -> bool {
        self.has(source) && !self.0[source as usize].contains(PollFlags::POLLIN)
    }
}

/// The pipes that are still open, none of which blocks.
pub(super) struct Pipes<'a> {
    pub(super) stdin: Option<PipeWriter>,
    pub(super) unsent: &'a [u8],
    pub(super) stdout: Option<PipeReader>,
    pub(super) stderr: Option<PipeReader>,
    pub(super) status: Option<PipeReader>,
    pub(super) buffer: Box<[u8]>,
}

/// One look into a pipe.
pub(super) enum Piece<'b> {
    Bytes(&'b [u8]),
    Nothing,
    End,
}

impl Pipes<'_> {
    /// Room for one piece.
    pub(super) fn new_buffer() -> Box<[u8]> {
        vec![0; CHUNK].into_boxed_slice()
    }

    pub(super) fn is_drained(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Waits until something can be moved or the time is over.
    pub(super) fn wait(
        &self,
        attention: Option<BorrowedFd<'_>>,
        timeout: PollTimeout,
    ) -> io::Result<Ready> {
        let (input, output) = (PollFlags::POLLIN, PollFlags::POLLOUT);
        let wanted = [
            self.stdin.as_ref().map(|fd| PollFd::new(fd.as_fd(), output)),
            self.stdout.as_ref().map(|fd| PollFd::new(fd.as_fd(), input)),
            self.stderr.as_ref().map(|fd| PollFd::new(fd.as_fd(), input)),
            self.status.as_ref().map(|fd| PollFd::new(fd.as_fd(), input)),
            attention.map(|fd| PollFd::new(fd, input)),
        ];
        let is_wanted = wanted.each_ref().map(Option::is_some);
        let mut fds: Vec<PollFd<'_>> = wanted.into_iter().flatten().collect();
        match poll(&mut fds, timeout) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(Ready([PollFlags::empty(); 5])),
            Err(errno) => return Err(errno.into()),
        }
        let mut found = fds.iter().map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        Ok(Ready(
            is_wanted.map(|is| is.then(|| found.next()).flatten().unwrap_or(PollFlags::empty())),
        ))
    }

    /// Writes what fits; closes the input once nothing is left or nothing more is wanted.
    pub(super) fn write_stdin(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(self.unsent) {
            Ok(count) => self.unsent = &self.unsent[count..],
            Err(error) if is_passing(error.kind()) => {}
            Err(_) => self.unsent = &[],
        }
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    /// The next piece of one of the process's streams.
    pub(super) fn read(&mut self, stream: Stream) -> io::Result<Piece<'_>> {
        let pipe = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        read(pipe, &mut self.buffer)
    }

    /// The next piece of what the shim says.
    pub(super) fn read_status(&mut self) -> io::Result<Piece<'_>> {
        read(&mut self.status, &mut self.buffer)
    }
}

/// Closes the pipe at its end.
fn read<'b>(pipe: &mut Option<PipeReader>, buffer: &'b mut [u8]) -> io::Result<Piece<'b>> {
    let Some(reader) = pipe else {
        return Ok(Piece::Nothing);
    };
    match reader.read(buffer) {
        Ok(0) => {
            *pipe = None;
            Ok(Piece::End)
        }
        Ok(count) => Ok(Piece::Bytes(&buffer[..count])),
        Err(error) if is_passing(error.kind()) => Ok(Piece::Nothing),
        Err(error) => Err(error),
    }
}

fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
