//! Makes text from outside harmless for whoever reads it: nothing in it can move a cursor, hide or reorder.

pub(crate) mod sequence;

use sequence::{Sequence, is_dropped};

/// Removes terminal control sequences, other control characters and characters that reorder text.
///
/// Line ends stay, tabs become spaces, a lone carriage return becomes a line end.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Nearly all text is harmless already, and is taken in whole stretches.
    while !rest.is_empty() {
        let (harmless, other) = rest.split_at(harmless_bytes(rest));
        out.push_str(harmless);
        rest = clean_some(other, &mut out);
    }
    out
}

/// How many bytes at the beginning are printable ASCII or line ends.
fn harmless_bytes(text: &str) -> usize {
    let is_harmless = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    // Blocks are looked at whole, without a branch for each byte.
    let is_all = |block: &&[u8; 32]| block.iter().fold(true, |all, byte| all & is_harmless(byte));
    let (blocks, _) = text.as_bytes().as_chunks::<32>();
    let whole = blocks.iter().take_while(is_all).count() * 32;
    whole + text.bytes().skip(whole).take_while(|byte| is_harmless(byte)).count()
}

/// Takes characters until one that is harmless for sure; gives back what is left.
fn clean_some<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut sequence = Sequence::None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if sequence.takes(c) {
            continue;
        }
        match c {
            ' '..='~' => return text.get(at..).unwrap_or_default(),
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push_str("    "),
            _ if is_dropped(c) => {}
            _ => out.push(c),
        }
    }
    ""
}
