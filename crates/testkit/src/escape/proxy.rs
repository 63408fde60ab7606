//! Tricks against the box's proxy: names that are spelt so that a careless check lets them through, addresses in
//! every notation, other ports and methods, and a server name that is not the host that was asked for.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use super::{
    Alone::{self, NotShown},
    Attempt, Proof, Tried, World,
};

/// Where the box's listener is, inside.
const LISTENER: ([u8; 4], u16) = ([127, 0, 0, 1], 61_080);
const BOUNDARY: Duration = Duration::from_secs(10);
const NO_PROXY: Alone =
    NotShown("there is no proxy without a box; an allowed host shows that this one works");

const fn connect(name: &'static str, with: &'static str) -> Attempt {
    Attempt {
        name,
        group: "proxy",
        with,
        proof: Proof::Mark,
        alone: NO_PROXY,
        call: 1,
        act: tunnel,
    }
}

const fn request(name: &'static str, with: &'static str) -> Attempt {
    Attempt { act: ask, ..connect(name, with) }
}

/// `allowed.test`, `shelf.test` and `cellar.test` are allowed; the latter two resolve to addresses that are not.
pub(super) const ATTEMPTS: &[Attempt] = &[
    connect("proxy-unlisted-host", "attic.test:443"),
    connect("proxy-address", "93.184.215.14:443"),
    connect("proxy-loopback", "127.0.0.1:443"),
    connect("proxy-localhost", "localhost:443"),
    connect("proxy-loopback-short", "127.1:443"),
    connect("proxy-loopback-decimal", "2130706433:443"),
    connect("proxy-loopback-hexadecimal", "0x7f000001:443"),
    connect("proxy-loopback-octal", "0177.0.0.1:443"),
    connect("proxy-loopback-six", "[::1]:443"),
    connect("proxy-loopback-mapped", "[::ffff:127.0.0.1]:443"),
    connect("proxy-metadata", "169.254.169.254:80"),
    connect("proxy-name-of-loopback", "cellar.test:443"),
    connect("proxy-name-of-metadata", "shelf.test:443"),
    connect("proxy-port-of-shell", "allowed.test:22"),
    connect("proxy-port-of-plain-http", "allowed.test:80"),
    connect("proxy-port-overflow", "allowed.test:65979"),
    connect("proxy-suffix", "notallowed.test:443"),
    connect("proxy-prefix", "allowed.test.attic.test:443"),
    connect("proxy-nul", "attic.test\0.allowed.test:443"),
    connect("proxy-nul-escaped", "attic.test%00.allowed.test:443"),
    connect("proxy-hash", "attic.test#.allowed.test:443"),
    connect("proxy-query", "attic.test?.allowed.test:443"),
    connect("proxy-slash", "attic.test/.allowed.test:443"),
    connect("proxy-backslash", "attic.test\\.allowed.test:443"),
    connect("proxy-userinfo", "allowed.test@attic.test:443"),
    connect("proxy-userinfo-port", "allowed.test:443@attic.test:443"),
    connect("proxy-empty-label", "a..allowed.test:443"),
    connect("proxy-leading-dot", ".allowed.test:443"),
    connect("proxy-wildcard", "*.allowed.test:443"),
    connect("proxy-homoglyph", "\u{430}llowed.test:443"),
    connect("proxy-line-break", "allowed.test:443\r\nHost: attic.test\r\nX: :443"),
    connect("proxy-tab", "attic.test\tallowed.test:443"),
    connect("proxy-under-score", "attic_test.allowed.test:443"),
    Attempt { act: other_name, ..connect("proxy-other-server-name", "allowed.test:443") },
    Attempt { act: no_name, ..connect("proxy-no-server-name", "allowed.test:443") },
    Attempt { act: twice, ..connect("proxy-second-request", "attic.test:443") },
    request("proxy-get-loopback", "GET http://127.0.0.1:5432/"),
    request("proxy-get-metadata", "GET http://169.254.169.254/latest/meta-data/"),
    request("proxy-get-outside", "GET http://attic.test/"),
    request("proxy-get-allowed-plain", "GET http://allowed.test/"),
    request("proxy-relay-to-elsewhere", "GET /relay/http://127.0.0.1:5432/"),
    request("proxy-relay-upwards", "GET /relay/../../127.0.0.1:5432/"),
    request("proxy-relay-unknown", "GET /relay/attic.test/"),
];

fn dial() -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from(LISTENER), BOUNDARY)?;
    stream.set_read_timeout(Some(BOUNDARY))?;
    Ok(stream)
}

/// Asks for a tunnel and gives what the proxy answered first.
fn opened(stream: &mut TcpStream, host: &str) -> io::Result<String> {
    write!(stream, "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n")?;
    let mut answer = [0; 256];
    let read = stream.read(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

/// Sends bytes and waits for an answer, which a stand-in always gives.
fn say(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.read(&mut [0; 8]).map(drop)
}

fn through(attempt: &Attempt, bytes: &[u8]) -> Tried {
    let answer = dial().and_then(|mut stream| {
        let answer = opened(&mut stream, attempt.with)?;
        let _ = say(&mut stream, bytes);
        Ok(answer)
    });
    match answer {
        Ok(answer) if answer.contains(" 200") => Tried::Reached(answer),
        Ok(answer) => Tried::Refused(answer),
        Err(error) => Tried::Refused(error.to_string()),
    }
}

/// Says hello to the host by its own name, and the attempt's word in the hello.
pub(super) fn tunnel(_world: &World, attempt: &Attempt) -> Tried {
    let host = attempt.with.split(':').next().unwrap_or_default();
    through(attempt, &hello(host, &attempt.token()))
}

fn other_name(_world: &World, attempt: &Attempt) -> Tried {
    through(attempt, &hello("attic.test", &attempt.token()))
}

fn no_name(_world: &World, attempt: &Attempt) -> Tried {
    through(attempt, format!("SSH-2.0-{}\r\n", attempt.token()).as_bytes())
}

/// A refused request, and another behind it on the same connection.
fn twice(_world: &World, attempt: &Attempt) -> Tried {
    let answer = dial().and_then(|mut stream| {
        let first = opened(&mut stream, "nobody.test:443")?;
        let second = opened(&mut stream, attempt.with)?;
        say(&mut stream, &hello("attic.test", &attempt.token()))?;
        Ok(format!("{first}, {second}"))
    });
    Tried::of(answer)
}

fn ask(_world: &World, attempt: &Attempt) -> Tried {
    let answer = dial().and_then(|mut stream| {
        let token = attempt.token();
        write!(
            stream,
            "{} HTTP/1.1\r\nHost: allowed.test\r\nX-Word: {token}\r\n\r\n",
            attempt.with
        )?;
        let mut answer = [0; 64];
        let read = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..read]).into_owned())
    });
    Tried::read(answer)
}

/// The first record of a TLS handshake, with a server name and a word in its session id.
fn hello(name: &str, word: &str) -> Vec<u8> {
    let short = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    let with_length = |bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        [&length.to_be_bytes()[..], bytes].concat()
    };
    let host = [&[0][..], &with_length(name.as_bytes())].concat();
    let server_name = [&[0, 0][..], &with_length(&with_length(&host))].concat();
    // The word stands where protocols are named: any number of bytes may.
    let protocol = [&[short(word.as_bytes())][..], word.as_bytes()].concat();
    let protocols = [&[0, 16][..], &with_length(&with_length(&protocol))].concat();
    let extensions = with_length(&[server_name, protocols].concat());
    let body = [&[3, 3][..], &[7; 32], &[0], &[0, 2, 0x13, 1], &[1, 0], &extensions].concat();
    let length = u32::try_from(body.len()).unwrap_or_default().to_be_bytes();
    let handshake = [&[1][..], &length[1..], &body].concat();
    [&[22, 3, 1][..], &with_length(&handshake)].concat()
}
