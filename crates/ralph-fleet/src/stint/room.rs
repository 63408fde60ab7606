//! Whether a host has room for a stint. A full disk would let every stint fail: what is published goes first, and if
//! that is not enough, another host may have room.

use std::path::Path;

use nix::sys::statvfs::statvfs;

use super::{
    host::{Host, Lost},
    quota::Quota,
};

/// What sizes are given in.
const MIB: u64 = 1 << 20;

impl Host {
    /// Makes room below the host's root if there is too little.
    pub(super) fn make_room(&self) -> Result<(), Lost> {
        let wanted = self.quota.free_bytes;
        let is_short = || free(&self.root).filter(|free| *free < wanted);
        if is_short().is_none() {
            return Ok(());
        }
        Quota { finished: 0, idle: 0, ..self.quota }.tidy(&self.root);
        is_short().map_or(Ok(()), |free| {
            Err(Lost::Refused(format!(
                "host {} has {} MiB left for {}, but a stint needs {} MiB to start; free some space",
                self.name,
                free / MIB,
                self.root.display(),
                wanted / MIB
            )))
        })
    }
}

/// Bytes that may still be written on this folder's file system; a host that cannot tell is not kept from working.
fn free(root: &Path) -> Option<u64> {
    let known = root.ancestors().find_map(|folder| statvfs(folder).ok())?;
    Some(known.blocks_available().saturating_mul(known.fragment_size()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::stint::{Line, Rank};

    #[test]
    fn a_host_without_room_drops_what_is_published_and_refuses() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let mut host = Host::new("a", root.path(), "ralph");
        let (idle, unpublished) = (root.path().join("loops/idle"), root.path().join("loops/x"));
        for folder in [&idle, &unpublished] {
            fs::create_dir_all(folder.join("work"))?;
        }
        fs::write(idle.join("synced"), "c")?;
        host.quota.free_bytes = 0;
        assert!(host.make_room().is_ok() && idle.exists());
        host.quota = Quota { free_bytes: u64::MAX, ..host.quota };
        let spec = json!({"repo": "nowhere", "branch": "b", "tenant": "t", "account": "a"});
        let input = json!({"spec": spec, "key": "loop/b", "wishes": []});
        let rank = Rank { scheduled_ms: 1, attempt: 1 };
        let ended = host.work(&serde_json::from_value(input)?, rank, &Line::new("a"), None);
        let why = match ended {
            Err(Lost::Refused(why)) => why,
            other => format!("{other:?}"),
        };
        assert!(why.starts_with("host a has ") && why.contains(" MiB left"), "{why}");
        assert!(!idle.exists() && unpublished.exists());
        Ok(())
    }
}
