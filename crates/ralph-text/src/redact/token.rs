//! One character of a text, as it is or escaped in JSON, maybe several times over.

/// Most levels of escapes that are read: an answer is in a line of JSON, and a block of JSON is in the answer.
pub(super) const DEEPEST: u32 = 2;

/// A character and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) c: char,
    /// Bytes that it takes.
    pub(super) length: usize,
    /// How often it is escaped.
    pub(super) depth: u32,
    /// It ends or begins a string of JSON.
    pub(super) is_border: bool,
}

impl Token {
    /// Reads what stands there, escaped so often at most. `None` if the text ends before that can be told.
    #[inline]
    pub(super) fn read(text: &[u8], at: usize, depth: u32) -> Option<Self> {
        let rest = text.get(at..).unwrap_or_default();
        match rest.first()? {
            b'\\' => escaped(rest, depth),
            b'"' => Some(Self { is_border: depth > 0, ..Self::plain('"', 1) }),
            byte if byte.is_ascii() => Some(Self::plain(char::from(*byte), 1)),
            _ => unicode(rest),
        }
    }

    /// The byte that an escape stands for which could stand there itself.
    pub(super) fn spells_out(self) -> Option<u8> {
        u8::try_from(self.c).ok().filter(|byte| self.depth > 0 && byte.is_ascii_graphic())
    }

    fn plain(c: char, length: usize) -> Self {
        Self { c, length, depth: 0, is_border: false }
    }
}

/// Whether a byte means itself and begins nothing that is dropped.
pub(super) const fn is_plain(byte: u8) -> bool {
    // 0xc2 begins C1 and the soft hyphen, the others begin characters that nobody sees.
    let begins = matches!(byte, 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3);
    let is_control = matches!(byte, 0..=8 | 11 | 12 | 14..0x20 | 0x7f);
    let is_backslash = byte == b'\\';
    // Without a branch, so that many bytes are looked at together.
    !(begins | is_control | is_backslash)
}

fn unicode(rest: &[u8]) -> Option<Token> {
    let some = rest.get(..rest.len().min(4)).unwrap_or_default();
    let valid = match std::str::from_utf8(some) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(some.get(..error.valid_up_to())?).unwrap_or_default()
        }
        Err(error) => {
            return error.error_len().map(|bad| Token::plain(char::REPLACEMENT_CHARACTER, bad));
        }
    };
    valid.chars().next().map(|c| Token::plain(c, c.len_utf8()))
}

/// Backslashes and what follows. Of so many of them, a power of two belongs to the escape: each level doubles it.
fn escaped(rest: &[u8], deepest: u32) -> Option<Token> {
    let count = rest.iter().take_while(|byte| **byte == b'\\').count();
    let after = rest.get(count..).unwrap_or_default();
    let next = *after.first()?;
    let depth = count.trailing_zeros() + 1;
    if next == b'"' {
        let is_border = count + 1 < 1 << deepest;
        return Some(Token { c: '"', length: count + 1, depth: 0, is_border });
    }
    let own = 1 << (depth - 1);
    if depth > deepest {
        return Some(Token::plain('\\', count));
    }
    if own < count {
        return Some(Token::plain('\\', count - own));
    }
    let (c, length) = match next {
        b'b' => ('\u{8}', 1),
        b'f' => ('\u{c}', 1),
        b'n' => ('\n', 1),
        b'r' => ('\r', 1),
        b't' => ('\t', 1),
        b'/' => ('/', 1),
        b'u' => unit(after, own)?,
        _ => return Some(Token::plain('\\', count)),
    };
    Some(Token { c, length: own + length, depth, is_border: false })
}

/// What `u001b` stands for, and how long that is; two such make one of the rarer characters.
fn unit(text: &[u8], backslashes: usize) -> Option<(char, usize)> {
    let (high, length) = hex(text)?;
    let Some(high) = high else { return Some(('u', 1)) };
    if let Some(c) = char::from_u32(high) {
        return Some((c, length));
    }
    let lone = Some((char::REPLACEMENT_CHARACTER, length));
    let after = text.get(length..).unwrap_or_default();
    let marks = after.iter().take(backslashes).take_while(|byte| **byte == b'\\').count();
    if marks < backslashes && marks < after.len() {
        return lone;
    }
    let (low, more) = hex(after.get(marks..).unwrap_or_default())?;
    let pair = low.filter(|low| (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(low));
    match pair.and_then(|low| char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))) {
        Some(c) => Some((c, length + marks + more)),
        None => lone,
    }
}

/// The number after `u`, if there is one; `None` if the text ends too early.
fn hex(text: &[u8]) -> Option<(Option<u32>, usize)> {
    let digits = text.get(1..text.len().min(5)).unwrap_or_default();
    if !text.is_empty()
        && (text.first() != Some(&b'u') || !digits.iter().all(u8::is_ascii_hexdigit))
    {
        return Some((None, 0));
    }
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 4)?;
    Some((u32::from_str_radix(digits, 16).ok(), 5))
}
