//! What a truth says about itself: which refs of the run lie where on the remote, which trees it carries, how long the
//! journal is. And how a journal is cut into segments, so that what was published once is never sent again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The largest segment of a journal.
pub(super) const SEGMENT: usize = 512 * 1024;

/// The contents of `published.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Published {
    /// The run's refs by the names they have where it works.
    pub refs: BTreeMap<String, Kept>,
    /// Trees that no ref keeps yet.
    pub trees: Vec<String>,
    pub journal_bytes: u64,
    /// Names of the wishes that the run has not taken yet.
    pub inbox: Vec<String>,
}

/// A ref's value and where the remote keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub oid: String,
    /// Another name than its own where somebody else has moved that one.
    pub at: String,
}

/// The files of a truth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    pub plan: Option<Vec<u8>>,
    pub settings: Option<Vec<u8>>,
    /// The workspace's record, once it is closed.
    pub workspace: Option<Vec<u8>>,
    pub journal: Vec<u8>,
    /// Wishes that the run has not taken yet, by the names of their files.
    pub inbox: BTreeMap<String, Vec<u8>>,
}

/// A segment's name in the truth.
pub(super) fn segment_name(number: usize) -> String {
    format!("journal/{number:06}.jsonl")
}

/// How many segments a journal of this length has.
pub(super) fn segment_count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(SEGMENT)
}

/// The segments that a journal has and a published beginning of it had not, or not whole.
pub(super) fn segments_after(
    journal: &[u8],
    published: usize,
) -> impl Iterator<Item = (usize, &[u8])> {
    let first = published / SEGMENT;
    journal.chunks(SEGMENT).enumerate().skip(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_segments_that_changed_are_written_again() {
        let journal = vec![b'j'; 2 * SEGMENT + 7];
        let lengths = |published| -> Vec<(usize, usize)> {
            segments_after(&journal, published).map(|(n, part)| (n, part.len())).collect()
        };
        assert_eq!(lengths(0), [(0, SEGMENT), (1, SEGMENT), (2, 7)]);
        assert_eq!(lengths(SEGMENT - 1), [(0, SEGMENT), (1, SEGMENT), (2, 7)]);
        assert_eq!(lengths(SEGMENT), [(1, SEGMENT), (2, 7)]);
        assert_eq!(lengths(2 * SEGMENT + 3), [(2, 7)]);
        assert_eq!(segment_count(journal.len() as u64), 3);
        assert_eq!(segment_count(0), 0);
    }
}
