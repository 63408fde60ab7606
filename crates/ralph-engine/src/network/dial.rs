//! The way from ralph into the world: names to addresses, addresses to connections, and whom TLS trusts.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket},
    sync::{Arc, OnceLock},
    time::Duration,
};

use ralph_core::network::{MOST_REQUESTS, Naming, Owner, Why, owner};
use rustls::{ClientConfig, RootCertStore};

use super::proxy::Proxy;

/// Longest time to connect to one address.
const CONNECT: Duration = Duration::from_secs(10);
/// Most addresses of a name that are tried.
const MOST_ADDRESSES: usize = 4;

/// What clients get at most. The whole of them bounds what a box can make ralph hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Time for the whole head of a request.
    pub head: Duration,
    /// Time from the opening of a tunnel to the end of the first message in it.
    pub hello: Duration,
    /// Time in which neither side says anything. Models think for long before they answer.
    pub idle: Duration,
    /// Requests to relays, all together.
    pub requests: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Two descriptors each, of the thousand that a process usually has.
            connections: 256,
            head: Duration::from_secs(10),
            hello: Duration::from_secs(10),
            idle: Duration::from_mins(30),
            requests: MOST_REQUESTS,
        }
    }
}

type Resolve = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;
type IsOwn = dyn Fn(IpAddr) -> bool + Send + Sync;
type Connect = dyn Fn(SocketAddr) -> io::Result<TcpStream> + Send + Sync;

/// What the gateway finds outside. Tests put stand-ins in place of both halves.
pub(super) struct World {
    resolve: Box<Resolve>,
    connect: Box<Connect>,
    /// Whether an address is one of this machine's.
    is_own: Box<IsOwn>,
    pub(super) limits: Limits,
    proxy: Option<Arc<Proxy>>,
    /// In place of the settings of this system.
    tls: Option<Arc<ClientConfig>>,
}

impl Default for World {
    fn default() -> Self {
        let resolve = |host: &str| {
            Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect::<Vec<_>>())
        };
        Self::new(resolve, |address| TcpStream::connect_timeout(&address, CONNECT))
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

impl World {
    /// A world in which names and connections are found in this way.
    pub(super) fn new(
        resolve: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
        connect: impl Fn(SocketAddr) -> io::Result<TcpStream> + Send + Sync + 'static,
    ) -> Self {
        Self {
            resolve: Box::new(resolve),
            connect: Box::new(connect),
            is_own: Box::new(is_own),
            limits: Limits::default(),
            proxy: None,
            tls: None,
        }
    }

    /// The same world on a machine with this address.
    #[cfg(test)]
    pub(super) fn on_machine(self, own: IpAddr) -> Self {
        Self { is_own: Box::new(move |address| address == own), ..self }
    }

    /// The same world, reached through a proxy.
    pub(super) fn behind(self, proxy: Option<Arc<Proxy>>) -> Self {
        Self { proxy, ..self }
    }

    /// The same world, in which TLS trusts only what these settings say.
    #[cfg(test)]
    pub(super) fn trusting(self, config: ClientConfig) -> Self {
        Self { tls: Some(Arc::new(config)), ..self }
    }

    /// Connects to a host at an address that it may have: the one that was checked is the one that is dialled. A proxy
    /// of the user's is used for hosts of the internet, and resolves a name that only it can, if somebody named it.
    pub(super) fn dial(&self, host: &str, port: u16, naming: Naming) -> Result<TcpStream, Why> {
        let proxy = self.proxy.as_deref().filter(|proxy| proxy.is_for(host));
        let addresses = (self.resolve)(host).unwrap_or_default();
        let why_not = |one: &IpAddr| {
            naming.refuses(*one).or_else(|| (self.is_own)(*one).then_some(Why::NoAddress))
        };
        let refused = addresses.iter().find_map(why_not);
        let fit: Vec<IpAddr> = addresses.into_iter().filter(|one| why_not(one).is_none()).collect();
        match (refused, proxy) {
            (Some(why), _) if fit.is_empty() => Err(why),
            (None, Some(proxy)) if fit.is_empty() && naming != Naming::Nobody => {
                self.through(proxy, host, port)
            }
            _ if fit.is_empty() => Err(Why::Unresolved),
            (_, Some(proxy)) if fit.iter().all(|one| owner(*one) == Owner::Anybody) => {
                self.through(proxy, host, port)
            }
            _ => ready(self.first(fit, port)?),
        }
    }

    /// Connects to what the user named, wherever that is.
    pub(super) fn dial_as_given(&self, host: &str, port: u16) -> Result<TcpStream, Why> {
        ready(self.first(self.addresses(host)?, port)?)
    }

    /// A tunnel through the user's own proxy, wherever that is.
    fn through(&self, proxy: &Proxy, host: &str, port: u16) -> Result<TcpStream, Why> {
        let addresses = self.addresses(&proxy.host).map_err(|_| Why::Proxy)?;
        let stream = self.first(addresses, proxy.port).map_err(|_| Why::Proxy)?;
        proxy.tunnel(&stream, host, port).map_err(|_| Why::Proxy)?;
        ready(stream)
    }

    fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Why> {
        match host.parse() {
            Ok(address) => Ok(vec![address]),
            Err(_) => (self.resolve)(host).map_err(|_| Why::Unresolved),
        }
    }

    /// Settings for TLS, which trusts whom this system trusts. They are read once: each call has a gateway of its own,
    /// and the list is long.
    pub(super) fn tls(&self) -> Arc<ClientConfig> {
        static SYSTEM: OnceLock<Arc<ClientConfig>> = OnceLock::new();
        let read = || {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            Arc::new(client_config(roots))
        };
        Arc::clone(self.tls.as_ref().unwrap_or_else(|| SYSTEM.get_or_init(read)))
    }

    fn first(&self, addresses: Vec<IpAddr>, port: u16) -> Result<TcpStream, Why> {
        let mut tries = addresses.into_iter().take(MOST_ADDRESSES);
        let stream = tries.find_map(|one| (self.connect)(SocketAddr::new(one, port)).ok());
        stream.ok_or(Why::Unreachable)
    }
}

/// Whether an address is this machine's, by an interface or a local route: programs listen there, or packets leave there.
fn is_own(address: IpAddr) -> bool {
    let (any, foreign): (IpAddr, IpAddr) = match address {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into()),
        IpAddr::V6(_) => {
            (Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into())
        }
    };
    let listen = |at: IpAddr| UdpSocket::bind((at, 0));
    let leaves_from = |socket: UdpSocket| {
        socket.connect((address, 9))?;
        Ok(socket.local_addr()?.ip())
    };
    // Some machines let programs listen anywhere.
    (listen(foreign).is_err() && listen(address).is_ok())
        || listen(any).and_then(leaves_from).is_ok_and(|from| from == address)
}

/// A connection that never makes anybody wait.
fn ready(stream: TcpStream) -> Result<TcpStream, Why> {
    let is_ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
    is_ready.map(|()| stream).map_err(|_| Why::Broken)
}

/// Settings for TLS that trusts these.
pub(super) fn client_config(roots: RootCertStore) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12]);
    // The provider is compiled in with both versions, so that there is no other case.
    let builder = match versions {
        Ok(builder) => builder,
        Err(_) => ClientConfig::builder(),
    };
    builder.with_root_certificates(roots).with_no_client_auth()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_which_addresses_are_this_machines() {
        for (address, own) in [
            ([127, 0, 0, 1], true),
            ([127, 9, 9, 9], true),
            ([192, 0, 2, 1], false),
            ([198, 51, 100, 7], false),
        ] {
            assert_eq!(is_own(address.into()), own, "{address:?}");
        }
    }
}
