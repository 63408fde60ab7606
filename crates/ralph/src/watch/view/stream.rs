//! What the agent does: a row for each call, the same calls in a row as one.

use ralph_core::time::Millis;

use super::title;
use crate::{
    reporters::{
        clock,
        line::{Line, Sign, Tone},
        plain, width,
    },
    watch::{
        model::{Key, LongLines, Model, Shown},
        stream::{Item, Tool},
    },
    words,
};

/// Lines of a call's output that are shown below it.
const OUTPUT: usize = 10;
/// Columns that the end of a call's row takes.
const CELL: usize = 22;

/// The pane's rows without its title, each with where it comes from.
pub(crate) fn rows(model: &Model, columns: usize) -> Vec<(Key, Line)> {
    let items: Vec<&(u64, Item)> = model.shown.part().items.iter().collect();
    let mut rows = Vec::new();
    for group in items.chunk_by(|one, next| fold(&model.shown, one, next)) {
        let Some((place, first)) = group.first() else { continue };
        let mut lines = Vec::new();
        match first {
            Item::Tool(tool) if group.len() > 1 => {
                let text = format!("{} x{}", tool.name, group.len());
                lines.push(Line::new().plain("  ").dim("▶ ").dim(text));
            }
            one => item(model, (*place, one), columns, &mut lines),
        }
        if model.long_lines == LongLines::Broken {
            let broken = |line: &Line| line.broken(model.brush.look, columns);
            lines = lines.iter().flat_map(broken).collect();
        }
        rows.extend(lines.into_iter().enumerate().map(|(nth, line)| ((*place, nth), line)));
    }
    rows
}

/// The line over them.
pub(super) fn title(model: &Model) -> Line {
    let part = model.shown.part();
    let more = match (part.is_cut, part.is_cut_below) {
        (true, true) => "  more above and below",
        (true, false) if model.pick.is_some() => "  more above",
        (false, true) => "  more below",
        _ => "",
    };
    title::of_try(model).dim(more)
}

/// Whether two calls are shown as one: the same tool, and both went well.
fn fold(shown: &Shown, (place, one): &(u64, Item), (other, next): &(u64, Item)) -> bool {
    match (one, next) {
        (Item::Tool(one), Item::Tool(next)) => {
            one.name == next.name && shown.folds(*place, one) && shown.folds(*other, next)
        }
        _ => false,
    }
}

fn item(model: &Model, (place, item): (u64, &Item), columns: usize, lines: &mut Vec<Line>) {
    match item {
        Item::Text(text) => {
            let text = plain::clean(text);
            for part in text.lines().filter(|part| !part.trim().is_empty()) {
                let room = columns.saturating_sub(2).max(10);
                let wrapped = plain::wrap(part, room, room);
                lines.extend(wrapped.into_iter().map(|part| Line::new().plain("  ").plain(part)));
            }
        }
        Item::Thinking { lines: count } => {
            let text = format!("thinking, {}", words::count(*count as u64, "line"));
            lines.push(Line::new().plain("  ").dim(text));
        }
        Item::Tool(tool) => call(model, (place, tool), columns, lines),
        Item::Trouble(text) => {
            lines
                .push(Line::new().plain("  ").sign(Sign::Warning).plain(" ").add(Tone::Warn, text));
        }
        Item::Remark(text) => lines.push(Line::new().plain("  ").dim(text)),
    }
}

fn call(model: &Model, (place, tool): (u64, &Tool), columns: usize, lines: &mut Vec<Line>) {
    let (sign, cell) = match &tool.end {
        None if model.is_live() && model.shown.past.is_none() => {
            (Sign::Waiting, Line::new().plain(clock::running(model.now.since(tool.began))))
        }
        None if model.shown.past.is_some() => (Sign::Neutral, Line::new()),
        None => (Sign::Warning, Line::new().add(Tone::Warn, "no result")),
        Some(end) => {
            let length =
                if end.took >= Millis::secs(1) { format!("{}  ", end.took) } else { String::new() };
            let line = Line::new().dim(length);
            if end.is_error {
                (Sign::Bad, line.add(Tone::Bad, "error"))
            } else if end.lines > 0 {
                (Sign::Ok, line.dim(words::count(end.lines, "line")))
            } else {
                (Sign::Ok, line.dim("ok"))
            }
        }
    };
    let lead =
        Line::new().plain("  ").sign(sign).plain(" ").add(Tone::Accent, &tool.name).plain(" ");
    let look = model.brush.look;
    let used = lead.width(look) + cell.width(look).max(CELL.min(columns / 4)) + 1;
    let input = plain::one_line(&tool.input);
    let room = if model.long_lines == LongLines::Broken {
        usize::MAX
    } else {
        columns.saturating_sub(used)
    };
    let input = plain::cut(&input, room);
    let taken = lead.width(look) + width::of(&input) + cell.width(look);
    let pad = columns.saturating_sub(taken).max(1);
    lines.push(lead.plain(input).plain(" ".repeat(pad)).join(cell));
    if let Some(end) = tool.end.as_ref().filter(|_| model.shown.is_open(place, tool)) {
        let (shown, hidden) = plain::head(&end.output, OUTPUT, OUTPUT * 400);
        let quoted = shown.iter().filter(|line| !line.is_empty());
        lines.extend(quoted.map(|line| Line::new().dim("      │ ").dim(line)));
        if hidden > 0 {
            lines.push(
                Line::new().dim(format!("      ({}: o)", words::count(hidden as u64, "more line"))),
            );
        }
    }
}
