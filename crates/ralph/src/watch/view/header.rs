//! The first two rows: how the run is, and what needs a person.

use ralph_core::{agent_facts::short_name, input::Wish, time::Millis};

use crate::{
    cli::task::ask,
    reporters::{
        budget,
        cells::{Cell, fit},
        clock,
        console::next_command,
        line::{Line, Sign, Tone},
    },
    watch::model::{Life, Model, Proved},
    words,
};

const BAR: usize = 12;

/// `demo 261115-… ▶ going 1h12m  4/12 ━━━╸────  $6.88 of $20  claude:opus`.
pub(super) fn line(model: &Model, columns: usize) -> Line {
    let timeline = &model.timeline;
    let name = Line::new().add(Tone::Bold, &model.project).plain(" ");
    let mut cells = vec![
        Cell::kept(name),
        Cell::ranked(4, Line::new().dim(format!("{} ", model.run))),
        Cell::kept(state(model)),
    ];
    if let Some(left) = timeline.time_left(model.now).filter(|_| model.life == Life::Going) {
        cells.push(Cell::ranked(7, Line::new().dim(format!(", about {left} left"))));
    }
    let counts = timeline.counts;
    if counts.total > 0 {
        let text = format!("  {}/{}", counts.satisfied(), counts.total);
        cells.push(Cell::kept(Line::new().add(Tone::Bold, text)));
        cells.push(Cell::ranked(5, bar(counts.satisfied(), counts.total)));
    }
    if let Some(money) = budget::of_run(timeline).money(&timeline.usage()) {
        cells.push(Cell::ranked(1, Line::new().plain(format!("  {money}"))));
    }
    if let Some(current) = timeline.current.as_ref().filter(|_| model.life == Life::Going) {
        let agent = short_name(&current.start.agent);
        let model = &current.start.model;
        let who = if model.is_empty() { agent } else { format!("{agent}:{model}") };
        cells.push(Cell::ranked(6, Line::new().dim(format!("  {who}"))));
    }
    cells.extend(tabs(model).map(Cell::kept));
    fit(cells, model.brush.look, Some(columns))
}

/// `[1]2!`: the watched folders, and those where something waits.
fn tabs(model: &Model) -> Option<Line> {
    let line = Line::new().plain("  ");
    (model.tabs.len() > 1).then(|| {
        model.tabs.iter().enumerate().fold(line, |line, (nth, needs_you)| {
            let number = nth + 1;
            let text = if nth == model.tab { format!("[{number}]") } else { number.to_string() };
            let line = line.add(Tone::Bold, text);
            if *needs_you { line.add(Tone::Warn, "!") } else { line }
        })
    })
}

fn state(model: &Model) -> Line {
    let timeline = &model.timeline;
    let took = clock::running(timeline.took(model.until()));
    let pause = timeline.paused_since().map(|since| model.now.since(since));
    match (model.life, pause, &timeline.waiting) {
        (Life::Gone, ..) => Line::signed(Sign::Bad).add(Tone::Bad, "gone"),
        (Life::Ended, ..) => Line::signed(Sign::Neutral).plain(format!("ended {took}")),
        (_, Some(pause), _) => {
            let pause = clock::running(pause);
            Line::signed(Sign::Waiting).add(Tone::Warn, format!("paused {pause}"))
        }
        (_, _, Some((until, _))) => {
            let left = clock::running(Millis(until.since(model.now).0));
            Line::signed(Sign::Waiting).add(Tone::Warn, format!("waits, {left} left"))
        }
        _ => Line::signed(Sign::Going).add(Tone::Accent, format!("going {took}")),
    }
}

fn bar(done: usize, total: usize) -> Line {
    let filled = BAR * done / total.max(1);
    let edge = if filled < BAR && done > 0 { "╸" } else { "" };
    let rest = BAR - filled - edge.chars().count();
    let full = format!(" {}{edge}", "━".repeat(filled));
    Line::new().add(Tone::Good, full).dim("─".repeat(rest))
}

/// How the run ended, and what to type next.
fn ended(model: &Model, columns: usize) -> Line {
    let timeline = &model.timeline;
    let Some((state, outcome)) = timeline.state().and_then(|state| Some((state, state.outcome()?)))
    else {
        return Line::new();
    };
    let code = state.start.exit_code(outcome);
    let sign = if code == 0 { Sign::Ok } else { Sign::Bad };
    let how = Line::signed(sign).plain(format!("exit {code}: {}", timeline.describe(outcome)));
    let mut cells = vec![Cell::kept(how)];
    let Proved { verified, done } = model.proved.unwrap_or_default();
    if verified < done {
        let weaker = format!("  {verified} of {done} done with full proof");
        cells.push(Cell::ranked(2, Line::new().add(Tone::Warn, weaker)));
    }
    if let Some(next) = next_command(outcome, timeline) {
        let next = Line::new().add(Tone::Accent, "  next: ").add(Tone::Bold, next);
        cells.push(Cell::ranked(1, next));
    }
    fit(cells, model.brush.look, Some(columns))
}

/// What a person should know before everything else.
pub(super) fn notice(model: &Model, columns: usize) -> Line {
    if let Some(note) = &model.note {
        return Line::new().plain(note);
    }
    if !model.sent.is_empty() {
        return sent(model);
    }
    if let Some(host) = model.elsewhere.as_ref().filter(|_| model.life == Life::Going) {
        return Line::signed(Sign::Warning)
            .add(Tone::Warn, format!("on {host}, cannot be checked from here"));
    }
    let timeline = &model.timeline;
    match model.life {
        Life::Gone => {
            let zone = model.zone.clone().unwrap_or(jiff::tz::TimeZone::UTC);
            let since = clock::seconds(timeline.last(), &zone);
            let gone = Line::signed(Sign::Bad).add(Tone::Bad, format!("gone since {since}"));
            let why = Line::new().plain(": no end was written, its process is dead");
            let next = Line::new().add(Tone::Bold, "  next: ralph resume");
            let cells = vec![Cell::kept(gone), Cell::ranked(1, why), Cell::kept(next)];
            return fit(cells, model.brush.look, Some(columns));
        }
        Life::Ended => return ended(model, columns),
        Life::Going => {}
    }
    let (questions, proposals) = model.asks();
    let mut parts = Vec::new();
    if questions > 0 {
        parts.push(words::count(questions as u64, "question"));
    }
    if proposals > 0 {
        parts.push(words::count(proposals as u64, "proposal"));
    }
    if parts.is_empty() {
        return Line::new();
    }
    let verb = if questions + proposals == 1 { "waits" } else { "wait" };
    let text = format!("{} {verb} for you", words::list(&parts));
    Line::signed(Sign::Warning).add(Tone::Warn, format!("{text}: a"))
}

/// What people asked for, until the run has taken it.
fn sent(model: &Model) -> Line {
    let words = |wish: &Wish| match wish {
        Wish::Stop => "stop after this iteration".to_owned(),
        Wish::StopNow => "stop now".to_owned(),
        Wish::Pause { .. } => "pause".to_owned(),
        Wish::Resume => "continue".to_owned(),
        Wish::Steer { task: Some(task), text, .. } => format!("steer {task}: {text}"),
        Wish::Steer { task: None, text, .. } => format!("steer: {text}"),
        Wish::Task { change } => ask::words(change),
    };
    let all: Vec<String> = model.sent.iter().map(words).collect();
    let is_taken = model.life == Life::Going || model.elsewhere.is_some();
    let until = if is_taken { "" } else { "  until ralph resume takes it" };
    Line::new().add(Tone::Accent, "~ sent: ").plain(all.join(", ")).dim(until)
}
