//! Starting and resuming runs: lock, leftovers, journal, then the loop.

use std::{collections::BTreeMap, ffi::OsString, fs, io, path::PathBuf};

use ralph_core::{
    event::{Event, RunStart, Source},
    ids::RunId,
    input::{Request, Resumption, What, Wish},
    outcome::Outcome,
    run::{RunState, Share, Stint},
    settings::Settings,
};
use ralph_text::redact::Redactor;

use crate::{
    chance, clock,
    driver::{DriveError, drive},
    gates::gate_environment,
    git::{self, Repository, Screen},
    inbox,
    journal::{JournalError, Lock, LockError, Recovered, Tail, Writer, recover},
    layout::Layout,
    live::Live,
    memory_files,
    plan_file::{self, PlanFile},
    ports::Publish,
    process::{Home, Supervisor, sweep},
    project_file,
    recorder::{Recorder, SNAPSHOT_EVERY},
    remove::remove_all,
    run_reports, runs, safe_files,
    sandbox::Enclosure,
    secrets,
    signals::Signals,
    sink::RedactedFiles,
    trust::Ledger,
};

/// File of a run whose commits were taken back.
const UNDONE: &str = "undone";
/// What that file holds where nothing of it is left.
const ALL: &[u8] = b"all";

/// Why a run could not be driven to an outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Drive(#[from] DriveError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Git(#[from] git::GitError),
    #[error("cannot prepare the run: {0}")]
    Io(#[from] io::Error),
}

/// Where a run happens and who hears of it.
pub struct Site {
    pub repository: Repository,
    pub layout: Layout,
    /// Folder for linked worktrees and throwaway copies.
    pub state_home: PathBuf,
    /// The environment agents and gates get.
    pub environment: Vec<(OsString, OsString)>,
    /// The box they run in.
    pub enclosure: Enclosure,
    pub publish: Publish,
    /// How much of the run this process does; none: all of it.
    pub share: Option<Share>,
}

/// Starts a run and drives it to its end.
pub fn start(site: Site, run: &RunId, start: RunStart) -> Result<Outcome, RunError> {
    let mut lock = take_lock(&site.layout)?;
    lock.name_run(run)?;
    let at = clock::now();
    let memory = memory_files::remembered(&site.layout, &start);
    let start = RunStart { memory, seal: chance::word()?, ..start };
    let state = RunState::new(run.clone(), at, start.clone());
    if matches!(start.source, Source::Prompt { .. }) {
        inbox::forget(&site.layout.inbox(), |wish| state.takes(wish))?;
    }
    let (layout, folder) = (site.layout.clone(), site.layout.run(run));
    safe_files::folder(layout.base_of(&folder), &folder)?;
    let journal = Writer::create(&site.layout.journal(run))?;
    let (mut recorder, mut live) = set_up(site, state, start.settings.clone(), journal)?;
    recorder.record(at, vec![Event::RunStarted(Box::new(start))])?;
    let (outcome, lock) = driven(drive(&mut recorder, &mut live, false), lock)?;
    let is_refused = recorder.state.workspace.is_none() && !run.is_planning();
    recorder.close()?;
    if is_refused && !git::had_record(&folder) {
        discard(&layout, run)?;
    }
    lock.release()?;
    Ok(outcome)
}

/// How it ended. A process that did its share leaves nothing behind that looks as if it had died.
fn driven(how: Result<Outcome, DriveError>, lock: Lock) -> Result<(Outcome, Lock), RunError> {
    if matches!(how, Err(DriveError::Left)) {
        lock.release()?;
        return Err(DriveError::Left.into());
    }
    Ok((how?, lock))
}

/// Removes what a run left that was refused before it touched anything: it is none.
fn discard(layout: &Layout, run: &RunId) -> io::Result<()> {
    let folders = [layout.run(run), layout.run_views(run)];
    folders.iter().filter(|folder| folder.exists()).try_for_each(|folder| remove_all(folder))
}

/// Takes a run up where its journal ends and drives it to its end.
pub fn resume(site: Site, run: &RunId, how: Resumption) -> Result<Outcome, RunError> {
    take_up(site, run, how, Aim::Work)
}

/// Leaves the workspace of a run that died in order, as if it had been stopped: nobody is called, what lies there is
/// kept, what is the user's comes back.
pub fn end(site: Site, run: &RunId, how: Resumption) -> Result<Outcome, RunError> {
    take_up(site, run, how, Aim::End)
}

/// Leaves the workspace of a run in order whose journal cannot be read, and says where everything is.
pub fn release(
    repository: &Repository,
    layout: &Layout,
    run: &RunId,
) -> Result<Vec<String>, RunError> {
    let mut lock = take_lock(layout)?;
    lock.name_run(run)?;
    sweep_run(layout, run)?;
    let notes = repository.release(run, &layout.run(run))?;
    let journal = layout.journal(run);
    if recover(&journal).is_ok() {
        // Nobody can go on with it, so that nobody should try.
        fs::rename(&journal, journal.with_extension("closed"))?;
    }
    lock.release()?;
    Ok(notes)
}

/// What a run is taken up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Work,
    End,
}

fn take_up(site: Site, run: &RunId, how: Resumption, aim: Aim) -> Result<Outcome, RunError> {
    let mut lock = take_lock(&site.layout)?;
    lock.name_run(run)?;
    let ended = sweep_run(&site.layout, run)?;
    let path = site.layout.journal(run);
    let requests = inbox::read(&site.layout.inbox())?;
    let requests_wait = requests.iter().any(|one| matches!(one.wish, Wish::Task { .. }));
    let how = Resumption { requests_wait, ..how };
    let Recovered { state, length, tail } = recover(&path)?;
    let journal = Writer::reopen(&path, length)?;
    let settings = how.reloaded.as_ref().map_or(&state.start.settings, |one| &one.settings).clone();
    // A run that only ends has no more use for the plan: what people wrote there meanwhile is for the next one.
    let is_theirs = aim == Aim::End && plan_file::is_edited_since(&site.layout, &state);
    let repository = site.repository.clone();
    let (mut recorder, mut live) = set_up(site, state, settings, journal)?;
    if let Tail::Torn { bytes } = tail {
        let text = format!("the journal's last {bytes} bytes are incomplete and were ignored");
        recorder.record(clock::now(), vec![Event::Warned { text }])?;
    }
    if ended > 0 {
        let text = format!("{ended} leftover processes of the interrupted run were ended");
        recorder.record(clock::now(), vec![Event::Warned { text }])?;
    }
    let plan_edit = if is_theirs {
        recorder.views.leave_plan();
        None
    } else {
        recorder.adopt_plan()?
    };
    recorder.take(What::Resumed(Resumption { plan_edit, ..how }))?;
    recorder.views.step_back(&repository)?;
    if aim == Aim::End {
        let id = format!("end-{}", recorder.state.seq);
        recorder.take(What::Asked(Request { id, wish: Wish::StopNow }))?;
    }
    let (outcome, lock) = driven(drive(&mut recorder, &mut live, true), lock)?;
    recorder.close()?;
    lock.release()?;
    Ok(outcome)
}

/// The run whose process died after its end was written down and before anybody was told. Gives it once.
pub fn untold(layout: &Layout) -> Result<Option<RunState>, RunError> {
    let owner = Lock::left_behind(&layout.lock());
    let Some(run) =
        owner.and_then(|owner| owner.run).filter(|run| runs::latest(layout).as_ref() == Some(run))
    else {
        return Ok(None);
    };
    let state = recover(&layout.journal(&run)).ok().map(|recovered| recovered.state);
    let ended = state.filter(|state| state.outcome().is_some());
    if let Some(state) = &ended {
        let redacted = RedactedFiles::new(layout.views(), Redactor::default());
        run_reports::write_report(layout, (&redacted, None), state);
        memory_files::finish(layout, &redacted, state);
        let elsewhere = state.start.plan_file.as_deref();
        PlanFile::of(layout, &state.run, elsewhere, Redactor::default()).close(state);
        take_lock(layout)?.release()?;
    }
    Ok(ended)
}

/// Ends a finished run for good: its commits were undone, and it must not bring them back.
pub fn retire(layout: &Layout, run: &RunId, undone: Undone) -> io::Result<()> {
    git::retire(&layout.run(run))?;
    let mark = layout.run(run).join(UNDONE);
    safe_files::replace(layout.base_of(&mark), &mark, if undone == Undone::All { ALL } else { b"" })
}

/// How much of a run's work was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    Some,
    All,
}

/// Whether commits of a run were taken back, and how many.
pub fn undone(layout: &Layout, run: &RunId) -> Option<Undone> {
    let mark = project_file::text(&layout.run(run).join(UNDONE), project_file::LARGEST).ok()?;
    Some(if mark.as_bytes() == ALL { Undone::All } else { Undone::Some })
}

/// Writes the requirements. Only for whoever holds the lock.
pub fn write_prd(layout: &Layout, text: &str) -> io::Result<()> {
    project_file::replace(&layout.views().join("prd.md"), text.as_bytes())
}

/// A name for a new run: sortable by time, short enough to type.
pub fn new_id() -> RunId {
    let digits: String = clock::now().to_string().chars().filter(char::is_ascii_digit).collect();
    let (date, time) =
        (digits.get(2..8).unwrap_or_default(), digits.get(8..14).unwrap_or_default());
    let salt = digits.get(14..17).unwrap_or_default();
    RunId(format!("{date}-{time}-{salt}"))
}

/// A name for a new planning run, which nobody takes for one that works on something.
pub fn new_planning_id() -> RunId {
    new_id().for_planning()
}

/// The lock, once whatever a dead owner left behind has ended.
fn take_lock(layout: &Layout) -> Result<Lock, RunError> {
    let lock = Lock::take(&layout.lock(), clock::now())?;
    if let Some(run) = lock.predecessor.as_ref().and_then(|owner| owner.run.as_ref()) {
        sweep_run(layout, run)?;
    }
    inbox::clear(&layout.inbox())?;
    Ok(lock)
}

/// Ends what a dead process of this run left behind and says how many that were. A run without a folder has started
/// nothing.
fn sweep_run(layout: &Layout, run: &RunId) -> io::Result<u32> {
    match Home::of(&layout.run(run)) {
        Ok(home) => Ok(sweep(home, run)?.found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn set_up(
    site: Site,
    state: RunState,
    settings: Settings,
    journal: Writer,
) -> Result<(Recorder, Live), RunError> {
    let Site { repository, layout, state_home, environment, enclosure, publish, share } = site;
    let run = state.run.clone();
    let home = Home::of(&layout.run(&run))?;
    safe_files::folder(layout.views(), &layout.run_views(&run))?;
    // Logs hold what agents said: git leaves them alone whether or not the project says so.
    safe_files::replace(layout.views(), &layout.runs_ignored(), b"*\n")?;
    safe_files::folder(&state_home, &state_home.join("ralph"))?;
    // A call that was killed leaves a copy of the agent's login; whoever holds the lock has no call yet.
    let calls = repository.calls_folder(&state_home);
    if calls.exists() {
        remove_all(&calls)?;
    }
    let redactor = secrets::redactor(&environment, &settings);
    let repository =
        repository.with_secrets(Screen::new(redactor.clone(), &settings.secrets.allow));
    let recorder = Recorder {
        views: PlanFile::of(&layout, &run, state.start.plan_file.as_deref(), redactor.clone())
            .in_repository(repository.clone()),
        folder: layout.run(&run),
        inbox: layout.inbox(),
        signals: Signals::catch()?,
        publish: publish.clone(),
        snapshot_at: journal.length() + SNAPSHOT_EVERY,
        journal,
        stint: share.map(|share| Stint::new(share, &state, clock::now())),
        state,
        redactor: redactor.clone(),
    };
    let gate_environment = enclosure.environment(&gate_environment(environment.clone()), |_| false);
    let live = Live {
        redacted: RedactedFiles::new(layout.views(), redactor),
        run,
        trust: Ledger::of(&repository, &state_home),
        told_lost_trust: false,
        told_keys: std::collections::BTreeSet::new(),
        repository,
        layout,
        settings,
        state_home,
        environment,
        gate_environment,
        enclosure,
        supervisor: Supervisor { home, ..Supervisor::default() },
        publish,
        worktree: None,
        glance: None,
        windows: BTreeMap::new(),
        ignored: std::collections::BTreeSet::new(),
    };
    Ok((recorder, live))
}
