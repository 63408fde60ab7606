//! Writes what the fuzzer begins with: the captured streams of every agent, made short, in the form the fuzzer reads.
//!
//! usage: `fuzz_seeds FOLDER`; makes one folder of files for each parser.

use std::{env, fs, io, path::Path};

use ralph_agents::{BUILT_IN, EndedBy, ExitFacts};
use serde_json::Value;
use testkit::transcripts::{Transcript, transcripts};

/// Longest text in a seed, in bytes, and most entries of a list or an object: more of the same teaches nothing.
const TEXT: usize = 80;
const ENTRIES: usize = 24;
/// Most lines of a stream in one seed.
const LINES: usize = 10;
/// Where the error output begins.
const ERRORS: u8 = 0x1e;

fn main() -> io::Result<()> {
    let folder =
        env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: fuzz_seeds FOLDER"))?;
    let all = transcripts()?;
    // An agent that a user describes is tested like a built-in.
    for name in BUILT_IN.iter().map(|agent| agent.name()).chain(["custom"]) {
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder)?;
        let own: Vec<&Transcript> = all.iter().filter(|one| one.agent == name).collect();
        // An agent of which nothing was captured is begun with what others said.
        let begun_with = if own.len() > 1 { own } else { all.iter().collect() };
        for one in begun_with {
            fs::write(folder.join(format!("{}-{}", one.agent, one.scenario)), seed(one))?;
        }
    }
    Ok(())
}

fn seed(one: &Transcript) -> Vec<u8> {
    let mut seed = header(&one.exit);
    let lines: Vec<&[u8]> = one.stdout.split(|byte| *byte == b'\n').collect();
    let middle = lines.len().saturating_sub(LINES);
    // The beginning and the end tell most.
    for line in lines.iter().take(LINES / 2).chain(lines.iter().skip((LINES / 2).max(middle))) {
        seed.extend(short_line(line));
        seed.push(b'\n');
    }
    if !one.stderr.is_empty() {
        seed.push(ERRORS);
        let lines = one.stderr.split_inclusive(|byte| *byte == b'\n').take(LINES);
        seed.extend(lines.flat_map(|line| &line[..line.len().min(4 * TEXT)]));
    }
    seed
}

/// How the process ended, then the size of chunks, the kind of work and the length of long runs.
fn header(exit: &ExitFacts) -> Vec<u8> {
    let (how, code) = match (exit.ended_by_us, exit.code, exit.signal) {
        (Some(EndedBy::Waits { .. }), ..) => (13, 1),
        (Some(EndedBy::LogicalEnd), ..) => (15, 1),
        (Some(EndedBy::Interrupted), ..) => (12, 1),
        (Some(_), ..) => (8, 1),
        (None, Some(code), _) => (4, code),
        (None, None, signal) => (5, signal.unwrap_or_default()),
    };
    vec![how, u8::try_from(code).unwrap_or(1), 12, 1, 0]
}

fn short_line(line: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<Value>(line) {
        Ok(mut value) => {
            shorten(&mut value);
            value.to_string().into_bytes()
        }
        Err(_) => line[..line.len().min(TEXT)].to_vec(),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => text.truncate(text.floor_char_boundary(TEXT)),
        Value::Array(list) => {
            list.truncate(4);
            list.iter_mut().for_each(shorten);
        }
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().skip(ENTRIES).cloned().collect();
            for name in names {
                fields.shift_remove(&name);
            }
            fields.values_mut().for_each(shorten);
        }
        _ => {}
    }
}
