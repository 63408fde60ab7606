//! The terminal while it is drawn on. Given back whatever happens: leaving, a panic, a signal.

use std::{
    io::{self, BufWriter, Stdout, Write as _},
    mem::ManuallyDrop,
    os::fd::AsFd as _,
    panic, process,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crossterm::{
    cursor, event, execute, queue,
    terminal::{self, BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ralph_engine::network::base64;
use ratatui::{Frame, Terminal, backend::CrosstermBackend};

use crate::exit;

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// A terminal that is drawn on. Gives itself back when dropped.
pub(super) struct Screen {
    /// Never dropped: it would complain on a terminal that is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |what| {
                give_back();
                before(what);
            }));
        });
        enter()?;
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(out)).inspect_err(|_| give_back())?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Draws what changed, as one update; gives the size that was drawn on.
    pub(super) fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<(u16, u16)> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let area = self.terminal.draw(view)?.area;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Ok((area.width, area.height))
    }

    /// Whether the terminal tells of the mouse, instead of selecting text by itself.
    pub(super) fn mouse(&mut self, is_on: bool) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        if is_on {
            execute!(out, event::EnableMouseCapture)
        } else {
            execute!(out, event::DisableMouseCapture)
        }
    }

    /// Asks the terminal to copy a text (OSC 52).
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        write!(out, "\x1b]52;c;{}\x07", base64(text.as_bytes()))?;
        io::Write::flush(out)
    }

    /// Draws everything anew next time. Not by `clear`, which asks the terminal where its cursor is and waits.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Gives the terminal to somebody else for a while.
    pub(super) fn lend(&mut self, use_it: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        give_back();
        let used = use_it();
        enter()?;
        self.clear()?;
        used
    }
}

/// Ends the process once its terminal is gone: crossterm would ask that one for keys for ever.
#[expect(clippy::exit, reason = "the main thread does not come back from there")]
pub(super) fn end_with_it() {
    thread::spawn(|| {
        loop {
            if is_gone(PollTimeout::NONE) {
                process::exit(exit::HUNG_UP.into());
            }
        }
    });
}

/// Whether the terminal has hung up, or does so within this time.
pub(super) fn is_gone(within: PollTimeout) -> bool {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    let _ = poll(&mut fds, within);
    let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
    fds.first().and_then(PollFd::revents).is_some_and(|reported| reported.intersects(gone))
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    let taken = terminal::enable_raw_mode().and_then(|()| {
        execute!(
            io::stdout(),
            terminal::EnterAlternateScreen,
            cursor::Hide,
            event::EnableBracketedPaste,
            event::EnableFocusChange
        )
    });
    taken.inspect_err(|_| give_back())
}

/// Mouse, focus, paste, cursor, alternate screen, modes: in this order, so that nothing which the terminal still sends
/// reaches the shell. Nobody can be told if the terminal is gone.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(
        io::stdout(),
        event::DisableMouseCapture,
        event::DisableFocusChange,
        event::DisableBracketedPaste,
        cursor::Show,
        terminal::LeaveAlternateScreen
    );
    let _ = io::stdout().flush();
    let _ = terminal::disable_raw_mode();
}
