//! From what a program wrote and when to the screens that somebody would have seen.

use std::time::Duration;

use vt100::{Parser, Screen};

use crate::pty::{Piece, Size};

/// Shorter ones nobody sees.
const LEAST: Duration = Duration::from_millis(120);
/// A screen on which nothing happens is shown no longer.
const MOST: Duration = Duration::from_millis(1_400);
/// The last one is what is to be read.
const LAST: Duration = Duration::from_secs(6);

/// A screen and how long it is seen.
pub struct Frame {
    pub screen: Screen,
    pub lasts: Duration,
}

/// The screens of a recording, each one other than the one before it.
pub fn frames(recording: &[Piece], Size(columns, rows): Size) -> Vec<Frame> {
    let mut parser = Parser::new(rows, columns, 0);
    let mut frames: Vec<Frame> = Vec::new();
    let mut since = Duration::ZERO;
    for (number, piece) in recording.iter().enumerate() {
        parser.process(&piece.bytes);
        let next = recording.get(number + 1).map_or(piece.at + LAST, |next| next.at);
        let screen = parser.screen();
        if next.saturating_sub(since) < LEAST {
            continue;
        }
        let lasts =
            next.saturating_sub(since).min(if next == piece.at + LAST { LAST } else { MOST });
        since = next;
        match frames.last_mut() {
            Some(last) if last.screen.contents_formatted() == screen.contents_formatted() => {
                last.lasts = (last.lasts + lasts).min(MOST.max(lasts));
            }
            _ => frames.push(Frame { screen: screen.clone(), lasts }),
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(milliseconds: u64, text: &str) -> Piece {
        Piece { at: Duration::from_millis(milliseconds), bytes: text.into() }
    }

    #[test]
    fn pieces_of_one_moment_are_one_screen_and_long_waits_are_cut() {
        let recording = [
            piece(0, "$ ralph"),
            piece(10, " run"),
            piece(500, "\r\nworking"),
            piece(60_000, "\r\ndone"),
        ];
        let frames = frames(&recording, Size(20, 5));
        let shown: Vec<(String, Duration)> =
            frames.iter().map(|frame| (frame.screen.contents(), frame.lasts)).collect();
        assert_eq!(
            shown,
            [
                ("$ ralph run".to_owned(), Duration::from_millis(500)),
                ("$ ralph run\nworking".to_owned(), MOST),
                ("$ ralph run\nworking\ndone".to_owned(), LAST),
            ]
        );
    }
}
