//! What the model looks like on a screen of any size. Pure: the same model gives the same cells.

mod asks;
mod cost;
mod diff;
mod footer;
mod frame;
mod gates;
mod header;
mod help;
mod list;
mod prompt;
mod proof;
mod stream;
mod time;
mod title;

pub(super) use frame::{Under, draw, pane_lines, pane_room, top, under};
pub(super) use help::COUNT as HELP_LINES;
pub(super) use stream::rows as stream_rows;
