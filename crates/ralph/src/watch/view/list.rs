//! The tasks: a row each, only those in sight.

use ralph_core::{ids::TaskId, plan::Status, report::TaskLine, timeline::proved};
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    reporters::{
        budget, clock,
        line::{Line, Tone},
        plain, task_entry, width,
    },
    watch::{
        model::{Focus, Life, Model},
        paint,
    },
    words,
};

/// Draws the list.
pub(super) fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let count = words::count(model.rows.len() as u64, "task");
    let title = format!(" {count}  {}  {}", model.filter.word(), model.order.word());
    model.brush.line(buffer, area, &Line::new().dim(title));
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let top = top(model, usize::from(body.height));
    for (task, row) in model.rows.iter().skip(top).zip(body.rows()) {
        model.brush.line(buffer, row, &line(model, *task, usize::from(row.width)));
        if *task == model.chosen && model.focus == Focus::List {
            paint::choose(buffer, row);
        }
    }
}

/// The first row of the list that is shown.
pub(super) fn top(model: &Model, height: usize) -> usize {
    let at = model.rows.iter().position(|row| *row == model.chosen).unwrap_or_default();
    at.saturating_sub(height / 2).min(model.rows.len().saturating_sub(height))
}

/// ` ✓ T-001 scaffold   3/3  $0.41`.
fn line(model: &Model, at: usize, columns: usize) -> Line {
    let Some(task) = model.state().and_then(|state| TaskLine::at(state, at)) else {
        return Line::new();
    };
    let is_current = model.state().and_then(|state| state.current) == Some(at);
    let mark = if at == model.chosen { ">" } else { " " };
    let lead = Line::new()
        .add(Tone::Bold, mark)
        .sign(task_entry::sign(task.status, model.life != Life::Going))
        .plain(" ")
        .add(if is_current { Tone::Bold } else { Tone::Plain }, format!("{} ", task.id));
    let cell = cell(model, at, &task);
    let look = model.brush.look;
    let room = columns.saturating_sub(lead.width(look) + cell.width(look) + 1);
    let title = plain::cut(&plain::one_line(&task.title), room);
    let pad = room.saturating_sub(width::of(&title));
    lead.add(if is_current { Tone::Bold } else { Tone::Plain }, title)
        .plain(" ".repeat(pad + 1))
        .join(cell)
}

/// What is most worth knowing of a task in one cell.
fn cell(model: &Model, at: usize, task: &TaskLine) -> Line {
    let Some(state) = model.state() else { return Line::new() };
    let detail = state.detail(at);
    let spent = detail
        .map(|detail| budget::money(&detail.usage))
        .filter(|_| detail.is_some_and(|detail| detail.usage.known_cost().is_some()));
    match task.status {
        Status::Done => {
            let proof = detail.map_or(0, proved);
            let all = state.task(at).map_or(0, |task| task.acceptance_criteria.len());
            let mut line = Line::new();
            if !task.labels.is_empty() {
                line = line.add(Tone::Warn, "! ");
            }
            if all > 0 && detail.is_some() {
                line = line.dim(format!("{proof}/{all}"));
            }
            line.dim(spent.map(|spent| format!("  {spent}")).unwrap_or_default())
        }
        Status::Failed => {
            let tries = words::count(task.attempts.into(), "attempt");
            Line::new().add(Tone::Bad, tries)
        }
        Status::Parked => Line::new().add(Tone::Warn, "asks you"),
        Status::Skipped => Line::new().dim("skipped"),
        Status::InProgress | Status::NeedsReview | Status::ChangesRequested => {
            under_way(model, at, task)
        }
        Status::Pending => {
            let open =
                |id: &&TaskId| state.position(id).is_some_and(|on| !model.status(on).satisfies());
            let on = state.task(at).and_then(|task| task.depends_on.iter().find(open));
            Line::new().dim(on.map(|on| format!("on {on}")).unwrap_or_default())
        }
    }
}

fn under_way(model: &Model, at: usize, task: &TaskLine) -> Line {
    let current = model.timeline.current.as_ref();
    let is_current = model.state().and_then(|state| state.current) == Some(at);
    if is_current && model.life != Life::Going {
        return Line::new().dim("interrupted");
    }
    match current.filter(|_| is_current) {
        Some(current) => {
            let (nth, of) = (current.start.attempt, current.start.max_attempts);
            let took = clock::running(model.now.since(current.at));
            Line::new().plain(format!("{nth}/{of}")).dim(format!("  {took}"))
        }
        None => Line::new().dim(task.status.word().replace('_', " ")),
    }
}
