//! `ralph runs`: every run of this repository, the newest first, with what it still holds of the user's.

use ralph_core::{event::Source, ids::RunId, run::RunState, time::Timestamp};
use ralph_engine::{
    journal::{self, Lock},
    runs,
};
use serde::Serialize;

use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        clock,
        line::{Line, Tone},
    },
    session::{
        kept::{self, KeptView},
        plan_status::{ended, is_superseded},
        run_store::RunStore,
    },
    words::{count, few},
};

/// So many are listed without `--verbose`.
const LISTED: usize = 20;

/// One run; what `--json` prints a list of.
#[derive(Debug, Serialize)]
struct View {
    id: String,
    /// `running`, `interrupted`, or how it ended.
    state: String,
    exit_code: Option<u8>,
    /// What its journal tells; nothing where that cannot be read.
    #[serde(flatten)]
    told: Option<Told>,
    /// The ref with changes of the user's that it has not brought back.
    stash: Option<String>,
    /// Those that did not fit when it ended.
    unreturned: Vec<KeptView>,
    /// Where it kept what people wrote beside it.
    kept: Vec<String>,
    /// `ralph resume` continues it.
    is_resumable: bool,
}

/// What the journal of a run tells about it.
#[derive(Debug, Serialize)]
struct Told {
    began: Timestamp,
    /// What it worked on.
    work: String,
    iterations: u32,
    branch: String,
}

/// Runs `ralph runs`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let running = Lock::peek(&place.layout.lock()).and_then(|owner| owner.run);
    let mut all = runs::worked(&place.layout);
    all.reverse();
    let most = if context.verbose || context.json { usize::MAX } else { LISTED };
    let hidden = all.len().saturating_sub(most);
    let shown = all.iter().take(most);
    let views: Vec<View> =
        shown.map(|run| view((&place, context), run, running.as_ref() == Some(run))).collect();
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
        let more = format!("and {} more; -v shows all", count(hidden as u64, "run"));
        block.push(Entry::text(0, Tone::Dim, more));
    }
    context.answer(&block)?;
    Ok(exit::DONE)
}

/// One whose journal cannot be read may hold something of the user's all the same.
fn view((place, context): (&RunStore, &Context), run: &RunId, is_running: bool) -> View {
    let layout = &place.layout;
    let unreturned = kept::of(&context.project_dir, layout, run);
    let mut kept = runs::kept_besides(&context.project_dir, layout, run);
    kept.retain(|place| unreturned.iter().all(|one| one.stash != *place));
    let stash = runs::stash(layout, run).filter(|_| !is_running);
    let Ok(recovered) = journal::recover(&layout.journal(run)) else {
        let state = "its journal cannot be read".into();
        let id = run.0.clone();
        let (told, exit_code, is_resumable) = (None, None, false);
        return View { id, state, exit_code, told, stash, unreturned, kept, is_resumable };
    };
    let state = recovered.state;
    let outcome = state.outcome();
    let can_go_on = runs::has_workspace(layout, run) && !is_superseded(layout, &state);
    View {
        id: run.0.clone(),
        state: match outcome {
            _ if is_running => "running".into(),
            None => "interrupted".into(),
            Some(_) => ended(layout, &state).unwrap_or_default(),
        },
        exit_code: outcome.map(|outcome| state.start.exit_code(outcome)),
        told: Some(Told {
            began: state.started_at,
            work: work(&state),
            iterations: state.counters.iterations,
            branch: state.start.branch.clone(),
        }),
        stash,
        unreturned,
        kept,
        is_resumable: !is_running && outcome.is_none_or(|outcome| outcome.resumable() && can_go_on),
    }
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
        let lead = Line::new().add(Tone::Bold, &self.id).plain(" · ");
        let mut block = vec![Entry::led(lead, format!("{}{code}", self.state))];
        if let Some(told) = &self.told {
            let figures = [
                format!("began {}", clock::full(told.began, zone)),
                told.work.clone(),
                count(told.iterations.into(), "iteration"),
                format!("branch {}", told.branch),
            ];
            block.push(Entry::text(2, Tone::Dim, dots(&figures)));
        }
        if let Some(stash) = &self.stash {
            let text = format!("your uncommitted changes from before it are in {stash}");
            block.push(Entry::text(2, Tone::Warn, text));
        }
        let kept = self.unreturned.iter();
        block.extend(kept.map(|one| Entry::text(2, Tone::Warn, one.words())));
        if !self.kept.is_empty() {
            let text = format!("also kept: {}", few(&self.kept, 5));
            block.push(Entry::text(2, Tone::Dim, text));
        }
        if self.is_resumable {
            block.push(Entry::text(
                2,
                Tone::Plain,
                format!("ralph resume {} continues it", self.id),
            ));
        }
        block
    }
}
