//! Bytes through tunnels: all of them, both ways, many at once.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
};

use super::{Cast, beside};

/// So many bytes of a pattern that shows what is missing, doubled or out of order.
fn pattern(count: usize, seed: u32) -> Vec<u8> {
    let step = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(state.to_be_bytes()[0])
    };
    std::iter::repeat_n((), count).scan(seed, |state, ()| step(state)).collect()
}

fn send(mut stream: TcpStream, bytes: Vec<u8>) -> impl FnOnce() -> io::Result<()> {
    beside(move || {
        stream.write_all(&bytes)?;
        stream.shutdown(Shutdown::Write)
    })
}

fn receive(mut stream: TcpStream) -> impl FnOnce() -> io::Result<Vec<u8>> {
    beside(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map(|_| bytes)
    })
}

#[test]
fn much_goes_both_ways_at_once_and_arrives_whole() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let (client, server) = scene.open_tunnel()?;
    let (up, down) = (pattern(24 << 20, 1), pattern((24 << 20) + 7, 2));
    let sent = [send(client.try_clone()?, up.clone()), send(server.try_clone()?, down.clone())];
    let (got_down, got_up) = (receive(client), receive(server));
    assert!(got_up()? == up, "what went up arrived changed");
    assert!(got_down()? == down, "what came down arrived changed");
    for sent in sent {
        sent()?;
    }
    let (traffic, log) = scene.finish()?;
    let host = &traffic["registry.example"];
    let hello = super::hello("registry.example").len();
    assert_eq!(host.sent, (up.len() + hello) as u64);
    assert_eq!(host.received, down.len() as u64);
    assert_eq!((log[0]["up"].as_u64(), log[0]["port"].as_u64()), (Some(host.sent), Some(443)));
    assert_eq!(
        (&log[0]["host"], &log[0]["decision"]),
        (&"registry.example".into(), &"allowed".into())
    );
    Ok(())
}

#[test]
fn a_side_that_has_said_all_can_still_listen() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let (mut client, mut server) = scene.open_tunnel()?;
    client.write_all(b"question")?;
    client.shutdown(Shutdown::Write)?;
    let mut got = Vec::new();
    server.read_to_end(&mut got)?;
    assert_eq!(got, b"question");
    server.write_all(b"answer")?;
    drop(server);
    got.clear();
    client.read_to_end(&mut got)?;
    assert_eq!(got, b"answer");
    Ok(())
}

#[test]
fn what_came_with_the_request_is_the_first_message() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let mut client = scene.connect()?;
    let hello = super::hello("registry.example");
    let request = [b"CONNECT registry.example:443 HTTP/1.1\r\n\r\n".as_slice(), &hello, b"more"];
    client.write_all(&request.concat())?;
    let (mut server, _) = scene.server.accept()?;
    let mut got = vec![0; hello.len() + 4];
    server.read_exact(&mut got)?;
    assert!(got.ends_with(b"more"));
    Ok(())
}

#[test]
fn two_hundred_tunnels_are_open_at_once() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let mut tunnels = (0..200).map(|_| scene.open_tunnel()).collect::<io::Result<Vec<_>>>()?;
    for (number, (client, server)) in tunnels.iter_mut().enumerate() {
        let text = format!("{number:08}");
        client.write_all(text.as_bytes())?;
        let mut got = [0; 8];
        server.read_exact(&mut got)?;
        server.write_all(&got)?;
        client.read_exact(&mut got)?;
        assert_eq!(got, text.as_bytes());
    }
    let (traffic, _) = scene.finish()?;
    assert_eq!(traffic["registry.example"].allowed, 200);
    let mut rest = Vec::new();
    for (client, _server) in &mut tunnels {
        client.read_to_end(&mut rest).ok();
    }
    assert_eq!(rest, b"");
    Ok(())
}
