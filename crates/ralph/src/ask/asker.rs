//! The one who asks: holds the terminal while there are questions, and picks the way it can be asked on.

use std::io::IsTerminal as _;

use super::{
    live::Live,
    menu::{Menu, Pick},
    plain_lines::PlainLines,
    question::{Lean, Text, Way},
    terminal::{Mode, Terminal},
};
use crate::{diagnostics::CommandError, reporters::screen::Screen};

/// Asks questions on the terminal it holds. Keep it only while there is something to ask.
///
/// Every question may end in [`CommandError::Cancelled`] (Ctrl-C, Esc, end of input) or [`CommandError::Ended`]
/// (SIGTERM, SIGHUP); the terminal is given back when the asker is dropped.
pub(crate) struct Asker {
    terminal: Terminal,
    screen: Screen,
}

impl Asker {
    /// Whether a person can be asked: what is typed and what is shown are a terminal.
    pub(crate) fn is_possible() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Takes the terminal; only where [`Self::is_possible`].
    pub(crate) fn on(screen: Screen) -> Result<Self, CommandError> {
        let mode = if screen.live { Mode::Keys } else { Mode::Lines };
        Ok(Self { terminal: Terminal::take(mode)?, screen })
    }

    /// Asks for a line of text; it comes trimmed.
    pub(crate) fn text(&mut self, asked: &Text<'_>) -> Result<String, CommandError> {
        if self.screen.live { self.live().text(asked) } else { self.lines().text(asked) }
    }

    /// Asks for one of several, each a name and what is said beside it; gives which. Enter gives `default`.
    pub(crate) fn select(
        &mut self,
        question: &str,
        options: &[(String, String)],
        default: usize,
    ) -> Result<usize, CommandError> {
        let chosen = self.menu(question, menu(options, default, Pick::One))?;
        Ok(chosen.first().copied().unwrap_or(default))
    }

    /// Asks for any number of several; gives which. Enter gives those that are `chosen` already.
    pub(crate) fn select_some(
        &mut self,
        question: &str,
        options: &[(String, String)],
        chosen: &[usize],
    ) -> Result<Vec<usize>, CommandError> {
        let chosen = (0..options.len()).map(|at| chosen.contains(&at)).collect();
        self.menu(question, menu(options, 0, Pick::Some(chosen)))
    }

    /// Asks yes or no.
    pub(crate) fn confirm(&mut self, question: &str, lean: Lean) -> Result<bool, CommandError> {
        let (hint, default) = if lean == Lean::Yes { ("[Y/n]", 0) } else { ("[y/N]", 1) };
        let ways = [Way('y', "yes"), Way('n', "no")];
        Ok(self.key((question, hint), &ways, default)? == 0)
    }

    /// Asks for one of a few ways to continue, each a key; gives which. Enter gives the first.
    pub(crate) fn choose(&mut self, question: &str, ways: &[Way]) -> Result<usize, CommandError> {
        let key = |(at, Way(key, name)): (usize, &Way)| match at {
            0 => format!("Enter {name}"),
            _ => format!("{key} {name}"),
        };
        let keys: Vec<String> = ways.iter().enumerate().map(key).collect();
        self.key((question, &format!("[{}]", keys.join(" · "))), ways, 0)
    }

    fn key(
        &mut self,
        asked: (&str, &str),
        ways: &[Way],
        default: usize,
    ) -> Result<usize, CommandError> {
        if self.screen.live {
            self.live().key_of(asked, ways, default)
        } else {
            self.lines().key_of(asked, ways, default)
        }
    }

    fn menu(&mut self, question: &str, menu: Menu) -> Result<Vec<usize>, CommandError> {
        if self.screen.live {
            self.live().menu(question, menu)
        } else {
            self.lines().menu(question, &menu)
        }
    }

    fn live(&mut self) -> Live<'_> {
        Live { terminal: &mut self.terminal, screen: &self.screen }
    }

    fn lines(&mut self) -> PlainLines<'_> {
        PlainLines { terminal: &mut self.terminal, screen: &self.screen }
    }
}

fn menu(options: &[(String, String)], at: usize, pick: Pick) -> Menu {
    Menu { choices: options.to_vec(), at: at.min(options.len().saturating_sub(1)), pick }
}
