//! The cells of a line that must fit: those of little rank are left out first.

use super::line::{Line, Look};

/// What a cell that may be cut keeps at least.
const LEAST: usize = 28;

/// One part of a line.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    line: Line,
    /// Higher ranks are left out first; 0 never.
    rank: u8,
    /// The screen's end may cut it.
    is_open: bool,
}

impl Cell {
    /// A part that is always there.
    pub(crate) fn kept(line: Line) -> Self {
        Self { line, rank: 0, is_open: false }
    }

    /// A part that gives way; the highest rank goes first.
    pub(crate) fn ranked(rank: u8, line: Line) -> Self {
        Self { line, rank, is_open: false }
    }

    /// The last part: what does not fit of it is cut.
    pub(crate) fn open(line: Line) -> Self {
        Self { line, rank: 0, is_open: true }
    }

    fn width(&self, look: Look) -> usize {
        let width = self.line.width(look);
        if self.is_open { width.min(LEAST) } else { width }
    }
}

/// The line of those cells that fit.
pub(crate) fn fit(mut cells: Vec<Cell>, look: Look, columns: Option<usize>) -> Line {
    let columns = columns.unwrap_or(usize::MAX);
    while cells.iter().map(|cell| cell.width(look)).sum::<usize>() > columns {
        let last = cells.iter().enumerate().max_by_key(|(_, cell)| cell.rank);
        let Some((at, _)) = last.filter(|(_, cell)| cell.rank > 0) else { break };
        cells.remove(at);
    }
    cells.into_iter().fold(Line::new(), |line, cell| line.join(cell.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_high_rank_give_way_and_the_open_one_is_cut() {
        let text = |text: &str| Line::new().plain(text);
        let cells = || {
            vec![
                Cell::kept(text("1/6 ")),
                Cell::ranked(2, text("bar-bar-bar ")),
                Cell::ranked(1, text("$0.93 ")),
                Cell::open(text("a long running tool call with a very long input")),
            ]
        };
        let shown = |columns| {
            let line = fit(cells(), Look::default(), Some(columns));
            line.render(Look::default(), Some(columns))
        };
        assert_eq!(
            shown(200),
            "1/6 bar-bar-bar $0.93 a long running tool call with a very long input"
        );
        assert_eq!(shown(40), "1/6 $0.93 a long running tool call with…");
        assert_eq!(shown(35), "1/6 a long running tool call with …");
        assert_eq!(shown(8), "1/6 a l…");
    }
}
