//! A pseudo-terminal with a program on it: a test types, waits for what is said, and looks at the screen.
//!
//! The program becomes the leader of a session of its own (`setsid --ctty`), so that Ctrl-C and a hang-up reach it.

mod screen;
mod terminal;

pub use terminal::{Piece, Pty, Size};
