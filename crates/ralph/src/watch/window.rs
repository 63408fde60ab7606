//! A part of a log around a place: some items before it, some after it, whatever the log's length.

use std::io;

use ralph_engine::follow::CallLog;

use super::stream::{KEPT, Stream};

/// Bytes that are read at once.
pub(super) const STEP: usize = 1 << 20;
/// So far back something to show is looked for.
const MOST: u64 = 64 << 20;

/// What was said around a place.
pub(super) fn around(log: &CallLog, place: u64) -> io::Result<Stream> {
    let mut reach = STEP as u64;
    loop {
        let from = place.saturating_sub(reach);
        let mut stream = Stream::beginning(from > 0);
        before(log, &mut stream, (from, place))?;
        if stream.items.is_empty() && from > 0 && reach < MOST {
            reach *= 4;
            continue;
        }
        after(log, &mut stream, place)?;
        return Ok(stream);
    }
}

fn before(log: &CallLog, stream: &mut Stream, (mut at, place): (u64, u64)) -> io::Result<()> {
    while at < place {
        let most = usize::try_from(place - at).unwrap_or(STEP).min(STEP);
        let next = log.read(at, most, |line, said| {
            stream.take(line, &said);
            stream.keep(KEPT / 2);
            true
        })?;
        if next == at {
            break;
        }
        at = next;
    }
    Ok(())
}

fn after(log: &CallLog, stream: &mut Stream, place: u64) -> io::Result<()> {
    let end = place + 2 * STEP as u64;
    let (mut at, mut has_more) = (place, true);
    while at < end && stream.items.len() < KEPT {
        let next = log.read(at, STEP, |line, said| {
            let has_room = stream.items.len() < KEPT;
            if has_room {
                stream.take(line, &said);
            }
            has_room
        })?;
        has_more = next > at;
        if !has_more {
            break;
        }
        at = next;
    }
    stream.is_cut_below = has_more && at < log.length();
    Ok(())
}
