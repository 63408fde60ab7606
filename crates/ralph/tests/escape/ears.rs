//! Stand-ins for everything that an agent could talk to: hosts outside, services on loopback, a resolver, sockets of
//! daemons. They answer anybody, and remember every word.

use std::{
    fs,
    io::{self, Read, Write},
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            fs::PermissionsExt as _,
            net::{SocketAddr, UnixListener},
        },
    },
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// Hosts outside, private addresses, metadata, services of the machine.
const STREAMS: &[&str] = &[
    "127.0.0.14:22",
    "127.0.0.14:80",
    "127.0.0.14:443",
    "93.184.215.15:22",
    "93.184.215.15:80",
    "93.184.215.15:443",
    "10.11.12.13:443",
    "10.11.12.53:53",
    "169.254.169.254:80",
    "169.254.169.254:443",
    "127.0.0.1:443",
    "127.0.0.1:5432",
    "127.9.9.9:5432",
    "[::1]:443",
    "[::1]:5432",
];
const DATAGRAMS: &[&str] = &["127.0.0.14:443", "127.0.0.1:5353"];
const RESOLVER: &str = "10.11.12.53:53";
const ABSTRACT: &[&str] = &["ralph-escape", "/tmp/dbus-escape"];

/// Names whose address is not that of the first host outside.
const NAMES: &[(&str, [u8; 4])] = &[
    ("shelf.test", [169, 254, 169, 254]),
    ("cellar.test", [127, 0, 0, 1]),
    ("attic.test", [93, 184, 215, 15]),
];

/// What was heard by all of them.
#[derive(Clone, Default)]
pub(crate) struct Ears(Arc<Mutex<Vec<u8>>>);

impl Ears {
    /// Opens everything, and the sockets at these paths.
    pub(crate) fn open(sockets: &[impl AsRef<Path>]) -> io::Result<Self> {
        let ears = Self::default();
        for address in STREAMS {
            let listener = TcpListener::bind(address)?;
            let hears = ears.clone();
            thread::spawn(move || listener.incoming().flatten().for_each(|it| hears.listen(it)));
        }
        for path in sockets.iter().map(AsRef::as_ref) {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let listener = UnixListener::bind(path)?;
            fs::set_permissions(path, fs::Permissions::from_mode(0o777))?;
            ears.serve(listener);
        }
        for name in ABSTRACT {
            ears.serve(UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)?);
        }
        for address in DATAGRAMS.iter().chain([&RESOLVER]) {
            let socket = UdpSocket::bind(address)?;
            let hears = ears.clone();
            thread::spawn(move || hears.answer(&socket));
        }
        Ok(ears)
    }

    /// Everything that was heard, as one text.
    pub(crate) fn heard(&self) -> String {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).into_owned()
    }

    fn serve(&self, listener: UnixListener) {
        let hears = self.clone();
        thread::spawn(move || listener.incoming().flatten().for_each(|it| hears.listen(it)));
    }

    fn note(&self, bytes: &[u8]) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(bytes);
        heard.push(b'\n');
    }

    fn listen(&self, mut stream: impl Read + Write + Send + 'static) {
        let hears = self.clone();
        thread::spawn(move || {
            let mut bytes = [0; 2048];
            while let Ok(read @ 1..) = stream.read(&mut bytes) {
                hears.note(&bytes[..read]);
                let _ = stream.write_all(b"heard\n");
            }
        });
    }

    fn answer(&self, socket: &UdpSocket) {
        let mut bytes = [0; 2048];
        while let Ok((read, from)) = socket.recv_from(&mut bytes) {
            self.note(&bytes[..read]);
            let is_query = socket.local_addr().is_ok_and(|own| own.to_string() == RESOLVER);
            let reply = if is_query { resolve(&bytes[..read]) } else { b"heard\n".to_vec() };
            let _ = socket.send_to(&reply, from);
        }
    }
}

/// The answer to a query for a name: its address, or that there is none of that kind.
fn resolve(query: &[u8]) -> Vec<u8> {
    const HEADER: usize = 12;
    let Some(question) = query.get(HEADER..) else {
        return Vec::new();
    };
    let mut labels = Vec::new();
    let mut rest = question;
    while let Some((&length @ 1.., after)) = rest.split_first() {
        let (label, after) = after.split_at(usize::from(length).min(after.len()));
        labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        rest = after;
    }
    let end = question.len() - rest.len() + 5;
    let question = question.get(..end).unwrap_or(question);
    let is_four = question.ends_with(&[0, 1, 0, 1]);
    let name = labels.join(".");
    let known = NAMES.iter().find(|(known, _)| name.ends_with(known));
    let address = known.map_or([93, 184, 215, 14], |(_, address)| *address);
    let id = query.get(..2).unwrap_or_default();
    let counts = [0, 1, 0, u8::from(is_four), 0, 0, 0, 0];
    let mut reply = [id, &[0x81, 0x80], &counts, question].concat();
    if is_four {
        reply.extend([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        reply.extend(address);
    }
    reply
}

/// Time for words that are under way to be heard.
pub(crate) fn settle() {
    thread::sleep(Duration::from_millis(200));
}
