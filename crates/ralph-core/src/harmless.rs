//! Makes text from outside harmless for whoever reads it: nothing in it can move a cursor, hide or reorder.

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
    let (blocks, _) = text.as_bytes().as_chunks::<32>();
    let whole = blocks.iter().take_while(|block| block.iter().all(is_harmless)).count() * 32;
    whole + text.bytes().skip(whole).take_while(|byte| is_harmless(byte)).count()
}

/// Takes characters until one that is harmless for sure; gives back what is left.
fn clean_some<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut chars = Chars { rest: text.chars() };
    while chars.peek().is_some_and(|c| !matches!(c, ' '..='~'))
        && let Some(c) = chars.next()
    {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\r' if chars.peek() == Some('\n') => {}
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push_str("    "),
            _ if c.is_control() || is_invisible(c) => {}
            _ => out.push(c),
        }
    }
    chars.rest.as_str()
}

/// What is left of a text, with a look at its next character.
struct Chars<'a> {
    rest: std::str::Chars<'a>,
}

impl Chars<'_> {
    fn next(&mut self) -> Option<char> {
        self.rest.next()
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        self.peek().filter(|c| wanted(*c)).and_then(|_| self.next())
    }
}

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        _ => {
            while chars.next_if(|c| (' '..='/').contains(&c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(&c));
        }
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(&c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(&c));
}

/// An operating system command and its kin end with BEL or ST; a line end also ends them, so that an
/// unfinished one cannot swallow what follows.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if(|c| c == '\\');
                return;
            }
            _ => {}
        }
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e01ef}')
}
