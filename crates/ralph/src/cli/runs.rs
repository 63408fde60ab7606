//! `ralph runs`: every run of this repository, the newest first, with what it still holds of the user's.

use ralph_core::{event::Source, ids::RunId, run::RunState, time::Timestamp};
use ralph_engine::{
    journal::{self, Lock},
    runs,
};
use serde::Serialize;

use crate::command_line::context::{Context, answer_json};
use crate::session::place::Place;
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        clock,
        line::{Line, Tone},
    },
    words::count,
};

/// So many are listed without `--verbose`.
const LISTED: usize = 20;

/// One run; what `--json` prints a list of.
#[derive(Debug, Serialize)]
struct View {
    id: String,
    began: Timestamp,
    /// What it worked on.
    work: String,
    /// `running`, `interrupted`, or how it ended.
    state: String,
    exit_code: Option<u8>,
    iterations: u32,
    branch: String,
    /// The ref with changes of the user's that it has not brought back.
    stash: Option<String>,
    /// `ralph resume` takes it up.
    is_resumable: bool,
}

/// Runs `ralph runs`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let place = Place::find(&context.project_dir)?;
    let running = Lock::current(&place.layout.lock()).and_then(|owner| owner.run);
    let mut all = runs::worked(&place.layout);
    all.reverse();
    let most = if context.verbose || context.json { usize::MAX } else { LISTED };
    let hidden = all.len().saturating_sub(most);
    let shown = all.iter().take(most);
    let views: Vec<View> =
        shown.filter_map(|run| view(&place, run, running.as_ref() == Some(run))).collect();
    if context.json {
        answer_json(&views)?;
        return Ok(exit::DONE);
    }
    let zone = context.stdout().zone;
    let mut block: Block = views.iter().flat_map(|view| view.lines(&zone)).collect();
    if views.is_empty() {
        block.push(Entry::text(0, Tone::Plain, "no run has worked here yet; ralph run starts one"));
    }
    if hidden > 0 {
        let more = format!("and {} more; -V shows all", count(hidden as u64, "run"));
        block.push(Entry::text(0, Tone::Dim, more));
    }
    context.answer(&block)?;
    Ok(exit::DONE)
}

/// What the journal tells; one that cannot be read is left out.
fn view(place: &Place, run: &RunId, is_running: bool) -> Option<View> {
    let layout = &place.layout;
    let state = journal::recover(&layout.journal(run)).ok()?.state;
    let outcome = state.outcome();
    let has_workspace = runs::has_workspace(layout, run);
    Some(View {
        id: run.0.clone(),
        began: state.started_at,
        work: work(&state),
        state: match outcome {
            _ if is_running => "running".into(),
            None => "interrupted".into(),
            Some(outcome) => outcome.describe(),
        },
        exit_code: outcome.map(|outcome| state.start.exit_code(outcome)),
        iterations: state.counters.iterations,
        branch: state.start.branch.clone(),
        stash: runs::stash(layout, run).filter(|_| !is_running),
        is_resumable: !is_running
            && outcome.is_none_or(|outcome| outcome.resumable() && has_workspace),
    })
}

fn work(state: &RunState) -> String {
    match &state.start.source {
        Source::Plan => state.start.plan_file.clone().unwrap_or_else(|| "the plan".into()),
        Source::Tasks { ids } => {
            ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>().join(", ")
        }
        Source::Prompt { file: Some(file), .. } => file.clone(),
        Source::Prompt { file: None, .. } | Source::Planning { .. } => "a prompt".into(),
    }
}

impl View {
    fn lines(&self, zone: &jiff::tz::TimeZone) -> Block {
        let code = self.exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default();
        let figures = [
            format!("began {}", clock::full(self.began, zone)),
            self.work.clone(),
            count(self.iterations.into(), "iteration"),
            format!("branch {}", self.branch),
        ];
        let lead = Line::new().add(Tone::Bold, &self.id).plain(" · ");
        let mut block = vec![
            Entry::led(lead, format!("{}{code}", self.state)),
            Entry::text(2, Tone::Dim, dots(&figures)),
        ];
        if let Some(stash) = &self.stash {
            let text = format!("your changes from before it wait in {stash}");
            block.push(Entry::text(2, Tone::Warn, text));
        }
        if self.is_resumable {
            block.push(Entry::text(
                2,
                Tone::Plain,
                format!("ralph resume {} takes it up", self.id),
            ));
        }
        block
    }
}
