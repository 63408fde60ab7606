//! Turns the raw bytes of a terminal program into clean lines, in constant memory and whatever the chunks.
//!
//! Invalid UTF-8 is replaced, escape sequences and control characters are dropped, and a line that was
//! redrawn with carriage returns is reduced to its last state.

use crate::sanitise::sequence::Sequence;

/// Longest piece handed on at once; a longer line arrives in several pieces.
const PIECE: usize = 4096;

/// A line, or a piece of a very long one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    pub text: &'a str,
    /// The line begins here.
    pub begins: bool,
}

/// Reads bytes in any chunks and hands on clean lines.
#[derive(Debug, Default)]
pub struct Lines {
    /// Bytes of a character that is not complete yet.
    partial: Vec<u8>,
    sequence: Sequence,
    line: String,
    chars: usize,
    /// A piece of this line was handed on already.
    continued: bool,
    /// A carriage return came; the next visible character begins the line anew.
    returned: bool,
    /// Something of this line was seen, if only a control character.
    open: bool,
}

impl Lines {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(Piece<'_>)) {
        let joined;
        let mut rest = if self.partial.is_empty() {
            bytes
        } else {
            let mut start = std::mem::take(&mut self.partial);
            start.extend_from_slice(bytes);
            joined = start;
            &joined
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text, each),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), each);
                    let Some(bad) = error.error_len() else {
                        self.partial = after.to_vec();
                        return;
                    };
                    self.char(char::REPLACEMENT_CHARACTER, each);
                    rest = after.get(bad..).unwrap_or_default();
                }
            }
        }
    }

    /// The stream is over: hands on what is left.
    pub fn finish(&mut self, each: &mut dyn FnMut(Piece<'_>)) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.char(char::REPLACEMENT_CHARACTER, each);
        }
        self.sequence = Sequence::None;
        if self.open {
            self.end_line(each);
        }
    }

    fn text(&mut self, mut text: &str, each: &mut dyn FnMut(Piece<'_>)) {
        while let Some(first) = text.chars().next() {
            let is_plain = self.sequence == Sequence::None && !self.returned;
            let run = if is_plain { plain_length(text) } else { 0 };
            if run == 0 {
                self.char(first, each);
                text = text.get(first.len_utf8()..).unwrap_or_default();
            } else {
                let (plain, rest) = text.split_at(run);
                self.run(plain, each);
                text = rest;
            }
        }
    }

    /// Characters that mean nothing but themselves, many at once.
    fn run(&mut self, mut plain: &str, each: &mut dyn FnMut(Piece<'_>)) {
        self.open = true;
        while !plain.is_empty() {
            let room = PIECE - self.chars;
            let end = plain.char_indices().nth(room).map_or(plain.len(), |(at, _)| at);
            let (now, later) = plain.split_at(end);
            self.line.push_str(now);
            self.chars += now.chars().count();
            self.hand_on_when_full(each);
            plain = later;
        }
    }

    fn char(&mut self, c: char, each: &mut dyn FnMut(Piece<'_>)) {
        if c == '\n' {
            self.sequence = Sequence::None;
            return self.end_line(each);
        }
        self.open = true;
        if !self.sequence.takes(c) {
            self.plain(c, each);
        }
    }

    fn plain(&mut self, c: char, each: &mut dyn FnMut(Piece<'_>)) {
        if c == '\r' {
            self.returned = true;
            return;
        }
        if c.is_control() && c != '\t' {
            return;
        }
        if std::mem::take(&mut self.returned) {
            self.line.clear();
            self.chars = 0;
        }
        self.line.push(c);
        self.chars += 1;
        self.hand_on_when_full(each);
    }

    fn hand_on_when_full(&mut self, each: &mut dyn FnMut(Piece<'_>)) {
        if self.chars == PIECE {
            self.hand_on(each);
            self.continued = true;
        }
    }

    fn end_line(&mut self, each: &mut dyn FnMut(Piece<'_>)) {
        if !self.continued || !self.line.is_empty() {
            self.hand_on(each);
        }
        self.continued = false;
        self.returned = false;
        self.open = false;
    }

    fn hand_on(&mut self, each: &mut dyn FnMut(Piece<'_>)) {
        each(Piece { text: &self.line, begins: !self.continued });
        self.line.clear();
        self.chars = 0;
    }
}

/// Bytes up to the first control character; 0xC2 is what some of them begin with.
fn plain_length(text: &str) -> usize {
    let is_special = |byte: &u8| (*byte < b' ' && *byte != b'\t') || *byte == 0x7f || *byte == 0xc2;
    text.as_bytes().iter().position(is_special).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(bytes: &[u8]) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        let mut lines = Lines::default();
        let mut each = |piece: Piece<'_>| match seen.last_mut() {
            Some(last) if !piece.begins => last.push_str(piece.text),
            _ => seen.push(piece.text.to_owned()),
        };
        lines.feed(bytes, &mut each);
        lines.finish(&mut each);
        seen
    }

    #[test]
    fn control_sequences_are_dropped_and_text_stays() {
        let cases: [(&[u8], &[&str]); 12] = [
            (b"plain\nlines\n", &["plain", "lines"]),
            (b"no newline at the end", &["no newline at the end"]),
            (b"", &[]),
            (b"\n\n", &["", ""]),
            (b"\x1b[1;31mred\x1b[0m \x1b(B\x1b[mend\n", &["red end"]),
            (b"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x07!\n", &["link!"]),
            (b"\x1b]0;never closed\nnext\n", &["", "next"]),
            (b"10%\r 50%\r100%\ndone\r\n", &["100%", "done"]),
            (b"last state\r", &["last state"]),
            (b"a\tb\x08\x00\x7fc\n", &["a\tbc"]),
            (b"bad \xff\xfe byte\n", &["bad \u{fffd}\u{fffd} byte"]),
            (b"cut \xe2\x82", &["cut \u{fffd}"]),
        ];
        for (bytes, expected) in cases {
            assert_eq!(clean(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_very_long_line_stays_one_line() {
        let long = "é".repeat(3 * PIECE);
        assert_eq!(clean(format!("{long}\nafter").as_bytes()), [long.as_str(), "after"]);
    }
}
