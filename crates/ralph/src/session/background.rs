//! `ralph run --detach`: a run in a session of its own, which no terminal ends.

use std::{
    fs::File,
    io::{self, Write as _},
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use ralph_core::ids::RunId;
use ralph_engine::{journal::Lock, layout::Layout, outside, project_file, safe_files};
use serde_json::json;

use super::{engine, run_store::RunStore};
use crate::{
    context::{Context, answer_json, next_step},
    diagnostics::CommandError,
    exit,
    reporters::plain,
};

/// How often it looks whether the run has begun.
const LOOK: Duration = Duration::from_millis(50);
/// What tells the started process that it is to leave its terminal.
pub(crate) const LEAVES: &str = "--in-background";
/// Words of the command line that are not for that process.
const OURS: [&str; 2] = ["--detach", "--watch"];

/// What became of it.
pub(crate) enum Started {
    Run(RunId),
    /// It ended before it began a run, and said why.
    Ended(u8),
}

/// Starts this command line again in the background, and waits until its run has begun.
pub(crate) fn start(context: &Context) -> Result<Started, CommandError> {
    let layout = RunStore::find(&context.project_dir)?.layout;
    // Before the log is begun anew: it may be that run's.
    engine::check_nobody_works(&layout)?;
    let log = layout.truth().join("detached.log");
    let file = safe_files::begin(layout.base_of(&log), &log);
    let file = file.map_err(CommandError::file("write", &log))?;
    let mut child = spawn(&file)?;
    loop {
        if let Some(run) = begun(&layout, &child) {
            if context.json {
                answer_json(&json!({ "v": 1, "run": run, "pid": child.id(), "log": log }))?;
            }
            let text = format!("run {run} (pid {}) works in the background", child.id());
            context.done(format!("{text}; its output is in {}", log.display()))?;
            context.tell(&[next_step("ralph watch, or ralph stop")])?;
            return Ok(Started::Run(run));
        }
        if let Some(status) = child.try_wait()? {
            let said = project_file::text(&log, project_file::LARGEST_TEXT).unwrap_or_default();
            io::stderr().lock().write_all(plain::clean(&said).as_bytes())?;
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Started::Ended(code.unwrap_or(exit::BUG)));
        }
        thread::sleep(LOOK);
    }
}

/// Leaves the terminal for good: nothing that happens to it reaches this process any longer.
pub(crate) fn leave() -> io::Result<()> {
    nix::unistd::setsid()?;
    Ok(())
}

fn spawn(file: &File) -> io::Result<Child> {
    let words = std::env::args_os().skip(1).filter(|word| OURS.iter().all(|ours| word != ours));
    outside::ralph_itself()?
        .args(words)
        .arg(LEAVES)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file.try_clone()?)
        .spawn()
}

fn begun(layout: &Layout, child: &Child) -> Option<RunId> {
    let owner = Lock::peek(&layout.lock()).filter(|owner| owner.pid == child.id())?;
    // Its journal follows soon after its name.
    owner.run.filter(|run| layout.journal(run).is_file())
}
