//! Requests that get their key from ralph.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, TcpStream},
    sync::{Arc, mpsc},
};

use ralph_core::{
    agent_facts::{KeyHeader, Request},
    network::{RelayRule, Secret, Upstream, Why},
};
use rustls::{
    RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::{Cast, LONG, Scene, answer, beside, status};
use crate::network::dial::{World, client_config};

const REQUESTS: &[Request] = &[
    Request::get("/"),
    Request::get("/a"),
    Request::get("/v1"),
    Request::post("/a"),
    Request::post("/v1"),
    Request::post("/v1/messages"),
];

fn rule(url: &str, key: Option<KeyHeader>) -> io::Result<RelayRule> {
    Ok(RelayRule {
        name: "anthropic".into(),
        upstream: Upstream::parse(url).map_err(io::Error::other)?,
        is_users_own: true,
        key: key.map(|header| (header, Secret::new("real-key".into()))),
        headers: Vec::new(),
        requests: REQUESTS,
    })
}

fn scene(url: &str, key: Option<KeyHeader>) -> io::Result<Scene> {
    Cast { relays: vec![rule(url, key)?], ..Cast::default() }.start()
}

/// Answers one request with these bytes and gives what was asked.
fn upstream(
    scene: &Scene,
    reply: &'static [u8],
) -> io::Result<impl FnOnce() -> io::Result<String>> {
    let listener = scene.server.try_clone()?;
    Ok(beside(move || {
        let (mut stream, _) = listener.accept()?;
        stream.set_read_timeout(Some(LONG))?;
        let asked = read_request(&mut stream)?;
        stream.write_all(reply)?;
        Ok(asked)
    }))
}

/// The head and a body of known length or in chunks.
fn read_request(stream: &mut impl Read) -> io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        if reader.read_line(&mut text)? == 0 {
            return Err(io::Error::other(format!("the request ended early: {text}")));
        }
    }
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    text.push_str(&String::from_utf8_lossy(&body));
    while text.contains("transfer-encoding: chunked") && !text.ends_with("0\r\n\r\n") {
        reader.read_line(&mut text)?;
    }
    Ok(text)
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi";

#[test]
fn the_real_key_is_put_in_place_of_the_clients() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9/base", Some(KeyHeader::XApiKey))?;
    let asked = upstream(&scene, OK)?;
    let got = scene.ask(
        b"POST /relay/anthropic/v1/messages?beta=true HTTP/1.1\r\nHost: 127.0.0.1:61080\r\n\
          X-Api-Key: stand-in\r\nAuthorization: Bearer stand-in\r\nAnthropic-Version: 1\r\n\
          Connection: keep-alive, X-Private\r\nX-Private: a\r\nProxy-Authorization: b\r\n\
          Content-Length: 4\r\n\r\nbodyGET /relay/anthropic/second HTTP/1.1\r\n\r\n",
    )?;
    let asked = asked()?;
    assert_eq!(
        asked,
        "POST /base/v1/messages?beta=true HTTP/1.1\r\nhost: 127.0.0.1:9\r\nconnection: close\r\n\
         x-api-key: real-key\r\nanthropic-version: 1\r\ncontent-length: 4\r\n\r\nbody"
    );
    assert_eq!(got, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi");
    let (traffic, log) = scene.finish()?;
    let host = &traffic["127.0.0.1"];
    assert_eq!((host.allowed, host.sent), (1, asked.len() as u64));
    assert_eq!((&log[0]["via"], &log[0]["port"]), (&"relay".into(), &9.into()));
    assert!(!format!("{log:?}").contains("real-key"));
    Ok(())
}

#[test]
fn each_service_gets_its_key_in_its_own_header() -> io::Result<()> {
    for (header, line) in [
        (KeyHeader::Bearer, "authorization: Bearer real-key\r\n"),
        (KeyHeader::XGoogApiKey, "x-goog-api-key: real-key\r\n"),
    ] {
        let scene = scene("http://127.0.0.1:9", Some(header))?;
        let asked = upstream(&scene, OK)?;
        scene.ask(b"GET /relay/anthropic HTTP/1.1\r\nx-goog-api-key: stand-in\r\n\r\n")?;
        let asked = asked()?;
        assert!(asked.starts_with("GET / HTTP/1.1\r\n") && asked.contains(line), "{asked}");
        assert!(!asked.contains("stand-in"), "{asked}");
    }
    Ok(())
}

#[test]
fn without_a_key_to_keep_the_clients_own_goes_on() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", None)?;
    let asked = upstream(&scene, OK)?;
    scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\nAuthorization: Bearer own\r\n\r\n")?;
    assert!(asked()?.contains("authorization: Bearer own\r\n"));
    Ok(())
}

#[test]
fn events_of_a_stream_arrive_when_they_are_sent() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let listener = scene.server.try_clone()?;
    let (seen, wait) = mpsc::channel();
    let server = beside(move || {
        let (mut stream, _) = listener.accept()?;
        read_request(&mut stream)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        for number in 0..3 {
            write!(stream, "9\r\ndata: {number}\n\n\r\n")?;
            // The next one is sent only after the client has this one.
            wait.recv_timeout(LONG).map_err(io::Error::other)?;
        }
        stream.write_all(b"0\r\n\r\n")
    });
    let mut client = scene.connect()?;
    client.write_all(b"POST /relay/anthropic/a HTTP/1.1\r\nContent-Length: 0\r\n\r\n")?;
    let mut reader = BufReader::new(client);
    for number in 0..3 {
        let mut line = String::new();
        while line.trim() != format!("data: {number}") {
            line.clear();
            assert_ne!(reader.read_line(&mut line)?, 0, "the stream ended early");
        }
        seen.send(()).map_err(io::Error::other)?;
    }
    server()?;
    let mut rest = String::new();
    reader.read_to_string(&mut rest)?;
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "{rest:?}");
    Ok(())
}

#[test]
fn a_redirect_is_passed_back_and_not_followed() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let moved =
        b"HTTP/1.1 307 Moved\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n";
    let asked = upstream(&scene, moved)?;
    let got = scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    asked()?;
    assert!(got.contains("location: https://evil.example/"), "{got}");
    assert_eq!(scene.has_dialled().len(), 1);
    Ok(())
}

#[test]
fn bodies_in_chunks_and_clients_that_wait_to_be_asked_are_served() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let news = b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end";
    let asked = upstream(&scene, news)?;
    let mut client = scene.connect()?;
    client.write_all(
        b"POST /relay/anthropic/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    )?;
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut got = vec![0; expected.len()];
    client.read_exact(&mut got)?;
    assert_eq!(got, expected);
    client.write_all(b"3\r\nabc\r\n0\r\n\r\n")?;
    assert!(asked()?.ends_with("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
    assert_eq!(answer(&mut client)?, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nuntil the end");
    Ok(())
}

#[test]
fn what_leads_elsewhere_is_refused() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9/tenant", Some(KeyHeader::XApiKey))?;
    for (target, expected) in [
        ("/relay/other/a", "404"),
        ("/relay/", "404"),
        ("/relay/anthropic/../other", "400"),
        ("/relay/anthropic/%2e%2E/other", "400"),
        ("/relay/anthropic/a/.%2e", "400"),
        ("/relay/anthropic/..%2fother", "400"),
        ("/relay/anthropic/..\\other", "400"),
        ("/relay/anthropic/a#b", "400"),
        ("/relay/anthropic/\u{e9}", "400"),
        ("/other", "400"),
        ("//evil.example/", "400"),
    ] {
        let got = scene.ask(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes())?;
        assert_eq!(status(&got), expected, "{target}: {got}");
    }
    let smuggled = b"POST /relay/anthropic/a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(status(&scene.ask(smuggled)?), "400");
    assert_eq!(scene.has_dialled(), []);
    Ok(())
}

#[test]
fn a_request_for_another_protocol_is_told_to_stay_with_http() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let request =
        b"GET /relay/anthropic/a HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    assert_eq!(status(&scene.ask(request)?), "426");
    assert_eq!(scene.has_dialled(), []);
    Ok(())
}

#[test]
fn an_upstream_that_the_user_did_not_name_is_never_a_private_address() -> io::Result<()> {
    let private = "10.0.0.1".parse::<IpAddr>().map_err(io::Error::other)?;
    let named = RelayRule { is_users_own: false, ..rule("http://model.example", None)? };
    let scene =
        Cast { relays: vec![named], addresses: vec![private], ..Cast::default() }.start()?;
    let got = scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    assert_eq!(status(&got), "403", "{got}");
    assert_eq!(scene.has_dialled(), []);
    Ok(())
}

#[test]
fn an_answer_that_breaks_off_is_not_made_to_look_whole() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let asked = upstream(&scene, b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")?;
    let got = scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    asked()?;
    // How much of it comes before its end is seen is a matter of luck; it is never whole.
    assert!(status(&got) == "502" || got.ends_with("content-length: 10\r\n\r\nhalf"), "{got}");
    let asked = upstream(&scene, b"nonsense\r\n\r\n")?;
    let got = scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    asked()?;
    assert_eq!(status(&got), "502", "{got}");
    Ok(())
}

#[test]
fn a_client_that_leaves_ends_its_request() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let mut client = scene.connect()?;
    client.write_all(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    let (mut server, _) = scene.server.accept()?;
    server.set_read_timeout(Some(LONG))?;
    read_request(&mut server)?;
    drop(client);
    let mut rest = Vec::new();
    server.read_to_end(&mut rest).ok();
    let (traffic, _) = scene.finish()?;
    assert_eq!(traffic["127.0.0.1"].allowed, 1);
    Ok(())
}

/// Certificates for `model.example` and 127.0.0.1 by an authority that nobody else trusts; good for a hundred years.
fn trusting_the_stand_in(world: World) -> World {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(include_bytes!("authority.pem"));
    roots.add_parsable_certificates(authority.ok());
    world.trusting(client_config(roots))
}

fn tls_server(stream: TcpStream) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
    let chain =
        CertificateDer::from_pem_slice(include_bytes!("server.pem")).map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("server.key.pem"))
        .map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(vec![chain], key))
        .map_err(io::Error::other)?;
    let session = ServerConnection::new(Arc::new(config)).map_err(io::Error::other)?;
    Ok(StreamOwned::new(session, stream))
}

#[test]
fn an_upstream_in_tls_gets_the_key_and_much_goes_both_ways() -> io::Result<()> {
    let named = RelayRule {
        is_users_own: false,
        ..rule("https://model.example", Some(KeyHeader::Bearer))?
    };
    let cast = Cast { relays: vec![named], change: trusting_the_stand_in, ..Cast::default() };
    let scene = cast.start()?;
    let listener = scene.server.try_clone()?;
    let server = beside(move || {
        let mut stream = tls_server(listener.accept()?.0)?;
        let asked = read_request(&mut stream)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n")?;
        stream.write_all(&vec![b'd'; 3_000_000])?;
        stream.flush()?;
        Ok(asked)
    });
    let body = "u".repeat(2_000_000);
    let head = "POST /relay/anthropic/v1 HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n";
    let got = scene.ask(format!("{head}{body}").as_bytes())?;
    let asked = server()?;
    assert!(asked.contains("host: model.example\r\n"), "{}", &asked[..200]);
    assert!(asked.contains("authorization: Bearer real-key\r\n"));
    assert!(asked.ends_with(&body));
    assert!(got.ends_with(&"d".repeat(3_000_000)), "{} bytes", got.len());
    Ok(())
}

#[test]
fn a_server_that_is_not_trusted_never_sees_the_key() -> io::Result<()> {
    for (url, change) in [
        // Another name than the certificate has, and an authority that this system does not know.
        ("https://other.example", trusting_the_stand_in as fn(World) -> World),
        ("https://model.example", |world: World| world),
    ] {
        let scene =
            Cast { relays: vec![rule(url, Some(KeyHeader::Bearer))?], change, ..Cast::default() };
        let scene = scene.start()?;
        let listener = scene.server.try_clone()?;
        let server = beside(move || {
            let mut stream = tls_server(listener.accept()?.0)?;
            let mut got = Vec::new();
            let result = stream.read_to_end(&mut got);
            Ok((result.is_err(), got))
        });
        let got = scene.ask(b"GET /relay/anthropic/v1 HTTP/1.1\r\n\r\n")?;
        assert_eq!(status(&got), "502", "{got}");
        assert_eq!(server()?, (true, Vec::new()));
        let (_, log) = scene.finish()?;
        assert_eq!(log[0]["why"], serde_json::json!(Why::Unreachable));
    }
    Ok(())
}

#[test]
fn a_request_that_the_agent_does_not_need_never_leaves_with_the_key() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    for line in [
        "TRACE /relay/anthropic/v1/messages",
        "DELETE /relay/anthropic/v1/files/a",
        "GET /relay/anthropic/v1/files",
        "PROPFIND /relay/anthropic/a",
        "POST /relay/anthropic//v1/messages",
        "POST /relay/anthropic/v1/messages?_method=DELETE",
    ] {
        let got = scene.ask(format!("{line} HTTP/1.1\r\n\r\n").as_bytes())?;
        assert_eq!(status(&got), "403", "{line}: {got}");
        assert!(got.contains("model requests only"), "{got}");
    }
    assert!(scene.has_dialled().is_empty());
    let (_, log) = scene.finish()?;
    assert!(log.iter().all(|line| line["why"] == "not_relayed"), "{log:?}");
    Ok(())
}

#[test]
fn the_requests_of_a_call_come_to_an_end() -> io::Result<()> {
    let cast = Cast {
        relays: vec![rule("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?],
        change: |mut world| {
            world.limits.requests = 1;
            world
        },
        ..Cast::default()
    };
    let scene = cast.start()?;
    let asked = upstream(&scene, OK)?;
    assert_eq!(status(&scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?), "200");
    asked()?;
    let got = scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\n\r\n")?;
    assert_eq!(status(&got), "429", "{got}");
    assert!(got.contains("used up its requests"), "{got}");
    Ok(())
}

#[test]
fn headers_of_the_user_are_added_outside_and_win_over_the_clients() -> io::Result<()> {
    let headers = vec![("x-team".to_owned(), Secret::new("blue".into()))];
    let rule = RelayRule { headers, ..rule("http://127.0.0.1:9", Some(KeyHeader::XApiKey))? };
    let scene = Cast { relays: vec![rule], ..Cast::default() }.start()?;
    let asked = upstream(&scene, OK)?;
    scene.ask(b"GET /relay/anthropic/a HTTP/1.1\r\nX-Team: red\r\n\r\n")?;
    let asked = asked()?;
    assert!(asked.contains("x-team: blue\r\n") && !asked.contains("red"), "{asked}");
    assert!(asked.contains("x-api-key: real-key\r\n"), "{asked}");
    Ok(())
}

#[test]
fn headers_that_no_agent_sends_stay_behind() -> io::Result<()> {
    let scene = scene("http://127.0.0.1:9", Some(KeyHeader::XApiKey))?;
    let asked = upstream(&scene, OK)?;
    let sent = "X_HTTP_METHOD_OVERRIDE: DELETE\r\nX-HTTP-Method_Override: DELETE\r\nX-Original-URL: /v1/files\r\n\
                Anthropic-Version: 2023-06-01\r\nX-Stainless-Retry-Count: 1\r\n";
    scene.ask(format!("GET /relay/anthropic/a HTTP/1.1\r\n{sent}\r\n").as_bytes())?;
    let asked = asked()?.to_lowercase();
    assert!(!asked.contains("override") && !asked.contains("original"), "{asked}");
    assert!(asked.contains("anthropic-version: 2023-06-01\r\n"), "{asked}");
    assert!(asked.contains("x-stainless-retry-count: 1\r\n"), "{asked}");
    Ok(())
}
