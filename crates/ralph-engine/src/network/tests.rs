//! The gateway on loopback, with real sockets and stand-ins for the hosts of the world.

mod hostile;
mod moving;
mod outside;
mod relayed;
mod throughput;

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use ralph_core::{
    isolation::Contact,
    network::{Host, NetworkRules, RelayRule},
    vocabulary::NetworkPreset,
};
use ralph_text::redact::Redactor;

use super::{Gateway, Terms, dial::World};
use crate::sink::RedactedFiles;

/// An address of the internet that stands for every host of the world in tests.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 1, 2, 3));
/// Long enough for any machine; a test that waits so long has failed.
const LONG: Duration = Duration::from_mins(1);

/// Every address that was dialled.
type Dialled = Arc<Mutex<Vec<SocketAddr>>>;

/// A gateway whose world is one listener.
struct Scene {
    gateway: Gateway,
    address: SocketAddr,
    server: TcpListener,
    dialled: Dialled,
    folder: tempfile::TempDir,
}

/// What a scene is made of.
struct Cast {
    preset: NetworkPreset,
    addresses: Vec<IpAddr>,
    in_full: Vec<Host>,
    relays: Vec<RelayRule>,
    change: fn(World) -> World,
}

impl Default for Cast {
    fn default() -> Self {
        Self {
            preset: NetworkPreset::Registries,
            addresses: vec![PUBLIC],
            in_full: Vec::new(),
            relays: Vec::new(),
            change: |world| world,
        }
    }
}

impl Cast {
    fn start(self) -> io::Result<Scene> {
        let server = TcpListener::bind("127.0.0.1:0")?;
        let behind = server.local_addr()?;
        let dialled = Dialled::default();
        let addresses = self.addresses;
        let world = World::new(move |_| Ok(addresses.clone()), {
            let dialled = Arc::clone(&dialled);
            move |address: SocketAddr| {
                dialled.lock().map_err(|_| io::ErrorKind::Other)?.push(address);
                // Whatever is asked for, nothing but the stand-in is ever reached.
                TcpStream::connect(behind)
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let hosts = ["registry.example", "*.below.example"].map(str::parse).into_iter().flatten();
        let rules = NetworkRules {
            preset: self.preset,
            hosts: hosts.collect(),
            in_full: self.in_full,
            relays: self.relays,
        };
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("network.jsonl");
        let redacted = RedactedFiles::new(folder.path(), Redactor::default());
        let terms = Terms { rules, registries: None, proxy: None };
        let gateway = Gateway::start_in((self.change)(world), listener, terms, (redacted, log))?;
        Ok(Scene { gateway, address, server, dialled, folder })
    }
}

impl Scene {
    fn connect(&self) -> io::Result<TcpStream> {
        let client = TcpStream::connect(self.address)?;
        client.set_read_timeout(Some(LONG))?;
        client.set_write_timeout(Some(LONG))?;
        Ok(client)
    }

    /// Says this to the gateway and gives everything it answers.
    fn ask(&self, request: &[u8]) -> io::Result<String> {
        let mut client = self.connect()?;
        client.write_all(request)?;
        answer(&mut client)
    }

    /// A tunnel to the host that is allowed, and its far end.
    fn tunnel(&self) -> io::Result<(TcpStream, TcpStream)> {
        let mut client = self.connect()?;
        client.write_all(b"CONNECT registry.example:443 HTTP/1.1\r\nhost: x\r\n\r\n")?;
        let (server, _) = self.server.accept()?;
        server.set_read_timeout(Some(LONG))?;
        let expected = "HTTP/1.1 200 Connection established\r\n\r\n";
        let mut got = vec![0; expected.len()];
        client.read_exact(&mut got)?;
        assert_eq!(String::from_utf8_lossy(&got), expected);
        Ok((client, server))
    }

    /// A tunnel whose first message was let through.
    fn open_tunnel(&self) -> io::Result<(TcpStream, TcpStream)> {
        let (mut client, mut server) = self.tunnel()?;
        let hello = hello("registry.example");
        client.write_all(&hello)?;
        let mut got = vec![0; hello.len()];
        server.read_exact(&mut got)?;
        assert_eq!(got, hello);
        Ok((client, server))
    }

    fn has_dialled(&self) -> Vec<SocketAddr> {
        self.dialled.lock().map(|all| all.clone()).unwrap_or_default()
    }

    /// Ends the gateway and gives its sums and its log.
    fn finish(self) -> io::Result<(BTreeMap<String, Contact>, Vec<serde_json::Value>)> {
        let contacts = self.gateway.finish().into_iter();
        let traffic = contacts.map(|one| (one.host.clone(), one)).collect();
        let log = std::fs::read_to_string(self.folder.path().join("network.jsonl"))?;
        let lines = log.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok((traffic, lines))
    }
}

fn answer(client: &mut TcpStream) -> io::Result<String> {
    let mut text = Vec::new();
    client.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or(answer)
}

/// The first message of a TLS client that asks for this server.
fn hello(name: &str) -> Vec<u8> {
    let long = |bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes();
        [&length, bytes].concat()
    };
    let names = long(&[&[0], long(name.as_bytes()).as_slice()].concat());
    let extensions = long(&[&[0, 0], long(&names).as_slice()].concat());
    let body = [&[3, 3], [7; 32].as_slice(), &[0, 0, 2, 0x13, 1, 1, 0], &extensions].concat();
    let message = [&[1, 0], long(&body).as_slice()].concat();
    [&[22, 3, 1], long(&message).as_slice()].concat()
}

/// Runs something beside the test and gives its result when it is joined.
fn beside<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> impl FnOnce() -> io::Result<T> {
    let handle = thread::spawn(work);
    move || handle.join().map_err(|_| io::Error::other("the other side panicked"))?
}
