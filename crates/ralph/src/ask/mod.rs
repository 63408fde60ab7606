//! Questions on a terminal: text, one of several, some of several, one key. The only way ralph asks.
//!
//! Draws on stderr, reads stdin, leaves the terminal as it was however it ends. Off a terminal there is no
//! [`Asker`]: whoever wants to ask must name a flag instead.

mod asker;
mod editor;
mod frame;
mod keys;
mod live;
mod menu;
mod plain_lines;
mod question;
mod terminal;

pub(crate) use asker::Asker;
pub(crate) use editor::Editor;
pub(crate) use keys::Key;
pub(crate) use question::{Lean, Text, Way};
