//! The sets of bytes that secrets are made of, as one table: which sets a byte is in.

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Bytes of most tokens, which are also those of URL-safe base64.
    Token,
    /// Bytes of a name in settings and programs.
    Name,
    Alphanumeric,
    Hex,
    Base64,
    /// Bytes of a credential in a header.
    Credential,
    Upper,
    Word,
    /// A value that is assigned.
    Assigned,
    /// User and password in an address.
    Userinfo,
    /// A path with escaped slashes.
    Path,
}

/// How many there are.
pub(super) const ALPHABETS: usize = 11;

const TABLE: [u16; 256] = table();

impl Alphabet {
    /// Whether a byte is in it.
    pub(super) const fn has(self, byte: u8) -> bool {
        TABLE[byte as usize] & (1 << self as u16) != 0
    }
}

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = sets_of(byte);
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

const fn sets_of(byte: u8) -> u16 {
    let alphanumeric = byte.is_ascii_alphanumeric();
    let token = alphanumeric || matches!(byte, b'_' | b'-');
    let not_userinfo = matches!(
        byte,
        b'@' | b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'\\' | b'(' | b')' | b','
    );
    let assigned = matches!(
        byte,
        b'+' | b'/' | b'=' | b'.' | b'~' | b'!' | b'@' | b'#' | b'%' | b'^' | b'*' | b':'
    );
    let credential = matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'%');
    let sets: [(Alphabet, bool); ALPHABETS] = [
        (Alphabet::Token, token),
        (Alphabet::Name, token || byte == b'.'),
        (Alphabet::Alphanumeric, alphanumeric),
        (Alphabet::Hex, byte.is_ascii_hexdigit()),
        (Alphabet::Base64, alphanumeric || matches!(byte, b'+' | b'/' | b'=')),
        (Alphabet::Credential, token || credential),
        (Alphabet::Upper, byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        (Alphabet::Word, alphanumeric || byte == b'_'),
        (Alphabet::Assigned, token || assigned),
        (Alphabet::Userinfo, byte.is_ascii_graphic() && !not_userinfo),
        (Alphabet::Path, token || matches!(byte, b'/' | b'\\')),
    ];
    let (mut bits, mut at) = (0, 0);
    while at < ALPHABETS {
        if sets[at].1 {
            bits |= 1 << sets[at].0 as u16;
        }
        at += 1;
    }
    bits
}
