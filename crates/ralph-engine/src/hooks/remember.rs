//! The file in which hooks remember what they said to a session. Hooks of one session may run at once: one at a time.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use ralph_agents::hooks::Memo;

/// The memo of a session, which nobody else changes meanwhile.
pub(super) struct Held(File);

/// Takes the memo of a session; `None` if nothing can be remembered here.
pub(super) fn open(folder: &Path, session: &str) -> Option<Held> {
    if !folder.is_absolute() {
        return None;
    }
    let name = format!("hooks-{:08x}.json", crc32fast::hash(session.as_bytes()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(folder.join(name)).ok()?;
    file.lock().ok()?;
    Some(Held(file))
}

impl Held {
    /// What was said so far.
    pub(super) fn read(&mut self) -> Memo {
        let mut text = Vec::new();
        let read = self.0.rewind().and_then(|()| self.0.read_to_end(&mut text));
        read.ok().and_then(|_| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Remembers it.
    pub(super) fn write(mut self, memo: &Memo) -> io::Result<()> {
        self.0.rewind()?;
        self.0.set_len(0)?;
        self.0.write_all(&serde_json::to_vec(memo)?)
    }
}
