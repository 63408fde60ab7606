//! The first message of a TLS client, of which only the name of the server it asks for is read.

/// What the first bytes of a client are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hello {
    /// More bytes are needed to tell.
    Unfinished,
    /// A client hello for this server, as written.
    Asks(String),
    /// A client hello that names no server.
    Nameless,
    /// Something else.
    Foreign,
}

/// Longest client hello that is read.
const LONGEST: usize = 64 * 1024;

/// Reads the first bytes of a client.
pub fn read(bytes: &[u8]) -> Hello {
    match message(bytes) {
        Err(hello) => hello,
        Ok(message) => asked(&message).unwrap_or(Hello::Foreign),
    }
}

/// The handshake message, put together from the records it is spread over.
fn message(bytes: &[u8]) -> Result<Vec<u8>, Hello> {
    let mut rest = Cursor(bytes);
    let mut message = Vec::new();
    loop {
        if let [kind, _, _, _, ..] = message[..] {
            let length = Cursor(&message[1..]).number(3).unwrap_or_default();
            if kind != 1 || length > LONGEST {
                return Err(Hello::Foreign);
            }
            if message.len() >= 4 + length {
                message.truncate(4 + length);
                message.drain(..4);
                return Ok(message);
            }
        }
        match rest.0 {
            [22, 3, ..] | [22] | [] => {}
            _ => return Err(Hello::Foreign),
        }
        let record = rest.take(3).and_then(|_| rest.long());
        match record {
            Some([]) => return Err(Hello::Foreign),
            Some(record) => message.extend_from_slice(record),
            None => return Err(Hello::Unfinished),
        }
    }
}

/// What a client hello asks for; `None` if it is broken.
fn asked(message: &[u8]) -> Option<Hello> {
    let mut hello = Cursor(message);
    hello.take(2 + 32)?;
    hello.short()?;
    hello.long()?;
    hello.short()?;
    if hello.0.is_empty() {
        return Some(Hello::Nameless);
    }
    let mut extensions = Cursor(hello.long()?);
    let mut found = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number(2)?;
        let value = extensions.long()?;
        if kind != 0 {
            continue;
        }
        let mut names = Cursor(Cursor(value).long()?);
        let is_name = names.number(1)? == 0;
        let name = names.long()?;
        // A second name, or a second extension, would let two readers see two servers.
        if !is_name || !names.0.is_empty() || found.is_some() {
            return None;
        }
        found = Some(name);
    }
    Some(match found {
        Some(name) => Hello::Asks(String::from_utf8(name.to_vec()).ok()?),
        None => Hello::Nameless,
    })
}

/// Bytes that are read from the front.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, count: usize) -> Option<usize> {
        let bytes = self.take(count)?;
        Some(bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// A piece with one byte of length before it.
    fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.number(1)?;
        self.take(length)
    }

    /// A piece with two bytes of length before it.
    fn long(&mut self) -> Option<&'a [u8]> {
        let length = self.number(2)?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(bytes: &[u8]) -> Vec<u8> {
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes();
        [&length, bytes].concat()
    }

    fn extension(name: &str) -> Vec<u8> {
        let names = [&[0], long(name.as_bytes()).as_slice()].concat();
        [&[0, 0], long(&long(&names)).as_slice()].concat()
    }

    fn hello(extensions: &[u8]) -> Vec<u8> {
        let body =
            [&[3, 3], [7; 32].as_slice(), &[0], &long(&[0x13, 1]), &[1, 0], &long(extensions)]
                .concat();
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&[1], &length[1..], &body].concat()
    }

    fn records(message: &[u8], size: usize) -> Vec<u8> {
        let record = |piece: &[u8]| [&[22, 3, 1], long(piece).as_slice()].concat();
        message.chunks(size).flat_map(record).collect()
    }

    #[test]
    fn the_server_is_found_however_the_message_is_cut() {
        let other = [&[0, 23], long(b"").as_slice()].concat();
        let message = hello(&[other.as_slice(), &extension("Model.example"), &other].concat());
        for size in [1, 3, 4, 50, 16_000] {
            let bytes = records(&message, size);
            assert_eq!(read(&bytes), Hello::Asks("Model.example".into()), "{size}");
            for end in 0..bytes.len() {
                assert_eq!(read(&bytes[..end]), Hello::Unfinished, "{size} {end}");
            }
        }
    }

    #[test]
    fn what_names_no_server_or_two_is_told_apart() {
        assert_eq!(read(&records(&hello(&[]), 999)), Hello::Nameless);
        let twice = [extension("a.example"), extension("b.example")].concat();
        assert_eq!(read(&records(&hello(&twice), 999)), Hello::Foreign);
        let names = long(&long(&[&[0], long(&[255]).as_slice()].concat()));
        let not_text = [&[0, 0], names.as_slice()];
        assert_eq!(read(&records(&hello(&not_text.concat()), 999)), Hello::Foreign);
    }

    #[test]
    fn other_protocols_are_foreign_at_once() {
        for bytes in [b"SSH-2.0".as_slice(), b"GET /", &[22, 2], &[23], &[22, 3, 1, 0, 0], &[0x80]]
        {
            assert_eq!(read(bytes), Hello::Foreign, "{bytes:?}");
        }
        assert_eq!(read(&records(&[2, 0, 0, 1, 0], 99)), Hello::Foreign);
        assert_eq!(read(&records(&[1, 255, 0, 1, 0], 99)), Hello::Foreign);
        assert_eq!(read(&records(&[1, 0, 0, 2, 3, 3], 99)), Hello::Foreign);
    }

    #[test]
    fn no_bytes_make_it_stumble() {
        let bytes = records(&hello(&extension("model.example")), 40);
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut broken = bytes.clone();
                broken[at] = value;
                read(&broken);
            }
        }
    }
}
