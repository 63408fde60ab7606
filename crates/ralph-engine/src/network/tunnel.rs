//! A tunnel to an allowed host: dials, looks at the client's first TLS message, then only moves bytes.

use std::{net::TcpStream, time::Instant};

use ralph_core::network::{Hello, Host, Why, read_hello};

use super::{
    lane,
    ledger::Visit,
    shared::{ANSWER_TIME, Shared},
    wait,
};

/// What TLS calls a server name that it does not know, as a fatal alert: so that clients say what is wrong.
const UNKNOWN_NAME: [u8; 7] = [21, 3, 3, 0, 2, 2, 112];

/// Opens a tunnel and keeps it until both sides are done.
pub(super) fn open(
    client: &TcpStream,
    target: &str,
    early: Vec<u8>,
    shared: &Shared,
    visit: &mut Visit,
) -> Result<(), Why> {
    let (name, port) = target.rsplit_once(':').unwrap_or((target, ""));
    name.clone_into(&mut visit.host);
    visit.port = port.parse().unwrap_or_default();
    let host = shared.decide(target)?;
    visit.host = host.to_string();
    let server = shared.world.dial(host.as_str(), visit.port, shared.naming(&host))?;
    let until = Instant::now() + ANSWER_TIME;
    wait::write(client, b"HTTP/1.1 200 Connection established\r\n\r\n", &shared.stop, until)?;
    visit.is_answered = true;
    let first = if shared.rules.checks_server_name() {
        let first = first_message(client, early, &host, shared);
        if first.is_err() {
            wait::write(client, &UNKNOWN_NAME, &shared.stop, until).ok();
        }
        first?
    } else {
        early
    };
    visit.is_allowed = true;
    wait::write(&server, &first, &shared.stop, until)?;
    visit.up += first.len() as u64;
    let moved = lane::join(client, &server, &shared.stop, shared.world.limits.idle);
    visit.up += moved.up;
    visit.down += moved.down;
    moved.end
}

/// The client's first message, if it is a TLS client that asks for the host it connected to.
fn first_message(
    client: &TcpStream,
    mut bytes: Vec<u8>,
    host: &Host,
    shared: &Shared,
) -> Result<Vec<u8>, Why> {
    let until = Instant::now() + shared.world.limits.hello;
    let mut piece = [0; 8 * 1024];
    loop {
        match read_hello(&bytes) {
            Hello::Asks(name) if name.eq_ignore_ascii_case(host.as_str()) => return Ok(bytes),
            Hello::Asks(_) | Hello::Nameless | Hello::Foreign => return Err(Why::ServerName),
            Hello::Unfinished => {}
        }
        match wait::read(client, &mut piece, &shared.stop, until)? {
            0 => return Err(Why::ServerName),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
