//! From the bytes a terminal sends to the keys that were pressed. Pure.

/// What a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    /// Text that was pasted, with its line breaks.
    Paste(String),
    Enter,
    Tab,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    /// Removes from the beginning to the cursor.
    KillLine,
    /// Removes from the cursor to the end.
    KillRest,
    /// Removes the word before the cursor.
    KillWord,
    /// Ctrl-D: the end of the input where nothing was typed.
    EndOfInput,
    Escape,
    Interrupt,
    /// No key: the window has another size now.
    Resized,
    /// Something that means nothing here.
    Other,
}

/// What the first bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoded {
    /// A key, and how many bytes it took.
    Key(Key, usize),
    /// More bytes are needed, unless none come.
    Unfinished,
}

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// A sequence longer than this is none.
const LONGEST: usize = 32;

/// The first key of some bytes; there is at least one byte.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let key = match bytes {
        [] => return Decoded::Unfinished,
        [0x1b, rest @ ..] => return escape(bytes, rest),
        [b'\r' | b'\n', ..] => Key::Enter,
        [b'\t', ..] => Key::Tab,
        [0x08 | 0x7f, ..] => Key::Backspace,
        [0x01, ..] => Key::Home,
        [0x02, ..] => Key::Left,
        [0x03, ..] => Key::Interrupt,
        [0x04, ..] => Key::EndOfInput,
        [0x05, ..] => Key::End,
        [0x06, ..] => Key::Right,
        [0x0b, ..] => Key::KillRest,
        [0x0e, ..] => Key::Down,
        [0x10, ..] => Key::Up,
        [0x15, ..] => Key::KillLine,
        [0x17, ..] => Key::KillWord,
        [0x00..=0x1f, ..] => Key::Other,
        _ => return character(bytes),
    };
    Decoded::Key(key, 1)
}

/// What bytes mean of which no more come.
pub(super) fn give_up(bytes: &[u8]) -> (Key, usize) {
    match bytes {
        [0x1b] => (Key::Escape, 1),
        [0x1b, ..] if bytes.starts_with(PASTE_BEGINS) => {
            let text = bytes.get(PASTE_BEGINS.len()..).unwrap_or_default();
            (Key::Paste(String::from_utf8_lossy(text).into_owned()), bytes.len())
        }
        _ => (Key::Other, bytes.len()),
    }
}

fn escape(all: &[u8], rest: &[u8]) -> Decoded {
    match rest {
        [] | [b'O'] => Decoded::Unfinished,
        [b'[', ..] if all.starts_with(PASTE_BEGINS) => paste(all),
        [b'[', sequence @ ..] => control_sequence(sequence),
        [b'O', key, ..] => Decoded::Key(named(*key), 3),
        // Two escapes are one that was pressed twice.
        [0x1b, ..] => Decoded::Key(Key::Escape, 1),
        // Alt and a key: the key alone would surprise.
        _ => match decode(rest) {
            Decoded::Key(_, used) => Decoded::Key(Key::Other, used + 1),
            Decoded::Unfinished => Decoded::Unfinished,
        },
    }
}

fn control_sequence(sequence: &[u8]) -> Decoded {
    let Some(end) = sequence.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        return match sequence.len() {
            ..LONGEST => Decoded::Unfinished,
            length => Decoded::Key(Key::Other, length + 2),
        };
    };
    let key = match (sequence.get(..end), sequence.get(end)) {
        (Some(b"3"), Some(b'~')) => Key::Delete,
        (Some(b"1" | b"7"), Some(b'~')) => Key::Home,
        (Some(b"4" | b"8"), Some(b'~')) => Key::End,
        (Some(b""), Some(name)) => named(*name),
        _ => Key::Other,
    };
    Decoded::Key(key, end + 3)
}

fn named(byte: u8) -> Key {
    match byte {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'M' => Key::Enter,
        _ => Key::Other,
    }
}

fn paste(bytes: &[u8]) -> Decoded {
    let from = PASTE_BEGINS.len();
    let text = bytes.get(from..).unwrap_or_default();
    let Some(length) = text.windows(PASTE_ENDS.len()).position(|part| part == PASTE_ENDS) else {
        return Decoded::Unfinished;
    };
    let pasted = String::from_utf8_lossy(text.get(..length).unwrap_or_default()).into_owned();
    Decoded::Key(Key::Paste(pasted), from + length + PASTE_ENDS.len())
}

fn character(bytes: &[u8]) -> Decoded {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    let Some(encoded) = bytes.get(..length) else {
        return Decoded::Unfinished;
    };
    match std::str::from_utf8(encoded).ok().and_then(|text| text.chars().next()) {
        Some(c) if !c.is_control() => Decoded::Key(Key::Char(c), length),
        _ => Decoded::Key(Key::Other, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut bytes: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        while !bytes.is_empty() {
            let (key, used) = match decode(bytes) {
                Decoded::Key(key, used) => (key, used),
                Decoded::Unfinished => give_up(bytes),
            };
            keys.push(key);
            bytes = &bytes[used..];
        }
        keys
    }

    #[test]
    fn bytes_are_the_keys_that_were_pressed() {
        use Key::*;
        let table: [(&[u8], &[Key]); 14] = [
            (b"a\r", &[Char('a'), Enter]),
            ("é日🦀".as_bytes(), &[Char('é'), Char('日'), Char('🦀')]),
            (b"\x1b[A\x1b[B\x1bOC\x1b[D", &[Up, Down, Right, Left]),
            (b"\x1b[H\x1b[4~\x1b[3~\x1b[1~", &[Home, End, Delete, Home]),
            (b"\x7f\x08\x15\x17\x0b", &[Backspace, Backspace, KillLine, KillWord, KillRest]),
            (b"\x03", &[Interrupt]),
            (b"\x04", &[EndOfInput]),
            (b"\x1b", &[Escape]),
            (b"\x1b\x1b", &[Escape, Escape]),
            (b"\x1b[1;5Cx", &[Other, Char('x')]),
            (b"\x1bxy", &[Other, Char('y')]),
            (b"\x1b[200~two\nlines\x1b[201~\r", &[Paste("two\nlines".into()), Enter]),
            (b"\x1b[200~no end", &[Paste("no end".into())]),
            (b"\xff\xc3", &[Other, Other]),
        ];
        for (bytes, keys) in table {
            assert_eq!(all(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn a_sequence_that_arrives_in_parts_is_waited_for() {
        for bytes in [&b"\x1b"[..], b"\x1b[", b"\x1b[1;", b"\x1b[200~abc\x1b[20", b"\xe6\x97"] {
            assert_eq!(decode(bytes), Decoded::Unfinished, "{bytes:?}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_is_thrown_away() {
        let endless: Vec<u8> = b"\x1b[".iter().copied().chain([b'1'; 400]).collect();
        assert!(matches!(decode(&endless), Decoded::Key(Key::Other, _)));
    }
}
