//! Talking to a git that runs: all pipes at once, bounded output, bounded time. Knows nothing of what is asked.

use std::{
    io::{self, Read, Write},
    os::fd::OwnedFd,
    process::Child,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use super::{
    error::GitError,
    room::{Pipes, Room},
};

/// Most bytes of error output kept.
const MOST_STDERR: usize = 64 << 10;

/// What a call gave.
pub(crate) struct Reply {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// There was more output than asked for.
    pub(crate) is_cut: bool,
    /// It was ended because it took too long.
    pub(crate) is_late: bool,
}

impl Reply {
    /// The reply as an error of the command `name`.
    pub(crate) fn error(&self, name: impl Into<String>) -> GitError {
        let said = self.stderr.trim();
        let said =
            if said.is_empty() { format!("exit code {}", self.code) } else { said.to_owned() };
        GitError::Command { command: name.into(), said }
    }
}

/// A git that runs.
#[derive(Debug)]
pub(super) enum Running {
    /// As a process of ralph's own, or behind one that is.
    Child(Child),
    /// In a room that is kept.
    Guest(Room, Pipes),
}

impl Running {
    /// Feeds the input and reads to the end, at most `most` bytes and no longer than `patience`.
    pub(super) fn converse(
        self,
        input: Option<Vec<u8>>,
        most: usize,
        patience: Duration,
    ) -> io::Result<Reply> {
        let talk = |pipes, group, end: &mut dyn FnMut() -> io::Result<i32>| {
            let group = i32::try_from(group).map(Pid::from_raw).map_err(io::Error::other)?;
            converse(pipes, (group, end), input, (most, patience))
        };
        match self {
            Self::Child(mut child) => {
                let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take())
                else {
                    return Err(io::ErrorKind::BrokenPipe.into());
                };
                let pipes = Pipes {
                    stdin: child.stdin.take().map(|it| OwnedFd::from(it).into()),
                    stdout: OwnedFd::from(stdout).into(),
                    stderr: OwnedFd::from(stderr).into(),
                };
                talk(pipes, child.id(), &mut || Ok(child.wait()?.code().unwrap_or(-1)))
            }
            Self::Guest(mut room, pipes) => {
                let group = room.group();
                let reply = talk(pipes, group, &mut || Ok(room.end().unwrap_or(-1)))?;
                if !reply.is_cut && !reply.is_late {
                    room.leave();
                }
                Ok(reply)
            }
        }
    }
}

fn converse(
    Pipes { stdin, stdout, mut stderr }: Pipes,
    (group, end): (Pid, &mut dyn FnMut() -> io::Result<i32>),
    input: Option<Vec<u8>>,
    (most, patience): (usize, Duration),
) -> io::Result<Reply> {
    thread::scope(|scope| {
        let (over, is_over) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let is_late = is_over.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            // With what it started: a filter of the user's can hang as well.
            is_late && killpg(group, Signal::SIGKILL).is_ok()
        });
        scope.spawn(move || {
            if let (Some(mut pipe), Some(bytes)) = (stdin, input) {
                // A git that stops reading says why on its own.
                let _ = pipe.write_all(&bytes);
            }
        });
        let complaints = scope.spawn(move || {
            let mut text = Vec::new();
            let _ = Read::by_ref(&mut stderr).take(MOST_STDERR as u64).read_to_end(&mut text);
            let _ = io::copy(&mut stderr, &mut io::sink());
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut bytes = Vec::new();
        stdout.take(most as u64 + 1).read_to_end(&mut bytes)?;
        let is_cut = bytes.len() > most;
        if is_cut {
            bytes.truncate(most);
            let _ = killpg(group, Signal::SIGKILL);
        }
        let code = end()?;
        drop(over);
        let stderr = complaints.join().unwrap_or_default();
        let is_late = watch.join().unwrap_or_default();
        Ok(Reply { code, stdout: bytes, stderr, is_cut, is_late })
    })
}
