//! `ralph logs --follow`: the iteration under way as it happens, from any terminal. Reads only, and ends with the run.

use std::{
    io::{Read as _, Seek as _, SeekFrom},
    path::PathBuf,
    sync::Arc,
    thread,
    time::Duration,
};

use ralph_agents::live_event::{Chatter, News, Reporter};
use ralph_core::{
    event::{Decision, Event, IterationStart},
    ids::RunId,
    timeline::Timeline,
};
use ralph_engine::{
    journal::{self, Lock},
    layout::Layout,
    project_file,
};

use crate::{
    cli::pause::nothing_runs,
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{
        console::{Console, Options},
        json::Json,
    },
    session::run_store::RunStore,
};

/// How often it looks for something new.
const LOOK: Duration = Duration::from_millis(200);

/// Follows the run that is active here to its end.
pub(crate) fn exec(place: &RunStore, context: &Context) -> Result<u8, CommandError> {
    let active = || Lock::peek(&place.layout.lock()).and_then(|owner| owner.run);
    let run = active().ok_or_else(nothing_runs)?;
    let mut follower = Follower::new(&place.layout, &run, context)?;
    loop {
        // Asked first: what a run writes before it lets go is then read below.
        let is_active = active().as_ref() == Some(&run);
        follower.look()?;
        if follower.is_over || !is_active {
            follower.reporter.finish()?;
            return Ok(exit::DONE);
        }
        thread::sleep(LOOK);
    }
}

/// How far a run has been read.
struct Follower<'a> {
    layout: &'a Layout,
    run: RunId,
    reporter: Box<dyn Reporter>,
    journal: Journal,
    events: Option<Events>,
    is_over: bool,
}

/// Where the next decision will be.
struct Journal {
    path: PathBuf,
    offset: u64,
    seq: u64,
}

/// The events of the call under way, and how much of them was shown.
struct Events {
    path: PathBuf,
    offset: u64,
}

impl Journal {
    fn news(&mut self) -> Result<Vec<Arc<Decision>>, CommandError> {
        let mut news = Vec::new();
        let take = |decision: Decision| news.push(Arc::new(decision));
        (self.offset, _) = journal::read(&self.path, self.offset, self.seq, take)?;
        self.seq = news.last().map_or(self.seq, |last| last.seq + 1);
        Ok(news)
    }
}

impl Events {
    fn of(layout: &Layout, run: &RunId, start: &IterationStart) -> Self {
        let name = match start.retry {
            0 => "events.jsonl".to_owned(),
            retry => format!("events.retry{retry}.jsonl"),
        };
        Self { path: layout.iteration(run, start.iteration).join(name), offset: 0 }
    }

    /// What came since; a line that is not whole yet waits.
    fn news(&mut self) -> Result<Vec<Chatter>, CommandError> {
        let failed = CommandError::file("read", &self.path);
        let mut file = match project_file::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.offset)).map_err(&failed)?;
        file.read_to_end(&mut bytes).map_err(&failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.offset += whole as u64;
        let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

impl<'a> Follower<'a> {
    /// All that was decided before the iteration under way is known and not shown.
    fn new(layout: &'a Layout, run: &RunId, context: &Context) -> Result<Self, CommandError> {
        let mut journal = Journal { path: layout.journal(run), offset: 0, seq: 0 };
        let mut past = journal.news()?;
        let begins = past.iter().rposition(|decision| begun(decision).is_some());
        let shown = past.split_off(begins.unwrap_or_default());
        let mut timeline = Timeline::default();
        for decision in &past {
            timeline.apply(decision);
        }
        let out = Box::new(std::io::stdout());
        let reporter: Box<dyn Reporter> = if context.json {
            Box::new(Json::new(out, timeline))
        } else {
            let display = timeline.start().map(|start| start.settings.display.clone());
            let display = display.unwrap_or_default();
            let options = Options { display, verbose: context.verbose, ..Options::default() };
            Box::new(Console::new(out, context.stdout(), options, timeline))
        };
        let run = run.clone();
        let mut follower = Self { layout, run, reporter, journal, events: None, is_over: false };
        follower.show(shown)?;
        Ok(follower)
    }

    fn look(&mut self) -> Result<(), CommandError> {
        let decisions = self.journal.news()?;
        self.show(decisions)
    }

    /// Shows decisions, each after what the agent said before it, and then what it said since.
    fn show(&mut self, decisions: Vec<Arc<Decision>>) -> Result<(), CommandError> {
        let mut said = self.said()?.into_iter().peekable();
        for decision in decisions {
            let start = begun(&decision).cloned();
            while let Some(one) = said.next_if(|one| one.at <= decision.at || start.is_some()) {
                self.reporter.news(&News::Chatter(one))?;
            }
            self.is_over |=
                decision.events.iter().any(|one| matches!(one, Event::RunFinished { .. }));
            self.reporter.news(&News::Decided(decision))?;
            if let Some(start) = start {
                self.events = Some(Events::of(self.layout, &self.run, &start));
                said = self.said()?.into_iter().peekable();
            }
        }
        for one in said {
            self.reporter.news(&News::Chatter(one))?;
        }
        Ok(self.reporter.caught_up()?)
    }

    fn said(&mut self) -> Result<Vec<Chatter>, CommandError> {
        self.events.as_mut().map_or_else(|| Ok(Vec::new()), Events::news)
    }
}

/// The iteration that a decision began.
fn begun(decision: &Decision) -> Option<&IterationStart> {
    decision.events.iter().find_map(|event| match event {
        Event::IterationStarted(start) => Some(start),
        _ => None,
    })
}
