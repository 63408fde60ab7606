//! Cuts a byte stream into lines in bounded memory. Knows nothing of text encodings or of JSON.

use std::io::BufRead;

/// Longest line that is kept whole unless told otherwise.
pub const MAX_LINE: usize = 4 * 1024 * 1024;

/// How much of a line that is too long is shown.
pub const PREFIX: usize = 4096;

/// Buffers above this are given back once their line is done.
const KEEP: usize = 256 * 1024;

/// One line, without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    Whole(&'a [u8]),
    /// Longer than the cap; only its beginning is known.
    TooLong {
        prefix: &'a [u8],
    },
}

/// Cuts chunks into lines; the result does not depend on where the chunks were cut.
#[derive(Debug)]
pub struct LineSplitter {
    cap: usize,
    pending: Vec<u8>,
    /// The current line was delivered as too long; the rest of it is dropped.
    is_discarding: bool,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_cap(MAX_LINE)
    }
}

impl LineSplitter {
    /// Lines longer than `cap` bytes are cut down to a prefix.
    pub fn with_cap(cap: usize) -> Self {
        Self { cap, pending: Vec::new(), is_discarding: false }
    }

    /// Delivers every line that `chunk` completes. A line inside one chunk is not copied.
    pub fn feed(&mut self, mut chunk: &[u8], mut deliver: impl FnMut(Line<'_>)) {
        while !chunk.is_empty() {
            let (piece, rest, is_complete) = cut(chunk);
            chunk = rest;
            if self.is_discarding {
                self.is_discarding = !is_complete;
            } else if self.pending.is_empty() && is_complete && piece.len() <= self.cap {
                deliver(Line::Whole(piece));
            } else {
                self.extend(piece, is_complete, &mut deliver);
            }
        }
    }

    /// Delivers the last line if it had no newline.
    pub fn finish(&mut self, mut deliver: impl FnMut(Line<'_>)) {
        if !self.pending.is_empty() {
            deliver(Line::Whole(&self.pending));
        }
        self.pending = Vec::new();
        self.is_discarding = false;
    }

    fn extend(&mut self, piece: &[u8], is_complete: bool, deliver: &mut impl FnMut(Line<'_>)) {
        if self.pending.len() + piece.len() > self.cap {
            let wanted = PREFIX.min(self.cap).saturating_sub(self.pending.len()).min(piece.len());
            self.pending.extend_from_slice(&piece[..wanted]);
            self.pending.truncate(PREFIX.min(self.cap));
            deliver(Line::TooLong { prefix: &self.pending });
            self.is_discarding = !is_complete;
            self.reset();
            return;
        }
        self.pending.extend_from_slice(piece);
        if is_complete {
            deliver(Line::Whole(&self.pending));
            self.reset();
        }
    }

    fn reset(&mut self) {
        self.pending.clear();
        self.pending.shrink_to(KEEP);
    }
}

/// The bytes before the first newline, those after it, and whether there was one.
fn cut(chunk: &[u8]) -> (&[u8], &[u8], bool) {
    let mut rest = chunk;
    // `skip_until` on a slice cannot fail and searches with the platform's fastest scan.
    let skipped = rest.skip_until(b'\n').unwrap_or(chunk.len());
    match chunk[..skipped].split_last() {
        Some((b'\n', piece)) => (piece, rest, true),
        _ => (&chunk[..skipped], rest, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq, Clone)]
    enum Owned {
        Whole(Vec<u8>),
        TooLong(Vec<u8>),
    }

    fn split(chunks: &[&[u8]], cap: usize) -> Vec<Owned> {
        let mut splitter = LineSplitter::with_cap(cap);
        let mut lines = Vec::new();
        let mut keep = |line: Line<'_>| {
            lines.push(match line {
                Line::Whole(bytes) => Owned::Whole(bytes.to_vec()),
                Line::TooLong { prefix } => Owned::TooLong(prefix.to_vec()),
            });
        };
        for chunk in chunks {
            splitter.feed(chunk, &mut keep);
        }
        splitter.finish(&mut keep);
        lines
    }

    #[test]
    fn every_chunking_gives_the_same_lines() {
        let text = b"one\n\ntwo\xff\nfar too long\nsixsix\nend";
        let expected = vec![
            Owned::Whole(b"one".to_vec()),
            Owned::Whole(Vec::new()),
            Owned::Whole(b"two\xff".to_vec()),
            Owned::TooLong(b"far to".to_vec()),
            Owned::Whole(b"sixsix".to_vec()),
            Owned::Whole(b"end".to_vec()),
        ];
        assert_eq!(split(&[text], 6), expected);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(split(&chunks, 6), expected, "cut at {first} and {second}");
            }
        }
        let single: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(split(&single, 6), expected);
    }

    #[test]
    fn a_line_that_ends_with_the_stream_is_delivered_once() {
        assert_eq!(split(&[b"a\n"], 6), [Owned::Whole(b"a".to_vec())]);
        assert_eq!(split(&[b"much too long"], 6), [Owned::TooLong(b"much t".to_vec())]);
        assert_eq!(split(&[], 6), []);
    }

    #[test]
    fn an_endless_line_is_held_in_bounded_memory() {
        let mut splitter = LineSplitter::with_cap(1024 * 1024);
        let chunk = vec![b'x'; 64 * 1024];
        let mut delivered = 0;
        for _ in 0..1000 {
            splitter.feed(&chunk, |_| delivered += 1);
            assert!(splitter.pending.capacity() <= 2 * 1024 * 1024);
        }
        assert_eq!(delivered, 1);
        assert!(splitter.pending.capacity() <= KEEP);
    }

    #[test]
    fn a_line_inside_one_chunk_is_not_copied() {
        let mut splitter = LineSplitter::default();
        let chunk = b"whole\n";
        splitter.feed(chunk, |line| match line {
            Line::Whole(bytes) => assert_eq!(bytes.as_ptr(), chunk.as_ptr()),
            Line::TooLong { .. } => unreachable!("the line is short"),
        });
        assert_eq!(splitter.pending.capacity(), 0);
    }
}
