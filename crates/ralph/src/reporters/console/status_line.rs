//! The live line at the bottom: how far, how long, how much, and what happens right now.

use ralph_core::{
    agent_facts::short_name,
    time::{Millis, Timestamp},
    timeline::Timeline,
    usage::Usage,
    vocabulary::Kind,
};

use super::{agent::AgentView, steering, wait::Wait};
use crate::reporters::{
    budget,
    cells::{Cell, fit},
    clock,
    line::{Line, Tone},
    screen::Screen,
};

const BAR: usize = 20;

/// What happens right now, beside the agent's tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct Now {
    /// A gate that runs, and since when.
    pub(crate) gate: Option<(String, Timestamp)>,
    /// A wait under way.
    pub(crate) wait: Option<Wait>,
    /// A stop was asked for.
    pub(crate) stopping: bool,
}

/// Everything the line is made of.
pub(crate) struct Moment<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) view: &'a AgentView,
    pub(crate) doing: &'a Now,
    pub(crate) screen: &'a Screen,
    pub(crate) has_keys: bool,
    pub(crate) now: Timestamp,
}

impl Moment<'_> {
    /// The line, with as much as the screen has room for.
    pub(crate) fn line(&self) -> Line {
        let columns = self.screen.columns().map(|columns| columns.saturating_sub(1));
        let mut cells = match (&self.doing.wait, self.timeline.paused_since()) {
            (_, Some(since)) => steering::cells(self.now.since(since)),
            (Some(wait), None) => wait.cells(self.now, &self.screen.zone),
            (None, None) => self.cells(),
        };
        if self.has_keys {
            let hint = Line::new().dim("  ").add(Tone::Bold, "w").dim(" watch");
            cells.insert(cells.len().saturating_sub(1), Cell::ranked(8, hint));
        }
        fit(cells, self.screen.look, columns)
    }

    fn cells(&self) -> Vec<Cell> {
        let Self { timeline, now, .. } = self;
        let counts = timeline.counts;
        let mut cells: Vec<Cell> = waiting(timeline).map(Cell::kept).into_iter().collect();
        if counts.total > 0 {
            let count = format!("  {}/{}", counts.done, counts.total);
            cells.push(Cell::kept(Line::new().add(Tone::Bold, count)));
            if counts.skipped > 0 {
                let skipped = format!("  {} skipped", counts.skipped);
                cells.push(Cell::ranked(3, Line::new().dim(skipped)));
            }
            let bar = bar(counts.satisfied(), counts.total);
            cells.push(Cell::ranked(6, Line::new().plain(" ").join(bar)));
        } else if let Some(current) = &timeline.current {
            let (nth, of) = (current.start.iteration, timeline.iterations().1);
            let text = format!("  iteration {nth}/{of}");
            cells.push(Cell::kept(Line::new().add(Tone::Bold, text)));
        }
        let caps = budget::of_run(timeline);
        let usage = self.usage();
        let plain = |text: String| Line::new().plain(format!("  {text}"));
        cells.push(Cell::ranked(2, plain(caps.time(&clock::running(timeline.took(*now))))));
        if let Some(left) = timeline.time_left(*now) {
            cells.push(Cell::ranked(7, Line::new().dim(format!("  about {left} left"))));
        }
        if let Some(money) = caps.money(&usage) {
            cells.push(Cell::ranked(1, plain(money)));
        }
        if let Some(tokens) = caps.tokens(&usage) {
            cells.push(Cell::ranked(5, plain(tokens)));
        }
        if let Some(task) = self.task() {
            cells.push(Cell::ranked(4, Line::new().dim(format!("  {task}"))));
        }
        cells.push(Cell::open(self.activity()));
        cells
    }

    /// The run's spending, with that of the call under way.
    fn usage(&self) -> Usage {
        let mut usage = self.timeline.usage();
        usage.add(self.view.spent());
        usage
    }

    /// `T-002 $0.31 of $5`, where a task is limited.
    fn task(&self) -> Option<String> {
        let current = self.timeline.current.as_ref()?;
        let task = &current.start.task;
        let under_way =
            if current.ending.is_none() { self.now.since(current.at) } else { Millis::default() };
        let used = budget::used_by_task(self.timeline, task, (self.view.spent(), under_way))?;
        Some(format!("{task} {used}"))
    }

    fn activity(&self) -> Line {
        let Self { timeline, view, doing, now, .. } = self;
        let mut line = Line::new();
        if doing.stopping {
            line = line.add(Tone::Warn, "  stopping");
        } else if timeline.is_to_pause() {
            line = line.add(Tone::Warn, "  pausing");
        }
        if let Some((gate, since)) = &doing.gate {
            return line.plain(format!("  gate {gate} {}", clock::running(now.since(*since))));
        }
        if let Some((text, until)) = view.retries().filter(|(_, until)| *until > *now) {
            let left = clock::running(until.since(*now));
            return line.add(Tone::Warn, format!("  {text}, {left} left"));
        }
        if let Some((open, others)) = view.running() {
            let took = clock::running(now.since(open.at));
            let others = if others > 0 { format!("+{others} ") } else { String::new() };
            return line
                .plain(format!("  {took} "))
                .dim(others)
                .add(Tone::Accent, &open.name)
                .plain(" ")
                .dim(&open.input);
        }
        match &timeline.current {
            Some(current) if current.ending.is_none() => {
                let start = &current.start;
                let kind = match start.kind {
                    Kind::Implement | Kind::Prompt | Kind::Plan => String::new(),
                    Kind::Fix | Kind::Review | Kind::Apply | Kind::Compact => {
                        format!("{} ", start.kind.word())
                    }
                };
                let took = clock::running(now.since(current.at));
                let agent = short_name(&start.agent);
                line.dim(format!("  {} {kind}{agent} {took}", start.task))
            }
            _ => line,
        }
    }
}

/// Whether a person is needed, before everything else.
fn waiting(timeline: &Timeline) -> Option<Line> {
    let state = timeline.state()?;
    let parked = timeline.counts.parked + state.proposals.len();
    let verb = if parked == 1 { "waits" } else { "wait" };
    (parked > 0).then(|| Line::new().add(Tone::Warn, format!("  {parked} {verb} for you")))
}

fn bar(done: usize, total: usize) -> Line {
    let filled = BAR * done / total.max(1);
    let full = "━".repeat(filled);
    let edge = if filled < BAR && done > 0 { "╸" } else { "" };
    let rest = BAR - filled - edge.chars().count();
    Line::new().add(Tone::Good, format!("{full}{edge}")).dim("─".repeat(rest))
}
