//! What a file's bytes hold for somebody who unpacks or decodes them: text behind zero bytes, UTF-16, gzip, zlib, zip.
//!
//! Bounded in depth and bytes. What it cannot look into it says; it never passes something over in silence.

use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    inflate::stream::{InflateState, inflate},
};

/// Archives inside archives are followed so far.
const DEPTH: usize = 2;
/// Most bytes that are inflated for one file.
pub(crate) const INFLATED: usize = 64 << 20;
/// Most members of zip archives that are opened in one file.
const MEMBERS: usize = 10_000;
const PIECE: usize = 64 << 10;
/// One in so many bytes is zero where ASCII is written as UTF-16.
const DENSE: usize = 3;

/// Formats that are known and cannot be opened.
const CLOSED: [(&[u8], &str); 7] = [
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\x1f\x9d", "compress"),
    (b"\x5d\0\0\x80\0", "lzma"),
];

/// How sure one can be that a view is text as somebody wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// The bytes as they are.
    Plain,
    /// Text that was decoded or unpacked.
    Unpacked,
    /// Bytes that need not belong together: only exact values count.
    Joined,
}

/// Shows `see` every view of the bytes. Says what could not be looked into, if anything.
pub(crate) fn views(bytes: &[u8], see: &mut dyn FnMut(View, &[u8])) -> Option<String> {
    let mut unpacker = Unpacker { see, left: INFLATED, members: MEMBERS, unread: None };
    unpacker.look(bytes, View::Plain, DEPTH);
    unpacker.unread
}

struct Unpacker<'a> {
    see: &'a mut dyn FnMut(View, &[u8]),
    left: usize,
    members: usize,
    unread: Option<String>,
}

impl Unpacker<'_> {
    fn look(&mut self, bytes: &[u8], view: View, depth: usize) {
        (self.see)(view, bytes);
        self.decode(bytes);
        if let Some(name) = closed(bytes) {
            self.miss(format!("it is compressed with {name}"));
        }
        let is_gzip = bytes.starts_with(b"\x1f\x8b");
        let has_archive = find(bytes, *b"PK\x03\x04").is_some();
        let is_zlib = matches!(bytes, [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..]);
        if depth == 0 && (is_gzip || has_archive) {
            self.miss("archives are packed into archives".into());
        } else if is_gzip {
            self.gzip(bytes, depth);
        } else if is_zlib {
            self.unpack(bytes.get(2..).unwrap_or_default(), depth);
        } else if has_archive {
            self.zip(bytes, depth);
        }
    }

    fn miss(&mut self, why: String) {
        self.unread.get_or_insert(why);
    }

    /// UTF-16 in both orders, and what is left without zero bytes.
    fn decode(&mut self, bytes: &[u8]) {
        let has_mark = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let zeros = bytes.iter().filter(|byte| **byte == 0).take(bytes.len() / DENSE + 1).count();
        if zeros == 0 && !has_mark {
            return;
        }
        let is_text = has_mark || zeros > bytes.len() / DENSE;
        let view = if is_text { View::Unpacked } else { View::Joined };
        let without: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        (self.see)(view, &without);
        for order in [u16::from_le_bytes, u16::from_be_bytes] {
            let units = bytes.chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
            let text: String = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            (self.see)(view, text.as_bytes());
        }
    }

    /// Every member of a gzip file.
    fn gzip(&mut self, mut bytes: &[u8], depth: usize) {
        while let Some(start) = gzip_body(bytes) {
            let body = bytes.get(start..).unwrap_or_default();
            let used = self.unpack(body, depth);
            bytes = body.get(used + 8..).unwrap_or_default();
        }
    }

    /// Every member of a zip archive, wherever in the file it begins.
    fn zip(&mut self, bytes: &[u8], depth: usize) {
        let is_archive = bytes.starts_with(b"PK") || find(bytes, *b"PK\x05\x06").is_some();
        let mut at = 0;
        while let Some(next) = bytes.get(at..).and_then(|rest| find(rest, *b"PK\x03\x04")) {
            at += next;
            let head = bytes.get(at..).unwrap_or_default();
            let field = |from: usize| {
                head.get(from..from + 2)
                    .map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
            };
            let (flags, method) = (field(6), field(8));
            let body = head.get(30 + field(26) + field(28)..).unwrap_or_default();
            at += 4;
            self.members = self.members.saturating_sub(1);
            if self.members == 0 {
                return self.miss(format!("it has more than {MEMBERS} archive members"));
            }
            match method {
                _ if flags & 1 == 1 && is_archive => {
                    self.miss("an archive member is encrypted".into());
                }
                8 => at += self.unpack(body, depth),
                // What is stored stands in the file as it is; another archive in it is found there too.
                0 => {}
                _ if is_archive => self.miss("an archive member's compression is not known".into()),
                _ => {}
            }
        }
    }

    /// Inflates, looks at what comes out, and says how many bytes went in.
    fn unpack(&mut self, packed: &[u8], depth: usize) -> usize {
        let (mut state, mut out) = (InflateState::new_boxed(DataFormat::Raw), Vec::new());
        let (mut used, mut piece) = (0, vec![0; PIECE]);
        loop {
            let rest = packed.get(used..).unwrap_or_default();
            let done = inflate(&mut state, rest, &mut piece, MZFlush::None);
            used += done.bytes_consumed;
            out.extend_from_slice(piece.get(..done.bytes_written).unwrap_or_default());
            if out.len() > self.left {
                self.miss(format!("it unpacks to more than {} MiB", INFLATED >> 20));
                break;
            }
            let is_stuck = done.bytes_consumed == 0 && done.bytes_written == 0;
            if is_stuck || done.status != Ok(MZStatus::Ok) {
                break;
            }
        }
        self.left = self.left.saturating_sub(out.len());
        if !out.is_empty() {
            self.look(&out, View::Unpacked, depth.saturating_sub(1));
        }
        used
    }
}

/// Whether a file that begins so is packed, in a way that is known.
pub(crate) fn is_packed(begins: &[u8]) -> bool {
    begins.starts_with(b"\x1f\x8b") || begins.starts_with(b"PK\x03\x04") || closed(begins).is_some()
}

fn closed(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"BZh") && bytes.get(4..10) == Some(b"1AY&SY") {
        return Some("bzip2");
    }
    CLOSED.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name)
}

/// Where the packed bytes of a gzip member begin.
fn gzip_body(bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..10).filter(|head| head.starts_with(b"\x1f\x8b\x08"))?;
    let flags = head[3];
    let mut at = 10;
    if flags & 4 != 0 {
        let size = bytes.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    Some(at + if flags & 2 != 0 { 2 } else { 0 })
}

fn find(bytes: &[u8], wanted: [u8; 4]) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == wanted[0]) {
        at += next;
        if bytes.get(at..at + 4)? == wanted.as_slice() {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;

    use super::*;

    fn holds(bytes: &[u8], wanted: &str) -> bool {
        let mut is_seen = false;
        views(bytes, &mut |_, view| {
            is_seen |= view.windows(wanted.len()).any(|part| part == wanted.as_bytes());
        });
        is_seen
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let packed = compress_to_vec(bytes, 6);
        [&b"\x1f\x8b\x08\x08\0\0\0\0\0\x03name\0"[..], &packed, &[0; 8]].concat()
    }

    fn zip(bytes: &[u8]) -> Vec<u8> {
        let packed = compress_to_vec(bytes, 6);
        let mut head = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
        head.extend([0; 16]);
        head.extend([4, 0, 0, 0]);
        [&head[..], b"name", &packed, b"PK\x05\x06"].concat()
    }

    #[test]
    fn text_is_found_however_it_is_packed_or_decoded() {
        let text = "a wörd and a value";
        let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
        let marked = [&b"\xff\xfe"[..], &little].concat();
        for bytes in [little, big, marked] {
            assert!(holds(&bytes, text), "{bytes:?}");
        }
        assert!(holds(b"bin\0ary va\0lue", "value"));
        let text = text.as_bytes();
        let two = [gzip(b"first"), gzip(text)].concat();
        let zlib = [&b"\x78\x9c"[..], &compress_to_vec(text, 6)].concat();
        let late = [b"#!/bin/sh\n".to_vec(), zip(b"other"), zip(text)].concat();
        for bytes in [gzip(text), two, zlib, zip(text), late, gzip(&gzip(text)), gzip(&zip(text))] {
            assert!(holds(&bytes, "a value"), "{bytes:?}");
            assert_eq!(views(&bytes, &mut |_, _| {}), None);
        }
    }

    #[test]
    fn what_cannot_be_looked_into_is_said() {
        let why = |bytes: &[u8]| views(bytes, &mut |_, _| {}).unwrap_or_default();
        assert_eq!(why(b"\xfd7zXZ\0rest"), "it is compressed with xz");
        assert_eq!(why(&gzip(&gzip(&gzip(b"deep")))), "archives are packed into archives");
        let mut locked = zip(b"x");
        locked[6] = 1;
        assert_eq!(why(&locked), "an archive member is encrypted");
        let bomb = gzip(&vec![b'a'; 1 << 20]).repeat((INFLATED >> 20) + 1);
        assert_eq!(why(&bomb), "it unpacks to more than 64 MiB");
        assert_eq!(why(b"plain"), "");
    }
}
