//! The last two rows: what happens right now, and the keys.

use ralph_agents::live_event::Said;

use crate::{
    reporters::{
        cells::{Cell, fit},
        clock,
        line::{Line, Tone},
    },
    watch::model::{Focus, Life, Model},
};

/// What the agent or the gates do now.
pub(super) fn doing(model: &Model, columns: usize) -> Line {
    let timeline = &model.timeline;
    if model.life != Life::Going {
        return Line::new();
    }
    let counts = timeline.counts;
    let mut cells = Vec::new();
    if counts.total > 0 {
        let text = format!("  {}/{}", counts.satisfied(), counts.total);
        cells.push(Cell::ranked(2, Line::new().plain(text)));
    }
    let took = clock::running(timeline.took(model.now));
    cells.push(Cell::ranked(3, Line::new().plain(format!("  {took}"))));
    if let Some(current) = &timeline.current {
        cells.push(Cell::ranked(1, Line::new().dim(format!("  {}", current.start.task))));
    }
    if timeline.state().is_some_and(|state| state.stop.is_some()) {
        cells.push(Cell::kept(Line::new().add(Tone::Warn, "  stopping")));
    } else if timeline.is_to_pause() {
        cells.push(Cell::kept(Line::new().add(Tone::Warn, "  pausing")));
    }
    if let Some((_, why)) = &timeline.waiting {
        cells.push(Cell::open(Line::new().add(Tone::Warn, format!("  {why}"))));
    } else if let Some(line) = activity(model) {
        cells.push(Cell::open(line));
    }
    fit(cells, model.brush.look, Some(columns))
}

fn activity(model: &Model) -> Option<Line> {
    if !model.is_live() {
        return None;
    }
    let running = model.shown.gates.last().and_then(|(at, said)| match said {
        Said::GateStarted { gate } | Said::GateRunsAgain { gate, .. } => Some((gate, at)),
        _ => None,
    });
    if let Some((gate, at)) = running {
        let took = clock::running(model.now.since(*at));
        return Some(Line::new().plain(format!("  gate {gate} {took}")));
    }
    let tool = model.shown.stream.running()?;
    let since = clock::running(model.now.since(tool.began));
    let line = Line::new().plain(format!("  {since} ")).add(Tone::Accent, &tool.name);
    Some(line.plain(" ").dim(&tool.input))
}

/// What can be typed; hints give way, never the last one.
pub(super) fn keys(model: &Model, columns: usize) -> Line {
    let hint = |rank: u8, key: &str, what: &str| {
        Cell::ranked(rank, Line::new().add(Tone::Bold, key).dim(format!(" {what}  ")))
    };
    let mut cells = vec![hint(3, "j/k", "move")];
    match model.focus {
        Focus::List => cells.push(hint(2, "Enter", "open")),
        Focus::Pane => cells.push(hint(2, "Esc", "list")),
    }
    cells.push(hint(6, "Tab", "pane"));
    cells.push(hint(7, "/", "search"));
    cells.push(hint(4, "a", if model.asks() == (0, 0) { "asks" } else { "asks!" }));
    if model.life == Life::Going {
        cells.push(hint(5, "s", "steer"));
        cells.push(hint(5, "p", "pause"));
        cells.push(hint(5, "x", "stop"));
    }
    cells.push(hint(1, "q", "leave"));
    cells.push(Cell::kept(Line::new().add(Tone::Bold, "?").dim(" keys")));
    fit(cells, model.brush.look, Some(columns))
}
