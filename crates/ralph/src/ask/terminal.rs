//! The terminal while questions are asked: its modes, what is typed, and signals. Gives everything back when dropped.

use std::{
    io::{self, Write as _},
    os::fd::AsFd as _,
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::termios::{self, LocalFlags, SetArg, SpecialCharacterIndices, Termios},
};
use ralph_engine::signals::{Arrived, Interlude};

use super::keys::{self, Decoded, Key};
use crate::diagnostics::CommandError;

/// How long the rest of a key's bytes is waited for; over a slow line they come in parts.
const REST_OF_KEY: u16 = 100;
/// How long the rest of a pasted text is waited for.
const REST_OF_PASTE: u16 = 1000;
/// What is typed between two bracketing sequences was pasted.
const BRACKETS_ON: &str = "\x1b[?2004h";
const BRACKETS_OFF_CURSOR_ON: &str = "\x1b[?2004l\x1b[?25h";

/// How the terminal is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Key by key, drawn by us.
    Keys,
    /// Line by line, echoed by the terminal.
    Lines,
}

/// Stdin and stderr, which are a terminal.
pub(super) struct Terminal {
    /// The modes to give back, if they were changed.
    saved: Option<Termios>,
    signals: Interlude,
    /// Bytes that were read and not used yet: what is typed ahead belongs to the next question.
    pending: Vec<u8>,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn take(mode: Mode) -> io::Result<Self> {
        let mut taken = Self { saved: None, signals: Interlude::begin()?, pending: Vec::new() };
        if mode == Mode::Keys {
            let stdin = io::stdin();
            let before = termios::tcgetattr(&stdin)?;
            let mut modes = before.clone();
            modes.local_flags.remove(
                LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG | LocalFlags::IEXTEN,
            );
            modes.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
            modes.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
            taken.saved = Some(before);
            // Draining, not flushing: what was typed ahead is an answer.
            termios::tcsetattr(&stdin, SetArg::TCSADRAIN, &modes)?;
            say(BRACKETS_ON)?;
        }
        Ok(taken)
    }

    /// The next key, or a new size.
    pub(super) fn next(&mut self) -> Result<Key, CommandError> {
        loop {
            let rest = match keys::decode(&self.pending) {
                Decoded::Key(key, used) => return self.used(key, used),
                Decoded::Unfinished if self.pending.is_empty() => None,
                Decoded::Unfinished if self.pending.starts_with(b"\x1b[200~") => {
                    Some(REST_OF_PASTE)
                }
                Decoded::Unfinished => Some(REST_OF_KEY),
            };
            match self.wait(rest)? {
                Waited::Read => {}
                Waited::Resized => return Ok(Key::Resized),
                Waited::Nothing => {
                    let (key, used) = keys::give_up(&self.pending);
                    return self.used(key, used);
                }
            }
        }
    }

    /// The next line without its end.
    pub(super) fn line(&mut self) -> Result<String, CommandError> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).into());
            }
            self.wait(None)?;
        }
    }

    fn used(&mut self, key: Key, bytes: usize) -> Result<Key, CommandError> {
        self.pending.drain(..bytes.min(self.pending.len()));
        match key {
            Key::Interrupt => Err(CommandError::Cancelled),
            key => Ok(key),
        }
    }

    /// Waits for bytes or a signal, at most so many milliseconds.
    fn wait(&mut self, most: Option<u16>) -> Result<Waited, CommandError> {
        let stdin = io::stdin();
        let mut fds = [
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.signals.fd(), PollFlags::POLLIN),
        ];
        let count = match poll(&mut fds, most.map_or(PollTimeout::NONE, PollTimeout::from)) {
            Err(Errno::EINTR) => 1,
            other => other.map_err(io::Error::from)?,
        };
        let typed = fds[0].any().unwrap_or(false);
        match self.signals.take() {
            Some(Arrived::End(signal)) if signal == nix::libc::SIGINT => {
                return Err(CommandError::Cancelled);
            }
            Some(Arrived::End(_)) => return Err(CommandError::Ended),
            Some(Arrived::Resized) => return Ok(Waited::Resized),
            None if count == 0 => return Ok(Waited::Nothing),
            None if !typed => return Ok(Waited::Read),
            None => {}
        }
        let mut buffer = [0; 4096];
        match nix::unistd::read(&stdin, &mut buffer) {
            // The terminal is gone, or Ctrl-D was typed where lines are read.
            Ok(0) | Err(Errno::EIO) => Err(CommandError::Cancelled),
            Ok(read) => {
                self.pending.extend(buffer.iter().take(read));
                Ok(Waited::Read)
            }
            Err(Errno::EINTR | Errno::EAGAIN) => Ok(Waited::Read),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

/// What became of waiting.
enum Waited {
    Read,
    Resized,
    Nothing,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.saved {
            // Nobody can be told if the terminal is gone.
            let _ = say(BRACKETS_OFF_CURSOR_ON);
            let _ = termios::tcsetattr(io::stdin(), SetArg::TCSADRAIN, before);
        }
    }
}

/// Writes to the terminal at once.
pub(super) fn say(text: &str) -> io::Result<()> {
    let mut out = io::stderr().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
