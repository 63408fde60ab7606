//! Talking to a git that runs: all pipes at once, bounded output, bounded time. Knows nothing of what is asked.

use std::{
    io::{self, Read, Write},
    process::Child,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use super::error::GitError;

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

/// Feeds the input and reads to the end, at most `most` bytes and no longer than `patience`.
pub(super) fn converse(
    child: &mut Child,
    input: Option<Vec<u8>>,
    most: usize,
    patience: Duration,
) -> io::Result<Reply> {
    let group = i32::try_from(child.id()).map(Pid::from_raw).map_err(io::Error::other)?;
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
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
            if let Some(mut pipe) = stderr {
                let _ = pipe.by_ref().take(MOST_STDERR as u64).read_to_end(&mut text);
                let _ = io::copy(&mut pipe, &mut io::sink());
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut bytes = Vec::new();
        if let Some(pipe) = stdout {
            pipe.take(most as u64 + 1).read_to_end(&mut bytes)?;
        }
        let is_cut = bytes.len() > most;
        if is_cut {
            bytes.truncate(most);
            child.kill()?;
        }
        let code = child.wait()?.code().unwrap_or(-1);
        drop(over);
        let stderr = complaints.join().unwrap_or_default();
        let is_late = watch.join().unwrap_or_default();
        Ok(Reply { code, stdout: bytes, stderr, is_cut, is_late })
    })
}
