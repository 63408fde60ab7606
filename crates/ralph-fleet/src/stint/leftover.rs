//! What an earlier stint left on this host and the remote never got: a host that was killed, drained or cut off may have
//! commits that nobody else has. They are set aside, never removed.

use std::path::Path;

use anyhow::Result;

use super::{holding::Stint, place};

impl Stint<'_> {
    /// Takes an old folder out of the way of a new one.
    pub(super) fn clear(&self, work: &Path, was_synced: bool) -> Result<()> {
        if !was_synced && work.join(".git").is_dir() {
            // What cannot be looked at may be anything.
            if self.repository.lacks_work_of(work).unwrap_or(true) {
                return self.folder.keep(self.claimed.lease.epoch).map(drop);
            }
        }
        place::remove(work)
    }
}
