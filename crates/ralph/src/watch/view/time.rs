//! Where the time went: a row for each task, letters for what was done.

use std::collections::BTreeMap;

use ralph_core::{
    ids::TaskId,
    time::{Millis, Timestamp},
    timeline::Iteration,
};

use crate::{
    reporters::{
        clock,
        line::{Line, Tone},
        plain, width,
    },
    watch::model::Model,
};

/// Columns of a task's name.
const NAME: usize = 8;
/// Shorter runs are shown with seconds.
const SHORT: Millis = Millis(600_000);
/// Most rows of tasks.
const MOST: usize = 200;

/// The pane's lines.
pub(super) fn lines(model: &Model, columns: usize) -> Vec<Line> {
    let history = &model.timeline.history;
    let legend = Line::new().dim("i work  r review  f fix  g gates  w wait  X rejected  > now");
    let Some(first) = history.newest.front() else {
        return vec![legend, Line::new().dim("  nothing has run yet")];
    };
    let end = model.until();
    let room = columns.saturating_sub(NAME + 1).max(10);
    let scale = Scale { from: first.began, length: end.since(first.began), room };
    let mut rows: BTreeMap<&TaskId, Vec<char>> = BTreeMap::new();
    let mut order: Vec<&TaskId> = Vec::new();
    for one in &history.newest {
        let row = rows.entry(&one.task).or_insert_with(|| {
            order.push(&one.task);
            vec![' '; room]
        });
        draw(one, row, &scale, end);
    }
    for wait in &history.waits {
        let (from, to) = scale.span(wait.began, wait.ended.unwrap_or(end));
        for row in rows.values_mut() {
            let cells = row.get_mut(from..to).unwrap_or_default();
            cells.iter_mut().filter(|cell| **cell != ' ').for_each(|cell| *cell = 'w');
        }
    }
    let mut lines = vec![legend, axis(model, &scale)];
    for task in order.iter().rev().take(MOST).rev() {
        let name = plain::cut(&plain::one_line(task.as_str()), NAME);
        let pad = " ".repeat(NAME + 1 - width::of(&name).min(NAME));
        let row: String = rows.get(task).into_iter().flatten().collect();
        lines.push(colours(Line::new().plain(name).plain(pad), row.trim_end()));
    }
    if history.older.count > 0 {
        let text =
            format!("  and {} iterations before, {}", history.older.count, history.older.agent_ms);
        lines.push(Line::new().dim(text));
    }
    lines
}

/// From moments to columns.
struct Scale {
    from: Timestamp,
    length: Millis,
    room: usize,
}

impl Scale {
    fn column(&self, at: Timestamp) -> usize {
        let part = u128::from(at.since(self.from).0) * self.room as u128;
        let column = part / u128::from(self.length.0.max(1));
        usize::try_from(column).unwrap_or(usize::MAX).min(self.room - 1)
    }

    /// At least one column.
    fn span(&self, from: Timestamp, to: Timestamp) -> (usize, usize) {
        let from = self.column(from);
        (from, self.column(to).max(from) + 1)
    }
}

fn draw(one: &Iteration, row: &mut [char], scale: &Scale, end: Timestamp) {
    let letter = match one.kind {
        "review" => 'r',
        "fix" => 'f',
        _ => 'i',
    };
    let (from, to) = scale.span(one.began, one.ended.unwrap_or(end));
    let gates = one.gate_ms.0;
    let all = one.agent_ms.0.saturating_add(gates);
    for (nth, at) in (from..to).enumerate() {
        // Gates come last in an iteration.
        let part = (nth as u64 + 1).saturating_mul(all.max(1)) / (to - from) as u64;
        let is_gate = gates > 0 && part > one.agent_ms.0 && nth > 0;
        // The end of the iteration before it stays to be seen.
        let is_taken = |cell: &char| *cell == 'X' && nth == 0 && to - from > 1;
        if let Some(cell) = row.get_mut(at).filter(|cell| !is_taken(cell)) {
            *cell = if is_gate { 'g' } else { letter };
        }
    }
    if let Some(last) = row.get_mut(to - 1) {
        match (one.verdict, one.ended) {
            (Some("rejected" | "changes_requested"), _) => *last = 'X',
            (_, None) => *last = '>',
            _ => {}
        }
    }
}

fn axis(model: &Model, scale: &Scale) -> Line {
    let zone = model.zone.clone().unwrap_or(jiff::tz::TimeZone::UTC);
    let mut text = " ".repeat(NAME + 1);
    let step = (scale.room / 4).max(10);
    let is_short = scale.length.0 < SHORT.0;
    for column in (0..scale.room.saturating_sub(7)).step_by(step) {
        let at = u128::from(scale.length.0) * column as u128 / scale.room.max(1) as u128;
        let at = scale.from.plus(Millis(u64::try_from(at).unwrap_or_default()));
        let shown = clock::seconds(at, &zone);
        let pad = (NAME + 1 + column).saturating_sub(text.chars().count());
        text.push_str(&" ".repeat(pad));
        text.push_str(shown.get(..5).filter(|_| !is_short).unwrap_or(&shown));
    }
    Line::new().dim(text)
}

fn colours(line: Line, row: &str) -> Line {
    let tone = |c: char| match c {
        'X' => Tone::Bad,
        'w' => Tone::Dim,
        'r' => Tone::Accent,
        'g' => Tone::Good,
        _ => Tone::Plain,
    };
    let chars: Vec<char> = row.chars().collect();
    chars.chunk_by(|a, b| tone(*a) == tone(*b)).fold(line, |line, part| {
        line.add(part.first().map_or(Tone::Plain, |c| tone(*c)), part.iter().collect::<String>())
    })
}
