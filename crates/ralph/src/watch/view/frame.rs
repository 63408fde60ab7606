//! Where everything is: the header, what needs a person, list and pane beside or instead of each other, the footer.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{asks, cost, diff, footer, gates, header, list, prompt, proof, stream, time};
use crate::{
    reporters::line::{Line, Tone},
    watch::{
        model::{Focus, LongLines, Model, PANES, Pane},
        paint,
    },
};

/// Columns of the list where the pane is beside it.
const LIST: u16 = 41;
/// From so many columns on, list and pane are beside each other.
const WIDE: u16 = 100;
/// The smallest screen that is drawn on.
const LEAST: (u16, u16) = (40, 10);

/// Draws the whole screen.
pub(crate) fn draw(model: &Model, buffer: &mut Buffer) {
    let area = buffer.area;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("too small: {}x{} is the least", LEAST.0, LEAST.1);
        model.brush.line(buffer, area, &Line::new().plain(text));
        return;
    }
    let row = |nth: u16| Rect { y: area.y + nth, height: 1, ..area };
    let columns = usize::from(area.width);
    model.brush.line(buffer, row(0), &header::line(model, columns));
    model.brush.line(buffer, row(1), &header::notice(model, columns));
    model.brush.line(buffer, row(area.height - 2), &footer::doing(model, columns));
    model.brush.line(buffer, row(area.height - 1), &footer::keys(model, columns));
    let (left, right) = areas(model, area);
    if let Some(left) = left {
        list::draw(model, buffer, left);
        if right.is_some() {
            let rule = Rect { x: left.right(), width: 1, ..left };
            let line = Line::new().dim("│");
            model.brush.lines(buffer, rule, &vec![line; usize::from(rule.height)]);
        }
    }
    if let Some(right) = right {
        pane(model, buffer, right);
    }
    if let Some(asked) = &model.prompt {
        prompt::draw(model, asked, buffer);
    }
}

/// Where the list and the pane are; on a narrow screen only one of them is.
fn areas(model: &Model, area: Rect) -> (Option<Rect>, Option<Rect>) {
    let body = Rect { y: area.y + 2, height: area.height.saturating_sub(4), ..area };
    if area.width >= WIDE && !model.is_zoomed {
        let left = Rect { width: LIST, ..body };
        let right = Rect { x: body.x + LIST + 1, width: body.width - LIST - 1, ..body };
        (Some(left), Some(right))
    } else if model.focus == Focus::List {
        (Some(body), None)
    } else {
        (None, Some(body))
    }
}

/// Columns and rows that the pane's lines have on a screen of a size.
pub(crate) fn pane_room(model: &Model, (width, height): (u16, u16)) -> (usize, usize) {
    let area = Rect { x: 0, y: 0, width, height };
    let pane = areas(model, area).1.unwrap_or(area);
    // The names of the panes, and over a stream its title.
    let above = if model.pane == Pane::Stream { 2 } else { 1 };
    (usize::from(pane.width), usize::from(pane.height.saturating_sub(above)))
}

/// What is at a place of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Under {
    /// The list, and the position of the task there.
    List { task: Option<usize> },
    /// The pane; of a stream, which line is there and on which row of it.
    Pane { line: Option<usize>, row: usize },
}

/// What is at a column and a row; nothing outside list and pane.
pub(crate) fn under(
    model: &Model,
    (column, row): (u16, u16),
    (width, height): (u16, u16),
) -> Option<Under> {
    let (left, right) = areas(model, Rect { x: 0, y: 0, width, height });
    let place = Position { x: column, y: row };
    if let Some(area) = left.filter(|area| area.contains(place)) {
        let top = list::top(model, usize::from(area.height) - 1);
        let nth = usize::from(row - area.y).checked_sub(1);
        let task = nth.and_then(|nth| model.rows.get(top + nth).copied());
        return Some(Under::List { task });
    }
    let area = right.filter(|area| area.contains(place))?;
    let Some(row) = usize::from(row - area.y).checked_sub(2) else {
        return Some(Under::Pane { line: None, row: 0 });
    };
    let (lines, height) = (model.keys.len(), pane_room(model, (width, height)).1);
    let first = match model.pick {
        Some(pick) => top(model.row_of(pick), pick.row, (lines, height)),
        None => lines.saturating_sub(height),
    };
    Some(Under::Pane { line: Some(first + row).filter(|line| *line < lines), row })
}

/// The first of so many lines that a pane of a height shows, if one of them is to be on a row of it.
pub(crate) fn top(at: usize, row: usize, (lines, height): (usize, usize)) -> usize {
    at.saturating_sub(row).min(lines.saturating_sub(height)).max((at + 1).saturating_sub(height))
}

/// All lines of the shown pane.
pub(crate) fn pane_lines(model: &Model, columns: usize) -> Vec<Line> {
    let lines = match model.pane {
        Pane::Stream => stream::rows(model, columns).into_iter().map(|(_, line)| line).collect(),
        Pane::Gates => gates::lines(model, columns),
        Pane::Diff => diff::lines(model),
        Pane::Proof => proof::lines(model, columns),
        Pane::Time => time::lines(model, columns),
        Pane::Cost => cost::lines(model, columns),
        Pane::Asks => asks::lines(model, columns),
    };
    if model.long_lines == LongLines::Cut || model.pane == Pane::Stream {
        return lines;
    }
    lines.iter().flat_map(|line| line.broken(model.brush.look, columns)).collect()
}

fn pane(model: &Model, buffer: &mut Buffer, area: Rect) {
    model.brush.line(buffer, area, &tabs(model, area.width));
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    if model.pane == Pane::Stream {
        streamed(model, buffer, body);
        return;
    }
    let columns = usize::from(body.width);
    let lines = pane_lines(model, columns);
    let height = usize::from(body.height);
    let most = lines.len().saturating_sub(height);
    let chosen = if model.pane == Pane::Asks { asks::chosen(model, columns) } else { 0 };
    let top = (chosen + model.scroll).min(most);
    let end = (top + height).min(lines.len());
    model.brush.lines(buffer, body, lines.get(top..end).unwrap_or_default());
}

/// A stream is read from its end, unless a row of it is chosen.
fn streamed(model: &Model, buffer: &mut Buffer, area: Rect) {
    model.brush.line(buffer, area, &stream::title(model));
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let rows = stream::rows(model, usize::from(body.width));
    let height = usize::from(body.height);
    let at = |key| rows.partition_point(|(one, _)| *one <= key).saturating_sub(1);
    let chosen = model.pick.map(|pick| (at(pick.key), pick.row));
    let top = chosen
        .map_or(rows.len().saturating_sub(height), |(at, row)| top(at, row, (rows.len(), height)));
    for ((nth, (_, line)), row) in rows.iter().enumerate().skip(top).zip(body.rows()) {
        model.brush.line(buffer, row, line);
        if chosen.is_some_and(|(at, _)| at == nth) && model.focus == Focus::Pane {
            paint::choose(buffer, row);
        }
    }
}

/// `1 Stream 2 Gates …`, the shown one marked.
fn tabs(model: &Model, columns: u16) -> Line {
    let mut line = Line::new();
    for (nth, (pane, word)) in PANES.iter().enumerate() {
        let is_shown = *pane == model.pane;
        let mark = if *pane == Pane::Asks && model.asks() != (0, 0) { "!" } else { "" };
        let text = match (is_shown, columns < 68) {
            (true, _) => format!("[{} {word}{mark}]", nth + 1),
            (false, true) => format!(" {}{mark} ", nth + 1),
            (false, false) => format!(" {} {word}{mark} ", nth + 1),
        };
        line = line.add(if is_shown { Tone::Bold } else { Tone::Dim }, text);
    }
    line
}
