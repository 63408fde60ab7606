//! Signals as something to wait for: a pipe that becomes readable, and a count of what arrived.

use std::{
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// SIGINT, SIGTERM and SIGHUP; once caught, they no longer end the process.
#[derive(Debug)]
pub struct Signals {
    pipe: UnixStream,
    last: Arc<AtomicUsize>,
    count: u32,
}

impl Signals {
    /// Begins to catch.
    pub fn catch() -> io::Result<Self> {
        let (pipe, writer) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let last = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or(0);
            signal_hook::flag::register_usize(signal, Arc::clone(&last), number)?;
            signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
        }
        Ok(Self {
            pipe,
            last,
            count: 0,
        })
    }

    /// Readable once a signal arrived.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// The signal that arrived last and how many so far, if any arrived since the last call.
    pub fn take(&mut self) -> Option<(i32, u32)> {
        let mut buffer = [0u8; 64];
        let mut arrived = 0;
        while let Ok(read @ 1..) = self.pipe.read(&mut buffer) {
            arrived += u32::try_from(read).unwrap_or(0);
        }
        if arrived == 0 {
            return None;
        }
        self.count += arrived;
        let signal = i32::try_from(self.last.load(Ordering::SeqCst)).unwrap_or(SIGTERM);
        Some((signal, self.count))
    }
}
