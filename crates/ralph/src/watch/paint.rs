//! Brings lines into cells. The one place where text reaches the screen: only what went through a [`Line`], which is
//! cleaned, gets here.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use super::theme::Theme;
use crate::reporters::line::{Line, Look};

/// How everything is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Brush {
    pub(super) look: Look,
    pub(super) theme: Theme,
}

impl Brush {
    /// One line at the top of an area, cut where the area ends.
    pub(super) fn line(self, buffer: &mut Buffer, area: Rect, line: &Line) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let (mut x, end) = (area.x, area.right());
        let columns = usize::from(area.width);
        for (tone, text) in line.fitting(self.look, columns) {
            if x >= end {
                break;
            }
            let style = self.theme.style(tone);
            (x, _) = buffer.set_stringn(x, area.y, text, usize::from(end - x), style);
        }
    }

    /// Lines one below the other, as many as the area has room for.
    pub(super) fn lines(self, buffer: &mut Buffer, area: Rect, lines: &[Line]) {
        for (line, row) in lines.iter().zip(area.rows()) {
            self.line(buffer, row, line);
        }
    }
}

/// Marks a row as the chosen one.
pub(super) fn choose(buffer: &mut Buffer, row: Rect) {
    let style = Style::new().add_modifier(Modifier::REVERSED);
    buffer.set_style(row.intersection(buffer.area), style);
}

/// Empties an area.
pub(super) fn empty(buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    for cell in area.positions() {
        if let Some(cell) = buffer.cell_mut(cell) {
            cell.reset();
        }
    }
}
