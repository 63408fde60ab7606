//! `cost SCENARIO FOLDER`: work of fixed size for `just cost`, which counts what it takes. Measures nothing itself.
//!
//! The same bytes each time: neither chance nor the clock decides how much is done.

use std::{
    env, fs,
    io::{Error, Result},
    path::Path,
};

use ralph_agents::{ExitFacts, find, live_event::Chatter, live_event::Said};
use ralph_core::{effect::AgentCall, time::Timestamp};
use ralph_engine::{
    process::{Line, LineSplitter},
    sink::RedactedFiles,
};
use ralph_text::redact::Redactor;

const MEGABYTE: usize = 1 << 20;
/// Lines of every kind; fixtures that are added later change nothing.
const STREAMS: [&str; 4] = ["shell", "write_file", "thinking", "text_partial"];

fn main() -> Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stream", folder] => stream(Path::new(folder), 20 * MEGABYTE),
        ["redaction", _] => redact(10 * MEGABYTE),
        _ => Err(Error::other("usage: cost stream|redaction FOLDER")),
    }
}

/// What Claude Code says, in one piece of the size that a pipe gives at once.
fn said() -> Result<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts/claude");
    let files = STREAMS.map(|name| fs::read(folder.join(format!("{name}.stdout.ndjson"))));
    Ok(files.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

fn redactor() -> Redactor {
    Redactor::new([("API_KEY", "sk-0f3a9c61d27b48e5"), ("TOKEN", "correct-horse-battery-staple")])
}

/// Redacts, writes, splits, parses and writes events, as it is done with what an agent says.
fn stream(folder: &Path, length: usize) -> Result<()> {
    let said = said()?;
    let files = RedactedFiles::new(folder, redactor());
    let (mut raw, mut kept) =
        (files.open(&folder.join("agent.ndjson"))?, files.open(&folder.join("events.jsonl"))?);
    let agent = find("claude").ok_or_else(|| Error::other("no agent claude"))?;
    let mut parser = agent.parser(&AgentCall::default());
    let (mut lines, mut events) = (LineSplitter::default(), Vec::new());
    for _ in 0..length / said.len() {
        lines.feed(raw.accept(&said), |line| {
            if let Line::Whole(line) = line {
                parser.line(line, &mut events);
            }
        });
        for event in events.drain(..) {
            let said = Said::Agent(event.seen_from("/src"));
            kept.line(&Chatter { at: Timestamp(0), iteration: 1, said })?;
        }
    }
    raw.finish()?;
    kept.finish()?;
    parser.finish(&ExitFacts::default());
    Ok(())
}

fn redact(length: usize) -> Result<()> {
    let said = said()?;
    let mut stream = redactor().stream();
    let mut clean = Vec::new();
    for _ in 0..length / said.len() {
        clean.clear();
        stream.push(&said, &mut clean);
    }
    stream.finish(&mut clean);
    Ok(())
}
