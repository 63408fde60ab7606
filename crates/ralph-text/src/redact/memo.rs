//! What one scan remembers, so that no stretch of text is read again for each of the many anchors in it.
//!
//! A run of an alphabet ends at the same place from wherever in it one looks, and what is known of a run's end holds
//! for each of its shorter ends too. That makes every check's cost grow with the text, whatever the text is.

use std::cell::{Cell, RefCell};

use super::{
    alphabet::{ALPHABETS, Alphabet},
    checks::random::Tail,
};

/// Shared by all checks of one scan.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// Of each alphabet the last run that was read, from where on, and where it ends.
    runs: [Cell<(usize, usize)>; ALPHABETS],
    /// Of each alphabet what is known of the end of a run.
    tails: [RefCell<Option<Box<Tail>>>; ALPHABETS],
    /// The last secret that was found.
    found: Cell<(usize, usize)>,
}

impl Memo {
    /// Where the run of such bytes that `from` stands in ends; `from` itself if no such byte stands there.
    pub(super) fn run(&self, text: &[u8], from: usize, alphabet: Alphabet) -> usize {
        let Some(last) = self.runs.get(alphabet as usize) else { return from };
        let (start, end) = last.get();
        if (start..end).contains(&from) {
            return end;
        }
        let rest = text.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !alphabet.has(*byte));
        let end = from + length.unwrap_or(rest.len());
        last.set((from, end));
        end
    }

    /// Asks about the end of a run, from `from` on. `end` is where a run of the alphabet ends. What is part of a secret
    /// already need not be looked at: yes.
    pub(super) fn ask(
        &self,
        text: &[u8],
        (from, end): (usize, usize),
        alphabet: Alphabet,
        question: impl FnOnce(&mut Tail) -> bool,
    ) -> bool {
        let (start, found) = self.found.get();
        if start <= from && end <= found {
            return true;
        }
        let slot = self.tails.get(alphabet as usize).and_then(|slot| slot.try_borrow_mut().ok());
        let Some(mut slot) = slot else { return false };
        match slot.as_mut() {
            Some(tail) if tail.covers(from, end) => tail.shorten(from),
            Some(tail) => **tail = Tail::of(text, from, end),
            None => *slot = Some(Box::new(Tail::of(text, from, end))),
        }
        slot.as_mut().is_some_and(|tail| question(tail))
    }

    /// Takes down the last secret.
    pub(super) fn found(&self, start: usize, end: usize) {
        self.found.set((start, end));
    }
}
