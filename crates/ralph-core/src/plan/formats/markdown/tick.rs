//! Boxes: ticked in place where tasks are done, every other byte left alone; and read as plain sentences.

use super::{
    super::{FormatError, WrittenBack, status_changes::StatusChanges},
    inline, line,
    task::{BoxAt, Found},
    walk,
};
use crate::plan::{Plan, Status};

/// Ticks the boxes of tasks that are done, and opens those of tasks that are not.
pub(super) fn write_back(text: &str, plan: &Plan) -> Result<WrittenBack, FormatError> {
    let found = walk::read(text)?.found;
    let before = walk::read(text)?.into_plan()?;
    let mut changes = StatusChanges::of(plan, &before);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // A byte order mark is not part of the first line that was read.
    let shift = text.len() - text.trim_start_matches('\u{feff}').len();
    for (found, task) in found.iter().zip(&before.tasks) {
        let was_done = task.status == Status::Done;
        let Some(status) = changes.status(task) else { continue };
        let is_done = status == Status::Done;
        if is_done == was_done {
            continue;
        }
        let boxes = boxes(found, is_done);
        if boxes.is_empty() {
            changes.missing(task);
            continue;
        }
        for at in boxes {
            let offset = if at.line == 0 { shift } else { 0 };
            set(&mut lines, at, offset, if is_done { 'x' } else { ' ' });
        }
        changes.changed(task);
    }
    Ok(changes.finish(lines.concat()))
}

/// Its own box, and those of its criteria: done means all of them, not done says nothing about each.
fn boxes(found: &Found, is_done: bool) -> Vec<BoxAt> {
    match found.own_box {
        Some(own) if !is_done => vec![own],
        own => own.into_iter().chain(found.boxes.iter().copied()).collect(),
    }
}

fn set(lines: &mut [String], at: BoxAt, shift: usize, mark: char) {
    let from = at.tick.at + shift;
    let to = from + at.tick.mark.len_utf8();
    if let Some(line) = lines.get_mut(at.line)
        && line.get(from..to).is_some_and(|now| now.starts_with(at.tick.mark))
    {
        line.replace_range(from..to, mark.encode_utf8(&mut [0; 4]));
    }
}

/// The sentences of all boxes in a text; none of them is taken for a command.
pub(in super::super) fn checklist(text: &str) -> Vec<String> {
    let items = line::outside_code(text.lines()).filter_map(line::item);
    let boxes = items.filter(|item| item.tick.is_some());
    let mut sentences: Vec<String> = boxes.map(|item| inline::unescape(item.content)).collect();
    sentences.retain(|sentence| !sentence.trim().is_empty());
    sentences
}
