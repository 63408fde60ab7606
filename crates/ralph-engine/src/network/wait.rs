//! Waiting on sockets, always with an end: by the clock, or because the gateway stops.

use std::{
    io::{self, PipeReader, Read, Write},
    net::TcpStream,
    os::fd::{AsFd, BorrowedFd},
    time::Instant,
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout},
};
use ralph_core::network::Why;

/// Waits until one of these is ready, and says which. Stops waiting when the pipe's other end is closed.
pub(super) fn ready(
    stop: &PipeReader,
    wanted: &[(BorrowedFd<'_>, PollFlags)],
    until: Instant,
) -> Result<Vec<bool>, Why> {
    // A descriptor that is asked nothing would still report its hang-up again and again.
    let asked = wanted.iter().map(|(fd, flags)| PollFd::new(*fd, *flags));
    let mut all: Vec<PollFd<'_>> = asked.filter(|one| !one.events().is_empty()).collect();
    all.push(PollFd::new(stop.as_fd(), PollFlags::POLLIN));
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Why::Slow);
        }
        // The longest single wait is days; a longer one is cut by the loop.
        let left = PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX);
        match nix::poll::poll(&mut all, left) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => break,
            Err(_) => return Err(Why::Broken),
        }
    }
    let mut reported = all.iter().map(|one| one.any().unwrap_or(true));
    let answers =
        wanted.iter().map(|(_, flags)| !flags.is_empty() && reported.next().unwrap_or(true));
    let answers = answers.collect();
    if reported.next().unwrap_or(true) { Err(Why::Broken) } else { Ok(answers) }
}

/// Reads what there is next, waiting for it; nothing means the end.
pub(super) fn read(
    stream: &TcpStream,
    buffer: &mut [u8],
    stop: &PipeReader,
    until: Instant,
) -> Result<usize, Why> {
    let mut stream = stream;
    loop {
        match stream.read(buffer) {
            Ok(count) => return Ok(count),
            Err(error) if is_passing(&error) => {
                ready(stop, &[(stream.as_fd(), PollFlags::POLLIN)], until)?;
            }
            Err(_) => return Err(Why::Broken),
        }
    }
}

/// Writes all of it, waiting where needed.
pub(super) fn write(
    stream: &TcpStream,
    mut bytes: &[u8],
    stop: &PipeReader,
    until: Instant,
) -> Result<(), Why> {
    let mut stream = stream;
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if is_passing(&error) => {
                ready(stop, &[(stream.as_fd(), PollFlags::POLLOUT)], until)?;
            }
            Err(_) => return Err(Why::Broken),
        }
    }
    Ok(())
}

/// Whether trying again later helps.
pub(super) fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
