//! `w` while the console shows a run: `ralph watch` as a child on the same terminal. Reads keys only in the foreground of a
//! terminal, leaves Ctrl-C and Ctrl-Z what they are, and gives the terminal's modes back on every way out. Knows nothing of
//! the run but its name.

use std::{
    io::{self, IsTerminal as _, Write as _},
    os::{
        fd::{AsFd as _, BorrowedFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        signal::{Signal, kill},
        termios::{self, LocalFlags, SetArg, SpecialCharacterIndices, Termios},
    },
    unistd::{self, Pid},
};
use ralph_core::ids::RunId;
use ralph_engine::{outside, signals::Suspension};

use super::held_output::Hold;
use crate::context::Context;

/// How soon it is seen that the run came to the foreground, or that the watcher has left.
const LOOK: Duration = Duration::from_millis(100);

/// What is listened for, and for whom.
pub(super) struct WatchKey {
    /// Gone once the run has ended.
    waker: UnixStream,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl WatchKey {
    /// Whether keys may be read: stdin and stdout are a terminal that can be drawn on, and nobody reads JSON.
    pub(super) fn is_possible(context: &Context) -> bool {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        is_terminal && !context.json && context.stderr().live && is_in_front()
    }

    /// Listens from the console's first line on: by then a run takes Ctrl-C as it should. `at_once` opens the watcher without a
    /// key.
    pub(super) fn listen(
        (run, context): (&RunId, &Context),
        hold: Hold,
        at_once: bool,
    ) -> io::Result<Self> {
        let (waker, woken) = UnixStream::pair()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let listener = Listener {
            folder: context.project_dir.clone(),
            run: run.clone(),
            hold,
            woken,
            is_over: Arc::clone(&is_over),
            suspension: Suspension::catch()?,
            before: None,
        };
        let thread = thread::Builder::new().name("watch key".into()).spawn(move || {
            // Without keys the run is shown all the same.
            let _ = listener.listen(at_once);
        })?;
        Ok(Self { waker, is_over, thread: Some(thread) })
    }

    /// Waits until a watcher on the terminal has left, and stops listening.
    pub(super) fn finish(mut self) {
        self.stop();
    }

    fn stop(&mut self) {
        let _ = self.waker.write_all(&[0]);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A run that was interrupted does not wait for its watcher.
impl Drop for WatchKey {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.stop();
    }
}

struct Listener {
    folder: PathBuf,
    run: RunId,
    hold: Hold,
    woken: UnixStream,
    is_over: Arc<AtomicBool>,
    suspension: Suspension,
    /// The modes to give back, while keys are read.
    before: Option<Termios>,
}

impl Listener {
    fn listen(mut self, at_once: bool) -> io::Result<()> {
        while !self.hold.has_begun() {
            if self.waits_for(None)?.is_ended {
                return Ok(());
            }
        }
        if at_once && is_in_front() {
            self.watch()?;
        }
        loop {
            let stdin = io::stdin();
            let is_mine = is_in_front();
            if is_mine && self.before.is_none() {
                self.take()?;
            }
            let seen = self.waits_for(is_mine.then(|| stdin.as_fd()))?;
            if seen.is_ended {
                return Ok(());
            }
            if self.suspension.take() {
                self.give_back();
                Suspension::stop()?;
            } else if seen.is_typed && is_in_front() {
                let mut keys = [0; 64];
                let count = unistd::read(&stdin, &mut keys)?;
                if count == 0 {
                    return Ok(());
                }
                if keys.iter().take(count).any(|key| *key == b'w') {
                    self.watch()?;
                }
            }
        }
    }

    fn waits_for(&self, stdin: Option<BorrowedFd<'_>>) -> io::Result<Seen> {
        let mut fds = vec![
            PollFd::new(self.woken.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.suspension.fd(), PollFlags::POLLIN),
        ];
        fds.extend(stdin.map(|stdin| PollFd::new(stdin, PollFlags::POLLIN)));
        let timeout = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::MAX);
        match poll(&mut fds, timeout) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |nth: usize| fds.get(nth).is_some_and(|fd| fd.any().unwrap_or(false));
        Ok(Seen { is_ended: is_ready(0), is_typed: is_ready(2) })
    }

    /// Key by key and unseen; Ctrl-C and Ctrl-Z stay signals.
    fn take(&mut self) -> io::Result<()> {
        let stdin = io::stdin();
        let before = termios::tcgetattr(&stdin)?;
        let mut modes = before.clone();
        modes.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        modes.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        modes.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        self.before = Some(before);
        Ok(termios::tcsetattr(&stdin, SetArg::TCSANOW, &modes)?)
    }

    fn give_back(&mut self) {
        // In the background the terminal is somebody else's, who was given it with its own modes.
        if let Some(before) = self.before.take().filter(|_| is_in_front()) {
            let _ = termios::tcsetattr(io::stdin(), SetArg::TCSANOW, &before);
        }
    }

    /// The watcher on the terminal, with the modes it had before; the console's lines wait.
    fn watch(&mut self) -> io::Result<()> {
        self.give_back();
        if !self.hold.begin() {
            return Ok(());
        }
        let mut watcher = outside::ralph_itself()?;
        watcher.arg("-C").arg(&self.folder).args(["watch", self.run.as_str()]);
        let left = watcher.spawn().and_then(|child| self.until_left(child));
        self.hold.end();
        left
    }

    fn until_left(&mut self, mut child: Child) -> io::Result<()> {
        while child.try_wait()?.is_none() {
            if self.is_over.load(Ordering::SeqCst) {
                let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
                let _ = kill(pid, Signal::SIGTERM);
                child.wait()?;
                break;
            }
            if self.suspension.take() {
                Suspension::stop()?;
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.give_back();
    }
}

struct Seen {
    is_ended: bool,
    is_typed: bool,
}

/// Whether this process is in the foreground of its terminal. From the background, reading or changing modes would stop it.
fn is_in_front() -> bool {
    unistd::tcgetpgrp(io::stdin()).is_ok_and(|front| front == unistd::getpgrp())
}
