//! One row of a screen as SVG: runs of cells that look alike.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// Size of a cell, in the picture's units.
pub(super) const WIDTH: f32 = 8.4;
pub(super) const HEIGHT: f32 = 18.0;
/// Where letters stand in a cell.
const BASELINE: f32 = 13.5;

/// The sixteen colours of a terminal with a dark background; the first and the eighth are background and text.
const PALETTE: [&str; 16] = [
    "#16181d", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#d5d9e0",
    "#8b949e", "#ffa198", "#a5f0ad", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff",
];

/// Background and text where a program names none.
pub(super) const BACK: &str = PALETTE[0];
pub(super) const TEXT: &str = PALETTE[7];

/// How a run of cells looks.
#[derive(Clone, PartialEq, Eq)]
struct Look {
    text: String,
    back: String,
    is_bold: bool,
    is_dim: bool,
}

/// The row, drawn at the height 0; empty where nothing is seen.
pub(super) fn draw(screen: &Screen, row: u16) -> String {
    let (_, columns) = screen.size();
    let mut out = String::new();
    let mut column = 0;
    while let Some(cell) = screen.cell(row, column) {
        let look = look(cell);
        let (start, mut letters) = (column, String::new());
        while let Some(cell) = screen.cell(row, column).filter(|cell| self::look(cell) == look) {
            if !cell.is_wide_continuation() {
                letters.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            column += 1;
            if column >= columns {
                break;
            }
        }
        run(&mut out, &look, (start, column), &letters);
        if column >= columns {
            break;
        }
    }
    out
}

fn run(out: &mut String, look: &Look, (start, end): (u16, u16), letters: &str) {
    let (x, width) = (f32::from(start) * WIDTH, f32::from(end - start) * WIDTH);
    if look.back != BACK {
        let _ = write!(
            out,
            "<path fill=\"{}\" d=\"M{x:.1} 0h{width:.1}v{HEIGHT}h-{width:.1}z\"/>",
            look.back
        );
    }
    let shown = letters.trim_end();
    if shown.trim_start().is_empty() {
        return;
    }
    let skipped = u16::try_from(shown.len() - shown.trim_start().len()).unwrap_or(0);
    let (x, shown) = (x + f32::from(skipped) * WIDTH, shown.trim_start());
    let count = u16::try_from(unicode_width::UnicodeWidthStr::width(shown)).unwrap_or(u16::MAX);
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{BASELINE}\" textLength=\"{:.1}\"",
        f32::from(count) * WIDTH
    );
    if look.text != TEXT {
        let _ = write!(out, " fill=\"{}\"", look.text);
    }
    out.push_str(if look.is_bold { " font-weight=\"bold\"" } else { "" });
    out.push_str(if look.is_dim { " opacity=\".65\"" } else { "" });
    let _ = write!(out, ">{}</text>", escaped(shown));
}

fn look(cell: &Cell) -> Look {
    let (mut text, mut back) = (colour(cell.fgcolor(), TEXT), colour(cell.bgcolor(), BACK));
    if cell.inverse() {
        std::mem::swap(&mut text, &mut back);
    }
    Look { text, back, is_bold: cell.bold(), is_dim: cell.dim() }
}

fn colour(colour: Color, default: &str) -> String {
    match colour {
        Color::Default => default.to_owned(),
        Color::Idx(number @ 0..16) => PALETTE[usize::from(number)].to_owned(),
        // The cube of 6 by 6 by 6 colours, and the greys after it.
        Color::Idx(number @ 16..232) => {
            let part = |place: u8| match (number - 16) / place % 6 {
                0 => 0,
                level => 55 + 40 * level,
            };
            format!("#{:02x}{:02x}{:02x}", part(36), part(6), part(1))
        }
        Color::Idx(number) => {
            let grey = 8 + 10 * (number - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

/// Text as SVG holds it; runs of spaces stay because of the picture's style.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
