//! Clients that want to get out.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, SocketAddr},
    time::{Duration, Instant},
};

use ralph_core::{network::Why, vocabulary::NetworkPreset};

use super::{Cast, LONG, PUBLIC, answer, hello, status};
use crate::network::dial::World;

#[test]
fn every_trick_with_the_target_is_refused_and_nothing_is_dialled() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let targets: &[(&[u8], &str)] = &[
        (b"registry.example\0.evil.example:443", "400"),
        (b"evil.example\0.registry.example:443", "400"),
        (b"evil.example#.registry.example:443", "400"),
        (b"evil.example%00.registry.example:443", "400"),
        (b"evil.example%2eregistry.example:443", "400"),
        (b"registry.example@evil.example:443", "400"),
        (b"user:password@registry.example:443", "400"),
        (b"evil.example/registry.example:443", "400"),
        (b"evil.example?registry.example:443", "400"),
        (b"a..registry.example:443", "400"),
        (b"a..below.example:443", "400"),
        (b".registry.example:443", "400"),
        (b"registry.example.:443", "400"),
        ("reg\u{456}stry.example:443".as_bytes(), "400"),
        (b"reg\xd1stry.example:443", "400"),
        (b"registry.example", "400"),
        (b"registry.example:", "400"),
        (b"registry.example:443:443", "400"),
        (b"registry.example:+443", "400"),
        (b"registry.example:65979", "400"),
        (b"http://registry.example:443", "400"),
        (b"127.0.0.1:443", "403"),
        (b"[::1]:443", "403"),
        (b"[::ffff:127.0.0.1]:443", "403"),
        (b"2130706433:443", "403"),
        (b"0x7f000001:443", "403"),
        (b"0x7f.0.0.1:443", "403"),
        (b"0177.0.0.1:443", "403"),
        (b"127.1:443", "403"),
        (b"169.254.169.254:443", "403"),
        (b"localhost:443", "400"),
        (b"evilregistry.example:443", "403"),
        (b"registry.example.evil.example:443", "403"),
        (b"below.example:443", "403"),
        (b"evilbelow.example:443", "403"),
        (b"registry.example:22", "403"),
        (b"registry.example:80", "403"),
        (b"xn--80ak6aa92e.example:443", "403"),
    ];
    for (target, expected) in targets {
        let request = [b"CONNECT ", *target, b" HTTP/1.1\r\nHost: registry.example:443\r\n\r\n"];
        let got = scene.ask(&request.concat())?;
        let shown = String::from_utf8_lossy(target);
        assert_eq!(status(&got), *expected, "{shown:?}: {got}");
    }
    assert_eq!(scene.has_dialled(), []);
    let (traffic, log) = scene.finish()?;
    assert_eq!(log.len(), targets.len());
    assert!(log.iter().all(|line| line["decision"] == "refused"), "{log:?}");
    assert!(traffic["evilregistry.example"].why == Why::NotAllowed.words());
    assert!(traffic.values().all(|one| one.allowed == 0 && one.refused > 0));
    Ok(())
}

#[test]
fn requests_that_are_odd_or_of_another_kind_are_refused() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let requests: &[(&[u8], &str)] = &[
        (b"CONNECT registry.example:443 HTTP/2\r\n\r\n", "400"),
        (b"CONNECT  registry.example:443 HTTP/1.1\r\n\r\n", "400"),
        (b"CONNECT registry.example:443\r\n\r\n", "400"),
        (b"CONNECT registry.example:443 HTTP/1.1\r\n bad: folding\r\n\r\n", "400"),
        (b"GET http://registry.example/ HTTP/1.1\r\n\r\n", "403"),
        (b"GET https://registry.example/ HTTP/1.1\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: registry.example\r\n\r\n", "400"),
        (b"OPTIONS * HTTP/1.1\r\n\r\n", "400"),
        (b"\x05\x01\x00\r\n\r\n", "400"),
        (b"\x16\x03\x01\x00\x01\r\n\r\n", "400"),
    ];
    for (request, expected) in requests {
        let got = scene.ask(request)?;
        assert_eq!(status(&got), *expected, "{:?}: {got}", String::from_utf8_lossy(request));
    }
    let endless = [b"CONNECT registry.example:443 HTTP/1.1\r\nA: ".as_slice(), &vec![b'a'; 80_000]];
    let mut client = scene.connect()?;
    client.write_all(&endless.concat()).ok();
    // The gateway may close with some of it unread, which resets the connection.
    let got = answer(&mut client).unwrap_or_else(|_| "HTTP/1.1 400".into());
    assert_eq!(status(&got), "400");
    assert_eq!(scene.has_dialled(), []);
    Ok(())
}

#[test]
fn a_name_that_leads_into_a_private_network_is_refused_after_it_was_resolved() -> io::Result<()> {
    for address in
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.0.1", "fd00::1"]
    {
        let addresses = vec![address.parse::<IpAddr>().map_err(io::Error::other)?];
        let scene = Cast { addresses, preset: NetworkPreset::Open, ..Cast::default() }.start()?;
        let got = scene.ask(b"CONNECT registry.example:443 HTTP/1.1\r\n\r\n")?;
        assert_eq!(status(&got), "403", "{address}: {got}");
        assert_eq!(scene.has_dialled(), []);
        let (traffic, _) = scene.finish()?;
        let is_near = ["127.0.0.1", "169.254.169.254", "::1"].contains(&address);
        let why = if is_near { Why::NoAddress } else { Why::PrivateAddress };
        assert_eq!(traffic["registry.example"].why, why.words());
    }
    Ok(())
}

#[test]
fn of_several_addresses_only_a_public_one_is_dialled_and_no_name_is_asked_twice() -> io::Result<()>
{
    let private = "10.0.0.1".parse::<IpAddr>().map_err(io::Error::other)?;
    let scene = Cast { addresses: vec![private, PUBLIC], ..Cast::default() }.start()?;
    let (_client, _server) = scene.open_tunnel()?;
    assert_eq!(scene.has_dialled(), [SocketAddr::new(PUBLIC, 443)]);
    Ok(())
}

#[test]
fn a_name_without_an_address_is_told() -> io::Result<()> {
    let scene = Cast { addresses: Vec::new(), ..Cast::default() }.start()?;
    let got = scene.ask(b"CONNECT registry.example:443 HTTP/1.1\r\n\r\n")?;
    assert_eq!(status(&got), "502", "{got}");
    Ok(())
}

#[test]
fn a_client_that_asks_for_another_server_gets_an_alert_and_the_server_nothing() -> io::Result<()> {
    for first in [
        hello("other.example"),
        hello("registry.example.other.example"),
        hello(""),
        b"SSH-2.0-x\r\n".to_vec(),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
    ] {
        let scene = Cast::default().start()?;
        let (mut client, mut server) = scene.tunnel()?;
        client.write_all(&first)?;
        let mut alert = Vec::new();
        client.read_to_end(&mut alert)?;
        assert_eq!(alert.first(), Some(&21), "{alert:?}");
        let mut got = Vec::new();
        server.read_to_end(&mut got)?;
        assert_eq!(got, b"");
        let (traffic, log) = scene.finish()?;
        assert_eq!(traffic["registry.example"].why, Why::ServerName.words());
        assert_eq!(log[0]["decision"], "refused");
    }
    Ok(())
}

#[test]
fn where_any_host_is_allowed_the_server_name_is_not_looked_at() -> io::Result<()> {
    let scene = Cast { preset: NetworkPreset::Open, ..Cast::default() }.start()?;
    let (mut client, mut server) = scene.tunnel()?;
    client.write_all(b"SSH-2.0")?;
    let mut got = [0; 7];
    server.read_exact(&mut got)?;
    assert_eq!(&got, b"SSH-2.0");
    Ok(())
}

/// Too little time for the head of a request; nobody who sends one is served in such a world.
fn hasty_at_heads(mut world: World) -> World {
    world.limits.head = Duration::from_millis(200);
    world
}

/// Too little time for the first message in a tunnel, and enough for everything else.
fn hasty_at_hellos(mut world: World) -> World {
    world.limits.hello = Duration::from_millis(200);
    world
}

#[test]
fn a_client_that_never_finishes_its_request_is_sent_away() -> io::Result<()> {
    let scene = Cast { change: hasty_at_heads, ..Cast::default() }.start()?;
    let got = scene.ask(b"CONNECT registry.example:443 HTTP/1.1\r\nHost: reg")?;
    assert_eq!(status(&got), "408", "{got}");
    Ok(())
}

#[test]
fn a_client_that_never_finishes_its_first_message_is_sent_away() -> io::Result<()> {
    let scene = Cast { change: hasty_at_hellos, ..Cast::default() }.start()?;
    // All that is ever said comes at once: how slow this client is must not depend on the machine.
    let mut client = scene.connect()?;
    let begun = &hello("registry.example")[..20];
    let request = [b"CONNECT registry.example:443 HTTP/1.1\r\n\r\n".as_slice(), begun];
    client.write_all(&request.concat())?;
    let (mut server, _) = scene.server.accept()?;
    let mut alert = Vec::new();
    client.read_to_end(&mut alert)?;
    let expected = b"HTTP/1.1 200 Connection established\r\n\r\n";
    assert_eq!(alert.strip_prefix(expected).and_then(<[u8]>::first), Some(&21), "{alert:?}");
    let mut got = Vec::new();
    server.read_to_end(&mut got)?;
    assert_eq!(got, b"");
    let (traffic, _) = scene.finish()?;
    assert_eq!(traffic["registry.example"].why, Why::Slow.words());
    Ok(())
}

#[test]
fn more_connections_than_are_allowed_are_turned_away() -> io::Result<()> {
    let crowded = |mut world: World| {
        world.limits.connections = 3;
        world
    };
    let scene = Cast { change: crowded, ..Cast::default() }.start()?;
    let open = [scene.open_tunnel()?, scene.open_tunnel()?, scene.open_tunnel()?];
    let mut fourth = scene.connect()?;
    let got = answer(&mut fourth)?;
    assert_eq!(status(&got), "503", "{got}");
    drop(open);
    Ok(())
}

#[test]
fn a_client_that_only_looks_is_not_written_down() -> io::Result<()> {
    let scene = Cast::default().start()?;
    drop(scene.connect()?);
    let (client, server) = scene.open_tunnel()?;
    drop((client, server));
    let (traffic, log) = scene.finish()?;
    assert_eq!(traffic.len(), 1);
    assert_eq!(log.len(), 1);
    Ok(())
}

#[test]
fn the_end_does_not_wait_for_clients() -> io::Result<()> {
    let scene = Cast::default().start()?;
    let mut half = scene.connect()?;
    half.write_all(b"CONNECT regis")?;
    let (mut client, mut server) = scene.open_tunnel()?;
    let began = Instant::now();
    let address = scene.address;
    scene.finish()?;
    assert!(began.elapsed() < LONG / 2);
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).ok();
    server.read_to_end(&mut rest).ok();
    half.read_to_end(&mut rest).ok();
    assert!(std::net::TcpStream::connect(address).is_err(), "nothing is accepted any more");
    Ok(())
}
