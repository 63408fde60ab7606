//! One connection from the box: reads what it asks for, has it done, answers if it cannot be.

use std::{
    io::Write,
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

use ralph_core::network::{Head, Why};

use super::{
    ledger::Visit,
    relay,
    shared::{ANSWER_TIME, Shared},
    tunnel, wait,
};

/// Most bytes of a request's head.
const LONGEST_HEAD: usize = 64 * 1024;

/// How long and how much is still read of a client that has got its answer.
const FAREWELL_TIME: Duration = Duration::from_secs(2);
const FAREWELL_PIECES: usize = 1024;

/// Serves one connection from its first byte to its last.
pub(super) fn serve(client: &TcpStream, shared: &Shared) {
    let began = Instant::now();
    let mut visit = Visit::default();
    let result = attend(client, shared, &mut visit);
    if let Err(why) = result
        && !visit.is_answered
    {
        let until = Instant::now() + ANSWER_TIME;
        wait::write(client, refusal(why).as_bytes(), &shared.stop, until).ok();
    }
    if result != Ok(Asked::Nothing) {
        shared.ledger.note(&visit, result.err(), began.elapsed());
        farewell(client, shared);
    }
}

/// Lets the client read its answer: closing with something of it unread would take the answer away.
fn farewell(client: &TcpStream, shared: &Shared) {
    client.shutdown(Shutdown::Write).ok();
    let until = Instant::now() + FAREWELL_TIME;
    let mut piece = [0; 8 * 1024];
    for _ in 0..FAREWELL_PIECES {
        match wait::read(client, &mut piece, &shared.stop, until) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
    }
}

/// Tells a client that there are too many, if it takes the answer at once.
pub(super) fn turn_away(mut client: &TcpStream) {
    client.set_nonblocking(true).ok();
    client.write_all(refusal(Why::Busy).as_bytes()).ok();
}

/// Whether a client asked for something at all.
#[derive(PartialEq)]
enum Asked {
    Nothing,
    Something,
}

fn attend(client: &TcpStream, shared: &Shared, visit: &mut Visit) -> Result<Asked, Why> {
    let is_ready = client.set_nonblocking(true).and_then(|()| client.set_nodelay(true));
    is_ready.map_err(|_| Why::Broken)?;
    let Some(mut head) = read_head(client, shared)? else { return Ok(Asked::Nothing) };
    let rest = head.split_off(Head::end(&head).unwrap_or(head.len()));
    let (line, head) = Head::request(&head).ok_or(Why::BadRequest)?;
    if line.method == "CONNECT" {
        tunnel::open(client, &line.target, rest, shared, visit)?;
    } else {
        relay::pass_on(client, (&line, &head, &rest), shared, visit)?;
    }
    Ok(Asked::Something)
}

/// The head and what came with it; nothing if the client left without a word.
fn read_head(client: &TcpStream, shared: &Shared) -> Result<Option<Vec<u8>>, Why> {
    let until = Instant::now() + shared.world.limits.head;
    let mut bytes = Vec::new();
    let mut piece = [0; 8 * 1024];
    loop {
        let seen = bytes.len();
        match wait::read(client, &mut piece, &shared.stop, until)? {
            0 if bytes.is_empty() => return Ok(None),
            0 => return Err(Why::BadRequest),
            count => bytes.extend_from_slice(&piece[..count]),
        }
        // The empty line may have begun in the piece before.
        if Head::end(&bytes[seen.saturating_sub(3)..]).is_some() {
            return Ok(Some(bytes));
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(Why::BadRequest);
        }
    }
}

fn refusal(why: Why) -> String {
    let status = match why {
        Why::BadRequest | Why::BadHost => 400,
        Why::IsAddress
        | Why::Port
        | Why::NotAllowed
        | Why::NotRelayed
        | Why::PrivateAddress
        | Why::NoAddress
        | Why::ServerName => 403,
        Why::NoRelay => 404,
        Why::Slow => 408,
        Why::Upgrade => 426,
        Why::UsedUp => 429,
        Why::Unresolved | Why::Unreachable | Why::Proxy | Why::Broken => 502,
        Why::Busy => 503,
    };
    let words = why.words();
    let help = match why {
        Why::NotAllowed => "; the user can add it to sandbox.allow_hosts in the settings",
        Why::PrivateAddress => {
            "; the user can name it, without a wildcard, in sandbox.allow_hosts in the settings"
        }
        _ => "",
    };
    let body = format!("ralph: {words}{help}\n");
    // Many clients show nothing of a refused CONNECT but its first line.
    format!(
        "HTTP/1.1 {status} ralph: {words}\r\nconnection: close\r\ncontent-type: text/plain\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
