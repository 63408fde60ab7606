//! A request that ralph sends on in the box's place, with the key that the box does not have.
//!
//! One request for each connection. Redirects are the client's to follow: ralph sends a key nowhere but to its upstream.

use std::{net::TcpStream, os::fd::AsFd, sync::atomic::Ordering, time::Instant};

use nix::poll::PollFlags;
use ralph_core::{
    agent_facts::KeyHeader,
    network::{Body, Head, Header, RelayRule, RequestLine, Why, passes},
};

use super::{
    ledger::Visit,
    shared::{ANSWER_TIME, Shared},
    wait,
    wire::Wire,
};

/// Most bytes that are held of either direction.
const HELD: usize = 256 * 1024;
/// Most bytes of an answer's head.
const LONGEST_HEAD: usize = 128 * 1024;

/// Headers in which a client's key can stand.
const KEYS: [KeyHeader; 3] = [KeyHeader::Bearer, KeyHeader::XApiKey, KeyHeader::XGoogApiKey];

/// Headers that speak of one connection and not of the message.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "host",
];

/// Sends a request on and its answer back, piece by piece as they come. `early` is what came with the head.
pub(super) fn pass_on(
    client: &TcpStream,
    (line, head, early): (&RequestLine, &Head, &[u8]),
    shared: &Shared,
    visit: &mut Visit,
) -> Result<(), Why> {
    let RequestLine { method, target } = line;
    if let Some(url) = target.strip_prefix("http://") {
        url.split('/').next().unwrap_or_default().clone_into(&mut visit.host);
        return Err(Why::Port);
    }
    let (name, path) = split(target).ok_or(Why::BadRequest)?;
    visit.is_relayed = true;
    name.clone_into(&mut visit.host);
    let rule = shared.rules.relay(name).ok_or(Why::NoRelay)?;
    rule.upstream.host.clone_into(&mut visit.host);
    visit.port = rule.upstream.port;
    // Agents that know both take this answer as a sign to continue without a socket of their own.
    if head.values("upgrade").next().is_some() {
        return Err(Why::Upgrade);
    }
    let body = Body::of_request(head).ok_or(Why::BadRequest)?;
    rule.judge(method, path)?;
    if shared.relayed.fetch_add(1, Ordering::Relaxed) >= shared.world.limits.requests {
        return Err(Why::UsedUp);
    }
    let wire = Wire::open(&shared.world, rule)?;
    if head.values("expect").next().is_some() {
        let until = Instant::now() + ANSWER_TIME;
        wait::write(client, b"HTTP/1.1 100 Continue\r\n\r\n", &shared.stop, until)?;
    }
    visit.is_allowed = true;
    let mut exchange = Exchange {
        client,
        wire,
        to_server: request(head, method, path, rule),
        to_client: Vec::new(),
        request: body,
        answer: Answer::Head(Vec::new()),
        method: method.clone(),
        is_begun: false,
    };
    let result = exchange.take_from_client(early).and_then(|()| exchange.run(shared, visit));
    visit.is_answered = exchange.is_begun;
    result
}

/// The relay's name and the rest of the path, if the path could lead nowhere else.
fn split(target: &str) -> Option<(&str, &str)> {
    let rest = target.strip_prefix("/relay/")?;
    let (name, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let plain = path.split('?').next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let climbs = plain.split(['/', '\\']).any(|one| one == "." || one == "..");
    let is_text =
        target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#' && byte != b'\\');
    (is_text && !climbs && !plain.contains("%2f") && !plain.contains("%5c")).then_some((name, path))
}

/// The head that the upstream gets.
fn request(head: &Head, method: &str, path: &str, rule: &RelayRule) -> Vec<u8> {
    let slash = if path.starts_with('/') || !rule.upstream.path.is_empty() { "" } else { "/" };
    let mut text =
        format!("{method} {}{slash}{path} HTTP/1.1\r\n", rule.upstream.path).into_bytes();
    text.extend_from_slice(
        format!("host: {}\r\nconnection: close\r\n", rule.upstream.authority()).as_bytes(),
    );
    let is_added = |name: &str| rule.headers.iter().any(|(added, _)| added == name);
    if let Some((header, key)) = rule.key.as_ref().filter(|(header, _)| !is_added(header.name())) {
        let line = format!("{}: {}\r\n", header.name(), header.value(key.reveal()));
        text.extend_from_slice(line.as_bytes());
    }
    for (name, value) in &rule.headers {
        text.extend_from_slice(format!("{name}: {}\r\n", value.reveal()).as_bytes());
    }
    let named = named_by_connection(head);
    let stays = |one: &&Header| {
        let is_key = rule.key.is_some() && KEYS.iter().any(|key| key.name() == one.name);
        !is_key
            && passes(&one.name)
            && !is_added(&one.name)
            && !HOP_BY_HOP.contains(&one.name.as_str())
            && !named.contains(&one.name)
    };
    head.headers.iter().filter(stays).for_each(|one| add(&mut text, one));
    text.extend_from_slice(b"\r\n");
    text
}

/// Headers that are meant for this connection only because the client says so. Those that give the length stay.
fn named_by_connection(head: &Head) -> Vec<String> {
    let text: Vec<String> = head
        .values("connection")
        .flat_map(|value| value.split(|byte| *byte == b','))
        .map(|word| String::from_utf8_lossy(word.trim_ascii()).to_ascii_lowercase())
        .collect();
    let is_length = |name: &String| matches!(name.as_str(), "content-length" | "transfer-encoding");
    text.into_iter().filter(|name| !is_length(name)).collect()
}

fn add(text: &mut Vec<u8>, header: &Header) {
    text.extend_from_slice(header.name.as_bytes());
    text.extend_from_slice(b": ");
    text.extend_from_slice(&header.value);
    text.extend_from_slice(b"\r\n");
}

/// How far the answer has come.
enum Answer {
    /// Its head, as much as there is of it.
    Head(Vec<u8>),
    Body(Body),
    Over,
}

/// One request and its answer on their way.
struct Exchange<'a> {
    client: &'a TcpStream,
    wire: Wire,
    to_server: Vec<u8>,
    to_client: Vec<u8>,
    request: Body,
    answer: Answer,
    method: String,
    /// The client has got something of the answer.
    is_begun: bool,
}

impl Exchange<'_> {
    fn run(&mut self, shared: &Shared, visit: &mut Visit) -> Result<(), Why> {
        let mut buffer = vec![0; HELD / 4];
        loop {
            let is_drained = self.read_server(&mut buffer)?;
            self.send(visit)?;
            if self.is_over() && self.to_client.is_empty() {
                return Ok(());
            }
            let has_room = self.to_client.len() < HELD && !self.is_over();
            if has_room && !is_drained {
                // TLS may hold what no socket will announce again.
                continue;
            }
            let is_reading = self.to_server.len() < HELD;
            let mut from_client = PollFlags::empty();
            from_client.set(PollFlags::POLLIN, is_reading);
            from_client.set(PollFlags::POLLOUT, !self.to_client.is_empty());
            let from_server = self.wire.wanted(!self.to_server.is_empty(), has_room);
            let wanted = [(self.client.as_fd(), from_client), (self.wire.fd(), from_server)];
            let ready =
                wait::ready(&shared.stop, &wanted, Instant::now() + shared.world.limits.idle)?;
            if ready[0] && is_reading {
                self.read_client(&mut buffer)?;
            }
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.answer, Answer::Over)
    }

    fn send(&mut self, visit: &mut Visit) -> Result<(), Why> {
        while !self.to_server.is_empty() {
            // A server that answers early may stop listening; what it answers is still read.
            let sent = self.wire.send(&self.to_server).unwrap_or(self.to_server.len());
            if sent == 0 {
                break;
            }
            visit.up += sent as u64;
            self.to_server.drain(..sent);
        }
        self.wire.flush().ok();
        while !self.to_client.is_empty() {
            match std::io::Write::write(&mut &*self.client, &self.to_client) {
                Ok(sent) => {
                    self.is_begun = true;
                    visit.down += sent as u64;
                    self.to_client.drain(..sent);
                }
                Err(error) if wait::is_passing(&error) => break,
                Err(_) => return Err(Why::Broken),
            }
        }
        Ok(())
    }

    fn read_client(&mut self, buffer: &mut [u8]) -> Result<(), Why> {
        match std::io::Read::read(&mut &*self.client, buffer) {
            // A client that leaves no longer wants an answer, which would only cost its user money.
            Ok(0) => Err(Why::Broken),
            Ok(count) => self.take_from_client(&buffer[..count]),
            Err(error) if wait::is_passing(&error) => Ok(()),
            Err(_) => Err(Why::Broken),
        }
    }

    /// Takes the request's own bytes; a second request behind it is not served.
    fn take_from_client(&mut self, bytes: &[u8]) -> Result<(), Why> {
        let taken = self.request.take(bytes, &mut self.to_server);
        taken.map(drop).ok_or(Why::BadRequest)
    }

    /// Reads while there is something and room for it; whether nothing is left.
    fn read_server(&mut self, buffer: &mut [u8]) -> Result<bool, Why> {
        while !self.is_over() {
            if self.to_client.len() >= HELD {
                return Ok(false);
            }
            let count = match self.wire.receive(buffer) {
                Ok(None) => return Ok(true),
                Ok(Some(count)) => count,
                // Certificates that are not trusted end here too.
                Err(_) if !self.is_begun => return Err(Why::Unreachable),
                Err(_) => return Err(Why::Broken),
            };
            if count == 0 {
                let is_whole = matches!(&self.answer, Answer::Body(Body::UntilClosed));
                self.answer = Answer::Over;
                return if is_whole { Ok(true) } else { Err(Why::Broken) };
            }
            let mut bytes = buffer[..count].to_vec();
            while !bytes.is_empty() && !self.is_over() {
                bytes = self.take_from_server(&bytes)?;
            }
        }
        Ok(true)
    }

    /// Takes the next part of the answer and gives back what is behind it.
    fn take_from_server(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Why> {
        match &mut self.answer {
            Answer::Over => return Ok(Vec::new()),
            Answer::Body(body) => {
                let count = body.take(bytes, &mut self.to_client).ok_or(Why::Broken)?;
                if body.is_over() {
                    self.answer = Answer::Over;
                }
                return Ok(bytes[count..].to_vec());
            }
            Answer::Head(head) => head.extend_from_slice(bytes),
        }
        let Answer::Head(head) = &mut self.answer else { return Ok(Vec::new()) };
        let Some(end) = Head::end(head) else {
            return if head.len() > LONGEST_HEAD { Err(Why::Broken) } else { Ok(Vec::new()) };
        };
        let rest = head.split_off(end);
        let text = std::mem::take(head);
        self.begin_answer(&text)?;
        Ok(rest)
    }

    fn begin_answer(&mut self, text: &[u8]) -> Result<(), Why> {
        let (status, head) = Head::answer(text).ok_or(Why::Broken)?;
        if status < 200 {
            // Only news on the way; the answer itself is still to come. Ralph has asked for no other protocol.
            self.answer = Answer::Head(Vec::new());
            return if status == 101 { Err(Why::Broken) } else { Ok(()) };
        }
        let body = Body::of_answer(&head, status, &self.method).ok_or(Why::Broken)?;
        let line = text.split(|byte| *byte == b'\r').next().unwrap_or_default();
        self.to_client.extend_from_slice(line);
        self.to_client.extend_from_slice(b"\r\nconnection: close\r\n");
        let stays = |one: &&Header| !HOP_BY_HOP.contains(&one.name.as_str());
        head.headers.iter().filter(stays).for_each(|one| add(&mut self.to_client, one));
        self.to_client.extend_from_slice(b"\r\n");
        self.answer = if body.is_over() { Answer::Over } else { Answer::Body(body) };
        Ok(())
    }
}
