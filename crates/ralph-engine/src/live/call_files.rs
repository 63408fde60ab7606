//! Writes the files that one call needs twice: as they are where the call reads them, and without secrets into the
//! call's record.

use std::{io, path::PathBuf};

use ralph_core::effect::AgentCall;

use super::call_home::CallHome;
use crate::sink::RedactedFiles;

/// The places of one call's files.
pub(super) struct CallFiles<'a> {
    pub(super) call_home: &'a CallHome,
    pub(super) redacted: &'a RedactedFiles,
    /// The folder of the record, which stays after the call.
    pub(super) record: PathBuf,
}

impl CallFiles<'_> {
    /// Writes one file to both places.
    pub(super) fn write(&self, call: &AgentCall, name: &str, text: &[u8]) -> io::Result<()> {
        self.call_home.write(name, text)?;
        let recorded = without_seal(call, &String::from_utf8_lossy(text));
        self.redacted.write(&self.record.join(name), recorded.as_bytes())
    }

    /// Where the call reads the files.
    pub(super) fn folder(&self) -> PathBuf {
        self.call_home.files()
    }

    pub(super) fn scratch(&self) -> PathBuf {
        self.call_home.scratch()
    }
}

/// A text without the word that only this call's reviewer may know: what a reviewer runs can read the record.
pub(super) fn without_seal(call: &AgentCall, text: &str) -> String {
    match call.seal.as_str() {
        "" => text.to_owned(),
        seal => text.replace(seal, "(the word of this review)"),
    }
}
