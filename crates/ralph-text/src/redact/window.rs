//! What a check sees: the text around an anchor, and whether more of it may come.

use super::{alphabet::Alphabet, checks::random::Tail, memo::Memo};

/// What became of a candidate: the bytes from here to there are a secret, or why not.
pub(super) type Verdict = Result<(usize, usize), Miss>;

/// Why there is no secret here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss {
    No,
    /// The text ends before it can be told.
    More,
}

/// How sure a check must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// For logs: one word too many costs little.
    Logs,
    /// For files that are about to be committed: a false alarm costs an attempt.
    Files,
}

/// A text with an anchor in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) text: &'a [u8],
    /// Where the anchor begins, and where it ends.
    pub(super) start: usize,
    pub(super) after: usize,
    /// Nothing follows.
    pub(super) is_whole: bool,
    pub(super) care: Care,
    pub(super) memo: &'a Memo,
}

impl<'a> Window<'a> {
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// What stands from here to there, as far as there is text.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        self.text.get(from..to.min(self.text.len())).unwrap_or_default()
    }

    pub(super) fn anchor(&self) -> &'a [u8] {
        self.slice(self.start, self.after)
    }

    /// Where a run of such bytes ends.
    pub(super) fn run(&self, from: usize, alphabet: Alphabet) -> Result<usize, Miss> {
        self.short_run(from, alphabet, usize::MAX)
    }

    /// The same for a secret of at most so many bytes.
    pub(super) fn short_run(
        &self,
        from: usize,
        alphabet: Alphabet,
        longest: usize,
    ) -> Result<usize, Miss> {
        let end = self.memo.run(self.text, from, alphabet);
        match end.saturating_sub(from) {
            length if length > longest => Err(Miss::No),
            _ if end < self.text.len() || self.is_whole => Ok(end),
            _ => Err(Miss::More),
        }
    }

    /// Behind those of the next few bytes that are in the list.
    pub(super) fn skip(&self, at: usize, which: &[u8]) -> usize {
        let rest = self.slice(at, at + 8);
        at + rest.iter().take_while(|byte| which.contains(byte)).count()
    }

    /// Asks about what stands from `from` to `end`, where a run of the alphabet ends.
    pub(super) fn ask(
        &self,
        (from, end): (usize, usize),
        alphabet: Alphabet,
        question: impl FnOnce(&mut Tail) -> bool,
    ) -> bool {
        self.memo.ask(self.text, (from, end), alphabet, question)
    }

    /// What to say where the text ends: wait if more may come.
    pub(super) fn at_end(&self) -> Miss {
        if self.is_whole { Miss::No } else { Miss::More }
    }

    /// Whether a word can begin at the anchor: what stands before belongs to something else.
    pub(super) fn begins_word(&self) -> bool {
        let before = self.text.get(..self.start).unwrap_or_default();
        match before.last() {
            Some(byte) if Alphabet::Token.has(*byte) => is_after_escape(before),
            _ => true,
        }
    }

    /// The word that the anchor ends or stands in, as far as it stands before it.
    pub(super) fn word_before(&self, most: usize) -> &'a [u8] {
        let before = self.slice(self.start.saturating_sub(most), self.start);
        let length = before.iter().rev().take_while(|byte| Alphabet::Name.has(**byte)).count();
        before.get(before.len() - length..).unwrap_or_default()
    }
}

/// Whether a text ends with the letter of an escape (`\n` in JSON) or of a terminal's colour (`ESC[32m`).
fn is_after_escape(before: &[u8]) -> bool {
    let Some((last, rest)) = before.split_last() else {
        return false;
    };
    if rest.last() == Some(&b'\\') {
        return true;
    }
    let rest = rest.trim_ascii_end();
    let digits = rest.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    let is_colour = rest.get(..rest.len() - digits).is_some_and(|rest| rest.ends_with(b"["));
    let is_unicode = before.len() >= 6
        && before.get(before.len() - 6..).is_some_and(|escape| escape.starts_with(b"\\u"));
    (*last == b'm' && is_colour) || is_unicode
}

/// Where an escape that is cut off at the end of a text begins: `\`, `\u`, `\u0`, …
pub(super) fn unfinished_escape(text: &[u8]) -> Option<usize> {
    let tail = text.iter().rev().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
    for digits in (1..=tail.min(3)).rev() {
        let before = text.get(..text.len() - digits).unwrap_or_default();
        if before.ends_with(b"\\u") && is_odd(before.get(..before.len() - 1).unwrap_or_default()) {
            return Some(before.len() - 2);
        }
    }
    if text.ends_with(b"\\u") && is_odd(text.get(..text.len() - 1).unwrap_or_default()) {
        return Some(text.len() - 2);
    }
    is_odd(text).then(|| text.len() - 1)
}

/// Whether a text ends with an odd number of backslashes: the last one says something about what follows. After ESC one
/// ends a terminal's string.
fn is_odd(text: &[u8]) -> bool {
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
        && !text.ends_with(b"\x1b\\")
}
