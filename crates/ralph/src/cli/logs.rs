//! `ralph logs`: a task's record from the journal, or the one file that was asked for, made harmless for a
//! terminal.

mod follow;

use std::{
    io::{BufRead as _, BufReader, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use ralph_agents::live_event::{News, Reporter as _};
use ralph_core::{
    ids::{RunId, TaskId},
    timeline::{TaskTimeline, Timeline},
};
use ralph_engine::{follow::Tail, layout::Layout, project_file};
use serde_json::{Value, json};

use crate::{
    args::commands::LogsArgs,
    context::{Context, Entry, Line, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        chronicle::Chronicle,
        clock,
        console::{Console, Options},
        plain,
    },
    session::run_store::RunStore,
    words,
};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Log {
    /// A text file to print as it is.
    Text(PathBuf),
    /// An iteration's events, to be shown as they were.
    Events { iteration: u32, path: PathBuf },
}

/// Finds a log of a run. Gate logs are `iterations/NNNN/gates/<slug>.log`.
pub(crate) fn find(
    layout: &Layout,
    run: &RunId,
    timeline: &Timeline,
    args: &LogsArgs,
) -> Result<Log, CommandError> {
    let iteration = match (&args.task, args.iteration, &args.gate) {
        (Some(task), _, _) => iteration_of(timeline, (run, task), args.attempt)?,
        (None, Some(iteration), _) => iteration,
        (None, None, Some(_)) => timeline.current.as_ref().map_or(0, |one| one.start.iteration),
        (None, None, None) => return Ok(Log::Text(layout.run_views(run).join("session.log"))),
    };
    let folder = layout.iteration(run, iteration);
    match &args.gate {
        None => Ok(Log::Events { iteration, path: layout.events(run, iteration, 0) }),
        Some(gate) => {
            let slug = slug(timeline, gate)?;
            Ok(Log::Text(folder.join("gates").join(format!("{slug}.log"))))
        }
    }
}

/// The iteration of a task's attempt. Attempts are counted anew after one that was accepted and after a retry, so that a
/// number may mean several.
fn iteration_of(
    timeline: &Timeline,
    (run, task): (&RunId, &str),
    wanted: Option<u32>,
) -> Result<u32, CommandError> {
    let known = timeline.tasks.get(&task.into());
    let made = known.map(TaskTimeline::attempts).unwrap_or_default();
    let Some((_, latest)) = made.last() else {
        let what = format!("run {run} did not work on {task}");
        let known: Vec<_> = timeline.tasks.keys().map(|id| id.0.clone()).collect();
        return Err(CommandError::unknown(what, ("tasks of that run", &known), "ralph status"));
    };
    let Some(wanted) = wanted else { return Ok(*latest) };
    let alike = made.iter().filter(|(attempt, _)| *attempt == wanted);
    let alike: Vec<String> = alike.map(|(_, iteration)| iteration.to_string()).collect();
    match alike.as_slice() {
        [one] => Ok(one.parse().unwrap_or(*latest)),
        [] => {
            let what = format!("{task} has no attempt {wanted}");
            let known: Vec<_> = made.iter().map(|(attempt, _)| attempt.to_string()).collect();
            Err(CommandError::unknown(what, ("attempts", &known), "ralph status"))
        }
        [.., newest] => Err(CommandError::usage(
            format!(
                "{task} has {} with the number {wanted}, in iterations {}",
                words::count_of(&alike, "attempt"),
                words::list(&alike)
            ),
            format!("name the iteration instead: ralph logs --iteration {newest}"),
        )),
    }
}

fn slug(timeline: &Timeline, gate: &str) -> Result<String, CommandError> {
    let gates = timeline.start().map(|start| start.gates.as_slice());
    let gates = gates.unwrap_or_default();
    gates
        .iter()
        .find(|spec| spec.name == gate || spec.slug == gate || spec.command == gate)
        .map(|spec| spec.slug.clone())
        .ok_or_else(|| {
            let what = format!("there is no gate called {gate}");
            let known: Vec<_> = gates.iter().map(|spec| spec.name.clone()).collect();
            CommandError::unknown(what, ("gates", &known), "add a [[gate]] to .ralph/settings.toml")
        })
}

/// Runs `ralph logs`.
pub(crate) fn exec(args: &LogsArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    if args.follow {
        return follow::exec(&place, context);
    }
    let run = place.run(args.run.as_deref())?;
    let timeline = place.timeline(&run)?;
    let has_record = !context.json
        && match (&args.task, args.attempt, &args.gate) {
            (Some(task), None, None) => tell(&place, (&run, &task.as_str().into()), context)?,
            _ => false,
        };
    let is_tried = |task: &String| {
        let known = timeline.tasks.get(&task.as_str().into());
        known.is_some_and(|known| !known.attempts().is_empty())
    };
    if has_record && !args.task.as_ref().is_some_and(is_tried) {
        // Nobody tried it, and the record says all there is.
        return Ok(exit::DONE);
    }
    let log = find(&place.layout, &run, &timeline, args)?;
    let (Log::Text(path) | Log::Events { path, .. }) = &log;
    if context.json {
        return answer(&place, (&run, args), &log);
    }
    if !path.is_file() {
        if has_record {
            return Ok(exit::DONE);
        }
        let help = "its files may have been removed; ralph replay still shows what was decided";
        return Err(CommandError::usage(format!("there is no log at {}", path.display()), help));
    }
    match log {
        Log::Text(path) => print(&path)?,
        Log::Events { iteration, path } => {
            if has_record {
                let line = format!("the latest attempt, in iteration {iteration}");
                context.answer(&[Entry::Cut(Line::new().add(Tone::Accent, line))])?;
            }
            let options = Options { verbose: context.verbose, ..Options::default() };
            let out = Box::new(std::io::stdout());
            let mut console = Console::new(out, context.stdout(), options, Timeline::default());
            for path in calls(&path) {
                said(&path, iteration, &mut console)?;
            }
            console.finish()?;
        }
    }
    Ok(exit::DONE)
}

/// The event files of an iteration's calls, oldest first: a call that was repeated has one of its own.
fn calls(first: &Path) -> Vec<PathBuf> {
    let repeated = (1..).map(|retry| first.with_file_name(format!("events.retry{retry}.jsonl")));
    std::iter::once(first.to_owned()).chain(repeated).take_while(|path| path.is_file()).collect()
}

/// Shows what was said in one call.
fn said(path: &Path, iteration: u32, console: &mut Console) -> Result<(), CommandError> {
    let mut tail = Tail::new(path);
    while let Some(said) = tail.take().map_err(CommandError::file("read", path))? {
        if said.iteration == iteration {
            console.news(&News::Chatter(said))?;
        }
    }
    Ok(console.caught_up()?)
}

/// What `--json` prints: where the log is, and what was decided about the task.
fn answer(
    place: &RunStore,
    (run, args): (&RunId, &LogsArgs),
    log: &Log,
) -> Result<u8, CommandError> {
    let history = match &args.task {
        Some(task) => chronicle(place, (run, &task.as_str().into()))?.lines,
        None => Vec::new(),
    };
    let history: Vec<Value> =
        history.iter().map(|(at, text)| json!({"at": at, "text": text})).collect();
    let (path, iteration) = match log {
        Log::Text(path) => (path, args.iteration),
        Log::Events { iteration, path } => (path, Some(*iteration)),
    };
    let path = path.is_file().then_some(path);
    answer_json(&json!({
        "v": 1, "run": run, "task": args.task, "iteration": iteration, "log": path, "history": history,
    }))?;
    Ok(exit::DONE)
}

fn chronicle(place: &RunStore, (run, task): (&RunId, &TaskId)) -> Result<Chronicle, CommandError> {
    let mut chronicle = Chronicle::of(task);
    place.decisions(run, |decision| chronicle.apply(&decision))?;
    Ok(chronicle)
}

/// Prints all that was decided about a task; tells whether there was anything.
fn tell(
    place: &RunStore,
    (run, task): (&RunId, &TaskId),
    context: &Context,
) -> Result<bool, CommandError> {
    let chronicle = chronicle(place, (run, task))?;
    let zone = context.stdout().zone;
    let lines = chronicle.lines.iter().map(|(at, line)| {
        let lead = Line::new().dim(format!("{}  ", clock::seconds(*at, &zone)));
        Entry::Wrapped { lead, indent: 10, tone: Tone::Plain, text: line.clone() }
    });
    context.answer(&lines.collect::<Vec<_>>())?;
    Ok(!chronicle.lines.is_empty())
}

/// Copies a file to stdout in constant memory; bytes stay as they are unless a terminal would obey them.
fn print(path: &Path) -> Result<(), CommandError> {
    let failed = CommandError::file("read", path);
    let file = project_file::open(path).map_err(&failed)?;
    let mut out = std::io::stdout().lock();
    if !out.is_terminal() {
        std::io::copy(&mut BufReader::new(file), &mut out)?;
        return Ok(());
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(&failed)? > 0 {
        let text = String::from_utf8_lossy(&line);
        out.write_all(plain::clean(&text).as_bytes())?;
        line.clear();
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::tests::scripts::{self, Beat};

    fn timeline() -> Timeline {
        let mut timeline = Timeline::default();
        for beat in scripts::given_up() {
            if let Beat::News(News::Decided(decision)) = beat {
                timeline.apply(&decision);
            }
        }
        timeline
    }

    fn asked(task: Option<&str>, attempt: Option<u32>, gate: Option<&str>) -> Result<Log, String> {
        let layout = Layout::new(Path::new("/r/.git"), Path::new("/r"));
        let args = LogsArgs {
            task: task.map(Into::into),
            attempt,
            gate: gate.map(Into::into),
            ..LogsArgs::default()
        };
        find(&layout, &"run1".into(), &timeline(), &args)
            .map_err(|error| format!("{error}; {}", error.help()))
    }

    #[test]
    fn every_question_leads_to_one_file() {
        let text = |path: &str| Ok(Log::Text(format!("/r/.ralph/runs/run1/{path}").into()));
        assert_eq!(asked(None, None, None), text("session.log"));
        assert_eq!(
            asked(Some("T-002"), Some(2), Some("tests")),
            text("iterations/0003/gates/tests.log")
        );
        assert_eq!(
            asked(Some("T-002"), None, Some("cargo clippy")),
            text("iterations/0004/gates/lint.log")
        );
        assert_eq!(
            asked(Some("T-001"), None, None),
            Ok(Log::Events {
                iteration: 1,
                path: "/r/.ralph/runs/run1/iterations/0001/events.jsonl".into(),
            })
        );
    }

    #[test]
    fn a_wrong_name_is_told_with_the_right_ones() {
        let told = |task, attempt, gate| asked(Some(task), attempt, gate).err().unwrap_or_default();
        assert!(told("T-9", None, None).ends_with("tasks of that run: T-001 and T-002"));
        assert!(told("T-002", Some(7), None).ends_with("attempts: 1, 2 and 3"));
        assert!(told("T-002", None, Some("no")).ends_with("gates: tests and lint"));
    }
}
