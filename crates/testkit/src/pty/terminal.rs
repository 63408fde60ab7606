//! The pseudo-terminal itself and the process on it.

use std::{
    io,
    os::{fd::OwnedFd, unix::process::ExitStatusExt as _},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    pty::{Winsize, openpty},
    sys::{
        signal::{Signal, kill},
        termios::{self, Termios},
    },
    unistd::{self, Pid},
};

use super::screen::Screen;

/// How long a program on a busy machine may take to say what is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u16, pub u16);

/// Bytes that a program wrote, and how long after its start.
#[derive(Debug, Clone)]
pub struct Piece {
    pub at: Duration,
    pub bytes: Vec<u8>,
}

/// A program on a terminal of its own. Ended when dropped.
pub struct Pty {
    master: OwnedFd,
    name: PathBuf,
    child: Child,
    size: Size,
    modes: Termios,
    said: Vec<u8>,
    began: Instant,
    recording: Vec<Piece>,
    /// How much of the text was waited for already.
    seen: usize,
}

impl Pty {
    /// Starts a command on a new terminal; `command` is one that runs its program by `setsid --ctty`.
    pub fn start(command: &mut Command, size: Size) -> io::Result<Self> {
        let Size(ws_col, ws_row) = size;
        let window = Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&window, None)?;
        // Whoever holds this end keeps the terminal there.
        fcntl(&pty.master, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        let name = unistd::ttyname(&pty.slave)?;
        let modes = termios::tcgetattr(&pty.slave)?;
        let end = || pty.slave.try_clone().map(Stdio::from);
        let child = command.stdin(end()?).stdout(end()?).stderr(end()?).spawn()?;
        Ok(Self {
            master: pty.master,
            name,
            child,
            size,
            modes,
            said: Vec::new(),
            began: Instant::now(),
            recording: Vec::new(),
            seen: 0,
        })
    }

    /// Types text; keys are the bytes a terminal sends for them.
    pub fn type_in(&mut self, text: &str) -> io::Result<()> {
        let mut left = text.as_bytes();
        while !left.is_empty() {
            // A program that draws while much is typed must not wait for us in turn.
            self.read(Some(Duration::ZERO))?;
            let count = unistd::write(&self.master, left.get(..256).unwrap_or(left))?;
            left = left.get(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Waits until the program has said this since the last wait.
    pub fn wait_for(&mut self, text: &str) -> io::Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let all = self.text();
            if let Some(at) = all.get(self.seen..).and_then(|new| new.find(text)) {
                self.seen += at + text.len();
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.read(Some(left))? {
                let screen = self.screen();
                return Err(io::Error::other(format!("never said {text:?}; it shows:\n{screen}")));
            }
        }
    }

    /// Waits until the terminal shows this.
    pub fn wait_to_show(&mut self, text: &str) -> io::Result<()> {
        self.wait_to(text, |shown| shown.contains(text))
    }

    /// Waits until what the terminal shows is as it should be.
    pub fn wait_to(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> io::Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let shown = self.shown();
            if is_so(&shown) {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.read(Some(left))? {
                return Err(io::Error::other(format!("never so: {what}; it shows:\n{shown}")));
            }
        }
    }

    /// What a real terminal shows now, without what has scrolled away.
    pub fn shown(&self) -> String {
        let Size(columns, rows) = self.size;
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        terminal.process(&self.said);
        terminal.screen().contents()
    }

    /// Waits for the end of the program and gives the exit code as a shell would: 128 and the signal if one ended it.
    pub fn finish(&mut self) -> io::Result<i32> {
        let until = Instant::now() + PATIENCE;
        while self.read(Some(until.saturating_duration_since(Instant::now())))? {
            if Instant::now() > until {
                let screen = self.screen();
                return Err(io::Error::other(format!("it does not end; it shows:\n{screen}")));
            }
        }
        Ok(code(self.child.wait()?))
    }

    /// Closes the terminal, waits for the end of the program, and gives its exit code as [`Self::finish`] does.
    pub fn hang_up(&mut self) -> io::Result<i32> {
        self.master = std::fs::File::open("/dev/null")?.into();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return Ok(code(status));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(io::Error::other("it does not end without its terminal"))
    }

    /// What the terminal shows, with what has scrolled away above it.
    pub fn screen(&self) -> String {
        let mut screen = Screen::new(usize::from(self.size.0), usize::from(self.size.1));
        screen.feed(&String::from_utf8_lossy(&self.said));
        screen.text()
    }

    /// All bytes that the program has written, as text.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.said).into_owned()
    }

    /// The same in the pieces in which it came.
    pub fn recording(&self) -> &[Piece] {
        &self.recording
    }

    /// Whether the modes of the terminal are those it had before the program.
    pub fn is_as_before(&self) -> io::Result<bool> {
        Ok(termios::tcgetattr(&self.master)? == self.modes)
    }

    /// Gives the terminal another size; the program is told.
    pub fn resize(&mut self, size: Size) -> io::Result<()> {
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let mut stty = Command::new("stty");
        stty.arg("-F").arg(&self.name).args(["cols", &columns, "rows", &rows]);
        if !stty.status()?.success() {
            return Err(io::Error::other("stty failed"));
        }
        self.size = size;
        Ok(())
    }

    /// Sends the program a signal by its number.
    pub fn signal(&self, number: i32) -> io::Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(i32::MAX));
        Ok(kill(pid, Signal::try_from(number)?)?)
    }

    /// What the program has said, without control sequences.
    fn text(&self) -> String {
        ralph_text::sanitise::clean(&String::from_utf8_lossy(&self.said))
    }

    /// Reads what is there, waiting at most so long; false once the program has ended.
    fn read(&mut self, wait: Option<Duration>) -> io::Result<bool> {
        let timeout = wait.map(PollTimeout::try_from).transpose();
        let timeout = timeout.ok().flatten().unwrap_or(PollTimeout::MAX);
        let mut fds = [PollFd::new(std::os::fd::AsFd::as_fd(&self.master), PollFlags::POLLIN)];
        match poll(&mut fds, timeout) {
            Ok(0) | Err(Errno::EINTR) => return Ok(true),
            other => other?,
        };
        let mut buffer = [0; 8192];
        match unistd::read(&self.master, &mut buffer) {
            Ok(0) | Err(Errno::EIO) => Ok(false),
            Ok(read) => {
                let bytes: Vec<u8> = buffer.iter().take(read).copied().collect();
                self.said.extend_from_slice(&bytes);
                self.recording.push(Piece { at: self.began.elapsed(), bytes });
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// An exit code as a shell gives it.
fn code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed half-way must not leave its program behind; one that has ended is reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
