//! Who takes part while a process runs: the listener hears it and may end it, attention brings in
//! what people ask for meanwhile. Neither may block.

use std::{error::Error, os::fd::BorrowedFd, time::Instant};

use ralph_core::effect::How;

/// Which of its streams a process wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// Whether the process may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    Continue,
    Stop(StopWhy),
}

/// Why a listener ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopWhy {
    TimedOut,
    /// Its work is complete; it may take a moment to leave by itself before it is asked to.
    Done,
    /// Whatever the listener knows of it.
    Other,
}

/// Hears a process and decides when it must end; the supervisor carries that out.
pub trait Listener {
    /// Bytes as they came; lines and characters may be cut anywhere.
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> Flow;

    /// When `tick` is next wanted at the latest; of no effect once the process is being ended.
    fn deadline(&self) -> Option<Instant>;

    /// Called after every wake-up, so also when the deadline has passed.
    fn tick(&mut self, now: Instant) -> Flow;
}

/// What else may ask for the process to end while it runs.
pub trait Attention {
    /// Becomes readable when there is something to notice.
    fn fd(&self) -> Option<BorrowedFd<'_>>;

    /// Called when `fd` is readable and at least every half second; must consume what made it
    /// readable. An error ends the process at once and is passed on.
    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>>;
}

/// Nobody asks for anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Attention for Nobody {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }
}
