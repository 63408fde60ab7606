//! Signals as something to wait for: a pipe that becomes readable, and a count of what arrived.

use std::{
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use signal_hook::{
    SigId,
    consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH},
};

/// The signals that ask a process to end.
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Whether a signal of [`ENDING`] still ends the process by itself; unset until an interlude has caught one.
static ENDS: OnceLock<Arc<AtomicBool>> = OnceLock::new();

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
        for signal in ENDING {
            let number = usize::try_from(signal).unwrap_or(0);
            signal_hook::flag::register_usize(signal, Arc::clone(&last), number)?;
            signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
        }
        if let Some(ends) = ENDS.get() {
            ends.store(false, Ordering::SeqCst);
        }
        Ok(Self { pipe, last, count: 0 })
    }

    /// Readable once a signal arrived.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// How many arrived and were taken so far.
    pub fn seen(&self) -> u32 {
        self.count
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

/// What arrived during an interlude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    /// A signal that asks the process to end.
    End(i32),
    /// The terminal has another size.
    Resized,
}

/// Catches the ending signals and changes of the terminal's size while it lives; afterwards each does again what it
/// did before.
#[derive(Debug)]
pub struct Interlude {
    pipe: UnixStream,
    last: Arc<AtomicUsize>,
    ids: Vec<SigId>,
    ended_before: bool,
}

impl Interlude {
    /// Begins to catch.
    pub fn begin() -> io::Result<Self> {
        let ends = ordinary()?;
        let (pipe, writer) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let last = Arc::new(AtomicUsize::new(0));
        let mut ids = Vec::new();
        for signal in ENDING {
            let number = usize::try_from(signal).unwrap_or(0);
            ids.push(signal_hook::flag::register_usize(signal, Arc::clone(&last), number)?);
        }
        for signal in ENDING.into_iter().chain([SIGWINCH]) {
            ids.push(signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?);
        }
        let ended_before = ends.swap(false, Ordering::SeqCst);
        Ok(Self { pipe, last, ids, ended_before })
    }

    /// Readable once a signal arrived.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// What arrived since the last call, if anything did.
    pub fn take(&mut self) -> Option<Arrived> {
        let mut buffer = [0u8; 64];
        let mut arrived = false;
        while let Ok(1..) = self.pipe.read(&mut buffer) {
            arrived = true;
        }
        match i32::try_from(self.last.swap(0, Ordering::SeqCst)) {
            Ok(signal @ 1..) => Some(Arrived::End(signal)),
            _ => arrived.then_some(Arrived::Resized),
        }
    }
}

impl Drop for Interlude {
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            signal_hook::low_level::unregister(id);
        }
        if let Some(ends) = ENDS.get() {
            ends.store(self.ended_before, Ordering::SeqCst);
        }
    }
}

/// The switch by which an ending signal does what it does by default, made on first use: a handler once set cannot be
/// taken away, so it acts out the default while nobody else catches.
fn ordinary() -> io::Result<&'static Arc<AtomicBool>> {
    if let Some(ends) = ENDS.get() {
        return Ok(ends);
    }
    let ends = Arc::new(AtomicBool::new(true));
    for signal in ENDING {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&ends))?;
    }
    Ok(ENDS.get_or_init(|| ends))
}

/// Catches Ctrl-Z while it lives, for whoever has to give a terminal's modes back before the process stops.
#[derive(Debug)]
pub struct Suspension {
    pipe: UnixStream,
    id: SigId,
}

impl Suspension {
    /// Begins to catch.
    pub fn catch() -> io::Result<Self> {
        let (pipe, writer) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let id = signal_hook::low_level::pipe::register(SIGTSTP, writer)?;
        Ok(Self { pipe, id })
    }

    /// Readable once the process was asked to stop.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Whether it was asked to stop since the last call.
    pub fn take(&mut self) -> bool {
        let mut buffer = [0u8; 64];
        let mut arrived = false;
        while let Ok(1..) = self.pipe.read(&mut buffer) {
            arrived = true;
        }
        arrived
    }

    /// Stops the process as the signal would have done; returns once it continues.
    pub fn stop() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(SIGTSTP)
    }
}

impl Drop for Suspension {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.id);
        // A handler once set cannot be taken away: it acts out the default from now on.
        let always = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_default(SIGTSTP, always);
    }
}
