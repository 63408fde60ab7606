//! What a person asks for in a view, sent to the loop under the name it has there. It stays in the view's inbox until the
//! run has taken it, so that the view shows it as sent.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::wire::Wish;

/// Takes wishes from a folder, each once.
pub(super) struct Forwarder {
    inbox: PathBuf,
    sent: BTreeSet<String>,
}

impl Forwarder {
    pub(super) fn new(inbox: PathBuf) -> Self {
        Self { inbox, sent: BTreeSet::new() }
    }

    /// Wishes that were not sent yet, oldest first. Those that the journal names are removed.
    pub(super) fn new_wishes(&mut self, journal: &[u8]) -> Vec<Wish> {
        let Ok(entries) = fs::read_dir(&self.inbox) else { return Vec::new() };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        found.sort();
        found.iter().filter_map(|path| self.take(path, journal)).collect()
    }

    fn take(&mut self, path: &Path, journal: &[u8]) -> Option<Wish> {
        let id = path.file_name()?.to_str().filter(|name| !name.starts_with('.'))?.to_owned();
        if path.extension()? != "json" {
            return None;
        }
        if self.sent.contains(&id) {
            if journal.windows(id.len()).any(|part| part == id.as_bytes()) {
                // One that cannot be removed is shown as sent for longer, and is not sent again.
                let _ = fs::remove_file(path);
            }
            return None;
        }
        let wish = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        self.sent.insert(id.clone());
        Some(Wish { id, wish })
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::input;

    use super::*;

    #[test]
    fn a_wish_is_sent_once_and_stays_until_the_run_has_taken_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0000000000001-7-000000.json");
        fs::write(&path, serde_json::to_vec(&input::Wish::Stop).unwrap()).unwrap();
        fs::write(folder.path().join(".half.json"), "{").unwrap();
        let mut forwarder = Forwarder::new(folder.path().to_owned());
        let sent = forwarder.new_wishes(b"");
        assert_eq!(sent.len(), 1);
        assert_eq!(
            (sent[0].id.as_str(), &sent[0].wish),
            ("0000000000001-7-000000.json", &input::Wish::Stop)
        );
        assert!(forwarder.new_wishes(b"{}").is_empty() && path.exists());
        assert!(forwarder.new_wishes(b"{\"id\":\"0000000000001-7-000000.json\"}").is_empty());
        assert!(!path.exists());
    }
}
