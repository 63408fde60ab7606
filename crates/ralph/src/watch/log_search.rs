//! A search through a whole log on disk, a part at a time.

use std::io;

use ralph_engine::follow::CallLog;

use super::{stream, window::STEP};

/// Most places that are counted.
const MOST: usize = 100_000;

/// A search through a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Search {
    sought: String,
    places: Vec<u64>,
    chosen: usize,
    searched: u64,
    length: u64,
}

impl Search {
    /// A search from the log's beginning on.
    pub(super) fn new(sought: &str) -> Self {
        let sought = sought.to_lowercase();
        Self { sought, places: Vec::new(), chosen: 0, searched: 0, length: u64::MAX }
    }

    /// Whether there is more to search.
    pub(super) fn is_going(&self) -> bool {
        self.searched < self.length
    }

    /// Whether this is what is sought, in small letters.
    pub(super) fn is_for(&self, sought: &str) -> bool {
        self.sought == sought
    }

    /// The place after the chosen one, or the one before.
    pub(super) fn turn(&mut self, by: isize) -> Option<u64> {
        let count = isize::try_from(self.places.len()).ok().filter(|count| *count > 0)?;
        let at = isize::try_from(self.chosen).unwrap_or_default();
        // What was said since is searched as well.
        self.length = u64::MAX;
        self.chosen = usize::try_from((at + by).rem_euclid(count)).unwrap_or_default();
        self.places.get(self.chosen).copied()
    }

    /// Searches the next part; gives the first place of all if that is in it.
    pub(super) fn step(&mut self, log: &CallLog) -> io::Result<Option<u64>> {
        let had_none = self.places.is_empty();
        let (sought, places) = (&self.sought, &mut self.places);
        let next = log.read(self.searched, STEP, |place, said| {
            let has_it = |text: &&str| text.to_lowercase().contains(sought);
            if places.len() < MOST && stream::texts(&said).iter().any(has_it) {
                places.push(place);
            }
            true
        })?;
        // The part of a line at the end is searched once it is whole.
        self.length = if next == self.searched { next } else { log.length() };
        self.searched = next;
        Ok(self.places.first().copied().filter(|_| had_none))
    }

    /// How many places there are, and how far it is.
    pub(super) fn told(&self) -> String {
        let count = match self.places.len() {
            0 if self.is_going() => "nothing yet".to_owned(),
            0 => "not in this log".to_owned(),
            count => format!("{} of {count}", self.chosen + 1),
        };
        if !self.is_going() || self.length == u64::MAX {
            return format!("{}: {count}   n N", self.sought);
        }
        let (searched, length) = (size(self.searched), size(self.length));
        format!("{}: {count}, {searched} of {length} searched   n N", self.sought)
    }
}

/// `412 MB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}
