//! Captured streams of real agents, with what each must be read as. Reads the fixtures, judges nothing.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use ralph_agents::{EndedBy, ExitFacts};

/// Most bytes of error output that the engine remembers.
const STDERR_TAIL: usize = 4_000;
const STDOUT: &str = ".stdout.ndjson";

/// One captured call of an agent.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// Name of the built-in agent.
    pub agent: String,
    pub scenario: String,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// How the process ended, as the engine would tell it.
    pub exit: ExitFacts,
    /// Name of the ending it must be read as.
    pub ending: String,
}

/// Every captured call, in the order of the table. A stream without a row and a row without a stream are errors.
pub fn transcripts() -> io::Result<Vec<Transcript>> {
    let folder = folder();
    let table = fs::read_to_string(folder.join("expected.tsv"))?;
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let all = rows.map(|row| read(&folder, row)).collect::<io::Result<Vec<_>>>()?;
    let mut untold = streams(&folder)?;
    for one in &all {
        if !untold.remove(&(one.agent.clone(), one.scenario.clone())) {
            return Err(wrong(format!("{}/{} has two rows", one.agent, one.scenario)));
        }
    }
    match untold.first() {
        None => Ok(all),
        Some((agent, scenario)) => Err(wrong(format!("{agent}/{scenario} has no row"))),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts")
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn read(folder: &Path, row: &str) -> io::Result<Transcript> {
    let columns: Vec<_> = row.split('\t').collect();
    let [agent, scenario, end, ending] = columns[..] else {
        return Err(wrong(format!("not four columns: {row}")));
    };
    let stem = folder.join(agent).join(scenario);
    let path = |suffix: &str| PathBuf::from(format!("{}{suffix}", stem.display()));
    let stdout = fs::read(path(STDOUT))
        .map_err(|error| wrong(format!("{agent}/{scenario} has no stream: {error}")))?;
    let stderr = fs::read(path(".stderr.txt")).unwrap_or_default();
    let exit = ExitFacts {
        stderr_tail: tail(&stderr),
        stdout_bytes: stdout.len() as u64,
        ..process_end(end).ok_or_else(|| wrong(format!("no such end of a process: {end}")))?
    };
    Ok(Transcript {
        agent: agent.to_owned(),
        scenario: scenario.to_owned(),
        stdout,
        stderr,
        exit,
        ending: ending.to_owned(),
    })
}

fn process_end(text: &str) -> Option<ExitFacts> {
    let (how, what) = text.split_once(' ')?;
    let mut exit = ExitFacts::default();
    match how {
        "exit" => exit.code = Some(what.parse().ok()?),
        "signal" => exit.signal = Some(what.parse().ok()?),
        "ended" => {
            exit.signal = Some(15);
            exit.ended_by_us = Some(ended_by(what)?);
        }
        _ => return None,
    }
    Some(exit)
}

fn ended_by(word: &str) -> Option<EndedBy> {
    Some(match word {
        "timed_out" => EndedBy::TimedOut,
        "stalled" => EndedBy::Stalled,
        "auth_failed" => EndedBy::AuthFailed,
        "budget" => EndedBy::Budget,
        "interrupted" => EndedBy::Interrupted,
        "waits" => EndedBy::Waits { until: None },
        "logical_end" => EndedBy::LogicalEnd,
        _ => return None,
    })
}

fn tail(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(STDERR_TAIL);
    String::from_utf8_lossy(&stderr[from..]).into_owned()
}

/// Agent and scenario of every stream there is.
fn streams(folder: &Path) -> io::Result<BTreeSet<(String, String)>> {
    let mut found = BTreeSet::new();
    for agent in fs::read_dir(folder)? {
        let agent = agent?;
        if !agent.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(agent.path())? {
            let name = file?.file_name().to_string_lossy().into_owned();
            let scenario = name.strip_suffix(STDOUT).or(name.strip_suffix(".stderr.txt"));
            let scenario = scenario.ok_or_else(|| wrong(format!("{name} is no stream")))?;
            found.insert((agent.file_name().to_string_lossy().into_owned(), scenario.to_owned()));
        }
    }
    Ok(found)
}
