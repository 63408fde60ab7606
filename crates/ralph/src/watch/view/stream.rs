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
        model::Model,
        stream::{Item, Tool},
    },
    words,
};

/// Lines of a call's output that are shown below it.
const OUTPUT: usize = 10;
/// Columns that the end of a call's row takes.
const CELL: usize = 22;

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let mut lines = vec![title::of_try(model)];
    let stream = &model.shown.stream;
    if stream.is_cut {
        lines.push(Line::new().dim("  (earlier events are in the log: ralph logs)"));
    }
    let items: Vec<&Item> = stream.items.iter().collect();
    for group in items.chunk_by(|one, next| fold(one, next)) {
        match group {
            [Item::Tool(tool), _, ..] => {
                let text = format!("{} x{}", tool.name, group.len());
                lines.push(Line::new().plain("  ").dim("▶ ").dim(text));
            }
            [one] => item(model, one, columns, &mut lines),
            _ => {}
        }
    }
    lines
}

/// Whether two calls are shown as one: the same tool, and both went well.
fn fold(one: &Item, next: &Item) -> bool {
    let is_plain =
        |tool: &Tool| !tool.is_open && tool.end.as_ref().is_some_and(|end| !end.is_error);
    match (one, next) {
        (Item::Tool(one), Item::Tool(next)) => {
            one.name == next.name && is_plain(one) && is_plain(next)
        }
        _ => false,
    }
}

fn item(model: &Model, item: &Item, columns: usize, lines: &mut Vec<Line>) {
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
        Item::Tool(tool) => call(model, tool, columns, lines),
        Item::Trouble(text) => {
            lines
                .push(Line::new().plain("  ").sign(Sign::Warning).plain(" ").add(Tone::Warn, text));
        }
        Item::Remark(text) => lines.push(Line::new().plain("  ").dim(text)),
    }
}

fn call(model: &Model, tool: &Tool, columns: usize, lines: &mut Vec<Line>) {
    let (sign, cell) = match &tool.end {
        None if model.is_live() => {
            (Sign::Waiting, Line::new().plain(clock::running(model.now.since(tool.began))))
        }
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
    let input = plain::cut(&plain::one_line(&tool.input), columns.saturating_sub(used));
    let pad = columns.saturating_sub(lead.width(look) + width::of(&input) + cell.width(look));
    lines.push(lead.plain(input).plain(" ".repeat(pad)).join(cell));
    if let Some(end) = tool.end.as_ref().filter(|_| tool.is_open) {
        let (shown, hidden) = plain::head(&end.output, OUTPUT, OUTPUT * 400);
        let quoted = shown.iter().filter(|line| !line.is_empty());
        lines.extend(quoted.map(|line| Line::new().dim("      │ ").dim(line)));
        if hidden > 0 {
            lines.push(
                Line::new().dim(format!("      ({})", words::count(hidden as u64, "more line"))),
            );
        }
    }
}
