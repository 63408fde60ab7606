//! A text without what nobody will see of it: control sequences, control characters and invisible ones, also where they
//! are escaped in JSON. They can stand inside a secret, which would be whole again once they are dropped; so can
//! letters that are escaped though they need not be.

use super::token::{DEEPEST, Token, is_plain};
use crate::sanitise::sequence::{Sequence, is_unseen};

/// How a text is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// How often what it holds is escaped at most.
    pub(super) depth: u32,
    /// What a sequence that is a string holds counts as text: whoever sees only the end of one sees that.
    pub(super) shows_strings: bool,
    pub(super) is_whole: bool,
}

/// What is left of a text, and where each piece of it stood.
#[derive(Debug, Default)]
pub(super) struct Bare {
    pub(super) text: Vec<u8>,
    pieces: Vec<Piece>,
    /// Where the original ends, or something in it begins whose end is still to come.
    end: usize,
}

/// Bytes that stood together.
#[derive(Debug, Clone, Copy)]
struct Piece {
    here: usize,
    /// Where it began in the original.
    there: usize,
    /// How many bytes of the original its last one took: more than one if it was escaped.
    width: usize,
}

/// The ways in which a text must be read; none for nearly every text.
pub(super) fn readings(text: &[u8], is_whole: bool) -> Vec<Reading> {
    let (mut is_found, mut has_strings) = ([false; DEEPEST as usize + 1], false);
    let (mut at, mut sequence) = (0, Sequence::None);
    while at < text.len() {
        if sequence == Sequence::None {
            at += plain(text, at);
        }
        if at == text.len() {
            break;
        }
        let Some(token) = Token::read(text, at, DEEPEST) else {
            // What is cut off may be anything.
            is_found = is_found.map(|is_found| is_found || !is_whole);
            break;
        };
        let was_text = sequence == Sequence::None;
        let is_taken = sequence.takes(token.c);
        if (is_taken && was_text || is_unseen(token.c) || token.spells_out().is_some())
            && let Some(found) = is_found.get_mut(token.depth as usize)
        {
            *found = true;
        }
        if sequence == Sequence::Text {
            has_strings = true;
            sequence = Sequence::None;
        }
        at += token.length;
    }
    // A string of JSON ends what nothing else ended in it.
    if let [true, once, ..] = &mut is_found
        && has_strings
        && text.contains(&b'"')
    {
        *once = true;
    }
    let depths = (0..).zip(is_found).filter(|(_, is_found)| *is_found).map(|(depth, _)| depth);
    let read = |depth| Reading { depth, shows_strings: false, is_whole };
    let mut readings: Vec<Reading> = depths.map(read).collect();
    let deepest = readings.last().copied().filter(|_| has_strings);
    readings.extend(deepest.map(|last| Reading { shows_strings: true, ..last }));
    readings
}

impl Bare {
    pub(super) fn read(text: &[u8], reading: Reading) -> Self {
        let mut bare = Self { end: text.len(), ..Self::default() };
        let (mut at, mut begun, mut sequence) = (0, 0, Sequence::None);
        while at < text.len() {
            if sequence == Sequence::None {
                let length = plain(text, at);
                bare.keep(text, at, length);
                at += length;
                begun = at;
            } else if sequence == Sequence::Text {
                at += inside(text, at);
            }
            let Some(token) = Token::read(text, at, reading.depth) else {
                if !reading.is_whole {
                    bare.end = begun;
                    return bare;
                }
                bare.keep(text, at, text.len() - at);
                return bare;
            };
            if token.is_border {
                sequence = Sequence::None;
            }
            let is_taken = !token.is_border && sequence.takes(token.c);
            if !is_taken && !is_unseen(token.c) {
                match token.spells_out() {
                    Some(byte) => bare.spell_out(byte, at, token.length),
                    None => bare.keep(text, at, token.length),
                }
            }
            if reading.shows_strings && sequence == Sequence::Text {
                sequence = Sequence::None;
            }
            at += token.length;
        }
        if sequence != Sequence::None && !reading.is_whole {
            bare.end = begun;
        }
        bare
    }

    fn keep(&mut self, text: &[u8], at: usize, length: usize) {
        let goes_on = self
            .pieces
            .last()
            .is_some_and(|last| last.width == 1 && at - last.there == self.text.len() - last.here);
        if !goes_on && length > 0 {
            self.pieces.push(Piece { here: self.text.len(), there: at, width: 1 });
        }
        self.text.extend_from_slice(text.get(at..at + length).unwrap_or_default());
    }

    fn spell_out(&mut self, byte: u8, at: usize, width: usize) {
        self.pieces.push(Piece { here: self.text.len(), there: at, width });
        self.text.push(byte);
    }

    /// Where a byte stood.
    pub(super) fn place(&self, at: usize) -> usize {
        self.piece(at).map_or(self.end, |piece| piece.there + (at - piece.here))
    }

    /// Where that ended whose last byte is the one before this.
    pub(super) fn end(&self, at: usize) -> usize {
        let last = at.saturating_sub(1);
        self.place(last) + self.piece(last).map_or(1, |piece| piece.width)
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let before = self.pieces.partition_point(|piece| piece.here <= at).checked_sub(1)?;
        self.pieces.get(before).filter(|_| at < self.text.len())
    }

    /// Which byte stood at a place or is the next one after it.
    pub(super) fn after(&self, place: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.there <= place);
        let border = self.pieces.get(next).map_or(self.text.len(), |piece| piece.here);
        match next.checked_sub(1).and_then(|piece| self.pieces.get(piece)) {
            Some(piece) => (piece.here + (place - piece.there)).min(border),
            None => border,
        }
    }
}

/// How many bytes from here on cannot end a string that a terminal gets.
fn inside(text: &[u8], at: usize) -> usize {
    let is_inside = |byte: &&u8| is_plain(**byte) && !matches!(byte, b'"' | b'\n');
    text.get(at..).unwrap_or_default().iter().take_while(is_inside).count()
}

/// How many bytes from here on can be nothing but text.
fn plain(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    // Blocks are looked at whole, without a branch for each byte.
    let (blocks, _) = rest.as_chunks::<32>();
    let is_all = |block: &&[u8; 32]| block.iter().fold(true, |all, byte| all & is_plain(*byte));
    let whole = blocks.iter().take_while(is_all).count() * 32;
    whole + rest.iter().skip(whole).take_while(|byte| is_plain(**byte)).count()
}
