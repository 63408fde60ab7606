//! The proxy through which the user's machine reaches the internet, as the usual variables name it.
//!
//! Plain HTTP to the proxy, a tunnel through it; no other kind is known.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// Longest answer of a proxy, and longest time for each part of it.
const LONGEST: usize = 16 * 1024;
const PATIENCE: Duration = Duration::from_secs(20);

/// In the order in which they count.
const NAMES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
const DIRECT: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// A proxy of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    pub(super) host: String,
    pub(super) port: u16,
    /// `name:password` in base64.
    login: Option<String>,
    /// Hosts that are reached without it, and all below them.
    direct: Vec<String>,
}

impl Proxy {
    /// The one that an environment names; none where it is of another kind.
    pub fn of(environment: &[(OsString, OsString)]) -> Option<Self> {
        let value = |name: &&str| {
            let (_, value) = environment.iter().find(|(known, _)| known == *name)?;
            Some(value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
        };
        let given = NAMES.iter().find_map(value)?;
        let rest = match given.split_once("://") {
            Some(("http", rest)) => rest,
            Some(_) => return None,
            None => &given,
        };
        let authority = rest.split('/').next()?;
        let (login, place) = match authority.rsplit_once('@') {
            Some((login, place)) => (Some(base64(&decoded(login))), place),
            None => (None, authority),
        };
        let (host, port) = place.rsplit_once(':').unwrap_or((place, "80"));
        let direct = DIRECT.iter().find_map(value).unwrap_or_default();
        let direct = direct.split([',', ' ']);
        let direct = direct.map(|one| one.trim_start_matches("*.").trim_start_matches('.'));
        Some(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: port.parse().ok()?,
            login,
            direct: direct.filter(|one| !one.is_empty()).map(str::to_ascii_lowercase).collect(),
        })
    }

    /// Whether a host is reached through it.
    pub(super) fn is_for(&self, host: &str) -> bool {
        let is_direct = |one: &String| {
            let is_below = |rest: &str| rest.is_empty() || rest.ends_with('.');
            one == "*" || host.strip_suffix(one.as_str()).is_some_and(is_below)
        };
        !self.direct.iter().any(is_direct)
    }

    /// Has the proxy open a tunnel.
    pub(super) fn tunnel(&self, mut stream: &TcpStream, host: &str, port: u16) -> io::Result<()> {
        let login = self.login.as_ref();
        let login = login.map(|it| format!("Proxy-Authorization: Basic {it}\r\n"));
        let login = login.unwrap_or_default();
        let head = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{login}\r\n");
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(head.as_bytes())?;
        // One by one: what follows the head is the host's.
        let (mut answer, mut byte) = (Vec::new(), [0; 1]);
        while !answer.ends_with(b"\r\n\r\n") && answer.len() < LONGEST {
            stream.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
        let code = answer.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        if code.starts_with(b"2") { Ok(()) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
    }
}

/// The bytes of a part of an address in which some are written as `%41`.
fn decoded(text: &str) -> Vec<u8> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => bytes.extend([code].iter().chain(&piece.as_bytes()[2..])),
            None => bytes.extend([b'%'].iter().chain(piece.as_bytes())),
        }
    }
    bytes
}

/// Bytes in the usual digits, filled up with `=`.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let byte = |at: usize| u32::from(piece.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digits = [18, 12, 6, 0].map(|shift| char::from(DIGITS[(bits >> shift) as usize & 63]));
        text.extend(&digits[..=piece.len()]);
        text.extend(std::iter::repeat_n('=', 3 - piece.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_filled_up() {
        for (text, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("T-005", "VC0wMDU=")]
        {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }
}
