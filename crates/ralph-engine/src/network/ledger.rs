//! What the gateway writes down: a line for each connection, and the sums for each host.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ralph_core::{
    isolation::{Contact, Traffic},
    network::Why,
};
use serde::Serialize;

use crate::sink::{RedactedFiles, Sink};

/// Most lines of one log: a box that connects without end must not fill the disk.
const MOST_LINES: u64 = 20_000;
/// Longest name that is kept of what a client made up.
const LONGEST_NAME: usize = 100;

/// One connection from the box.
#[derive(Debug, Default)]
pub(super) struct Visit {
    /// Whom it asked for, as it wrote it.
    pub host: String,
    pub port: u16,
    pub is_relayed: bool,
    /// It got what it asked for, as far as that is ralph's.
    pub is_allowed: bool,
    /// It got an answer, so that none of ralph's own may follow.
    pub is_answered: bool,
    pub up: u64,
    pub down: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    via: &'a str,
    host: &'a str,
    port: u16,
    decision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
    up: u64,
    down: u64,
    ms: u64,
}

/// The log and the sums.
#[derive(Debug)]
pub(super) struct Ledger {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Where the log is opened once there is something to write.
    log: Option<(RedactedFiles, PathBuf)>,
    sink: Option<Sink>,
    lines: u64,
    traffic: Traffic,
}

impl Ledger {
    /// A ledger that writes to `log`, from the first connection on.
    pub(super) fn new(log: (RedactedFiles, PathBuf)) -> Self {
        let inner = Inner { log: Some(log), sink: None, lines: 0, traffic: Traffic::default() };
        Self { inner: Mutex::new(inner) }
    }

    /// Writes a connection down when it is over.
    pub(super) fn note(&self, visit: &Visit, why: Option<Why>, took: Duration) {
        let refused = why.filter(|_| !visit.is_allowed);
        let contact = Contact {
            host: shown(&visit.host),
            allowed: u64::from(visit.is_allowed),
            refused: u64::from(!visit.is_allowed),
            why: refused.map(Why::words).unwrap_or_default().to_owned(),
            sent: visit.up,
            received: visit.down,
        };
        let line = Line {
            v: 1,
            via: if visit.is_relayed { "relay" } else { "connect" },
            host: &visit.host,
            port: visit.port,
            decision: if visit.is_allowed { "allowed" } else { "refused" },
            why,
            up: visit.up,
            down: visit.down,
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        };
        let mut inner = self.lock();
        inner.traffic.add(&[contact]);
        inner.lines += 1;
        let is_room = inner.lines <= MOST_LINES;
        if let Some((redacted, path)) = inner.log.take() {
            inner.sink = redacted.open(&path).ok();
        }
        // The log is for people; a full disk must not cut the agent off, and ends the run elsewhere.
        if let Some(sink) = inner.sink.as_mut().filter(|_| is_room) {
            sink.line(&line).ok();
            sink.show();
        }
    }

    /// Closes the log and gives the sums by host. Connections that end later are not written down.
    pub(super) fn close(&self) -> Vec<Contact> {
        let mut inner = self.lock();
        inner.log = None;
        if let Some(sink) = inner.sink.take() {
            sink.finish().ok();
        }
        inner.traffic.contacts().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that a client made up as it can be shown: short, on one line, without control characters.
fn shown(host: &str) -> String {
    let escape = |one: char| {
        if one.is_ascii_graphic() { one.to_string() } else { one.escape_unicode().to_string() }
    };
    match host {
        "" => "-".to_owned(),
        host => host.chars().take(LONGEST_NAME).map(escape).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names_are_shown_harmlessly() {
        assert_eq!(shown("a\u{1b}[2J\0\u{456}"), "a\\u{1b}[2J\\u{0}\\u{456}");
        assert_eq!(shown(&"a".repeat(2 * LONGEST_NAME)).len(), LONGEST_NAME);
    }
}
