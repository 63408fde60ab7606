//! Direct ways to the network, past the proxy. The hosts are stand-ins on an empty network.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream, UdpSocket},
    time::Duration,
};

use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, sendto, socket,
};

use super::{
    Alone::{self, Depends, Works, WorksAsRoot},
    Attempt, Proof, Tried, World,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "network", with, proof: Proof::Mark, alone, call: 1, act }
}

const fn word(attempt: Attempt) -> Attempt {
    Attempt { proof: Proof::Word, ..attempt }
}

const BOUNDARY: Duration = Duration::from_secs(5);

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("tcp-outside", "93.184.215.14:443", Works, tcp),
    attempt("tcp-outside-shell-port", "93.184.215.14:22", Works, tcp),
    attempt("tcp-private", "10.11.12.13:443", Works, tcp),
    attempt("tcp-metadata", "169.254.169.254:80", Works, tcp),
    attempt("tcp-loopback-service", "127.0.0.1:5432", Works, tcp),
    attempt("tcp-loopback-other", "127.9.9.9:5432", Works, tcp),
    attempt("tcp-any-address", "0.0.0.0:5432", Works, tcp),
    attempt("tcp-loopback-six", "[::1]:5432", Works, tcp),
    attempt("tcp-mapped", "[::ffff:127.0.0.1]:5432", Works, tcp),
    attempt("udp-outside", "93.184.215.14:443", Works, udp),
    attempt("udp-loopback-service", "127.0.0.1:5353", Works, udp),
    attempt("dns-resolver", "10.11.12.53:53", Works, udp),
    attempt("dns-over-tcp", "10.11.12.53:53", Works, tcp),
    attempt("resolve-a-name", "attic.test:443", Works, resolve),
    word(attempt("icmp-raw", "93.184.215.14", WorksAsRoot, icmp_raw)),
    word(attempt("icmp-ping", "93.184.215.14", Depends("the range of groups"), icmp_ping)),
    word(attempt("address-of-the-machine", "93.184.215.15:0", Works, bind)),
];

fn tcp(_world: &World, attempt: &Attempt) -> Tried {
    let spoke = attempt.with.parse().map_err(io::Error::other).and_then(|address: SocketAddr| {
        let mut stream = TcpStream::connect_timeout(&address, BOUNDARY)?;
        stream.set_read_timeout(Some(BOUNDARY))?;
        writeln!(stream, "{}", attempt.token())?;
        stream.read(&mut [0; 8])
    });
    Tried::of(spoke)
}

fn udp(_world: &World, attempt: &Attempt) -> Tried {
    let spoke = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.set_read_timeout(Some(BOUNDARY))?;
        socket.connect(attempt.with)?;
        socket.send(attempt.token().as_bytes())?;
        socket.recv(&mut [0; 8])
    });
    Tried::of(spoke)
}

fn resolve(_world: &World, attempt: &Attempt) -> Tried {
    use std::net::ToSocketAddrs as _;
    // Whoever asks a resolver tells it a name, and with it anything.
    Tried::of(format!("{}.{}", attempt.token(), attempt.with).to_socket_addrs())
}

fn icmp_raw(_world: &World, attempt: &Attempt) -> Tried {
    Tried::of(echo(SockType::Raw, attempt))
}

fn icmp_ping(_world: &World, attempt: &Attempt) -> Tried {
    Tried::of(echo(SockType::Datagram, attempt))
}

/// Sends an echo request with a correct checksum.
fn echo(kind: SockType, attempt: &Attempt) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let socket = socket(AddressFamily::Inet, kind, SockFlag::empty(), SockProtocol::Icmp)?;
    let packet = [8, 0, 0xf7, 0xff, 0, 0, 0, 0];
    let address: std::net::Ipv4Addr = attempt.with.parse().map_err(io::Error::other)?;
    let to = SockaddrIn::from(std::net::SocketAddrV4::new(address, 0));
    sendto(socket.as_raw_fd(), &packet, &to, MsgFlags::empty())?;
    Ok(())
}

/// An address that the machine has, and the box has not.
fn bind(_world: &World, attempt: &Attempt) -> Tried {
    Tried::of(UdpSocket::bind(attempt.with))
}
