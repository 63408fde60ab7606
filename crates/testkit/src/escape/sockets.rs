//! Sockets of services on the machine, and families of sockets that no build needs.

use std::{
    io::{Read as _, Write as _},
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixStream},
    },
    time::Duration,
};

use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

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
    Attempt { name, group: "sockets", with, proof: Proof::Mark, alone, call: 1, act }
}

const fn family(name: &'static str, with: &'static str, alone: Alone) -> Attempt {
    Attempt { proof: Proof::Word, ..attempt(name, with, alone, open_family) }
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("docker-socket", "/run/docker.sock", Works, connect),
    attempt("containerd-socket", "/run/containerd/containerd.sock", Works, connect),
    attempt("system-bus", "/run/dbus/system_bus_socket", Works, connect),
    attempt("session-bus", "/run/user/{uid}/bus", Works, connect),
    attempt("ssh-agent", "/tmp/ssh-escape/agent.1", Works, connect),
    attempt("tmux-server", "/tmp/tmux-{uid}/default", Works, connect),
    attempt("display-server", "/tmp/.X11-unix/X0", Works, connect),
    attempt("gpg-agent", "{home}/.gnupg/S.gpg-agent", Works, connect),
    attempt("editor-server", "{home}/.local/state/editor.sock", Works, connect),
    attempt("socket-in-worktree", "{work}/escape/service.sock", Works, connect),
    attempt("socket-in-lent-folder", "{folder}/told/service.sock", Works, connect),
    attempt("socket-through-ralph", "/proc/{ralph}/root/run/docker.sock", Works, connect),
    attempt("abstract-socket", "ralph-escape", Works, connect_abstract),
    attempt("abstract-bus", "/tmp/dbus-escape", Works, connect_abstract),
    family("netlink-kernel-events", "netlink", Works),
    family("family-packet", "packet", WorksAsRoot),
    family("family-vsock", "vsock", Depends("a kernel with vsock")),
    family("family-bluetooth", "bluetooth", Depends("a kernel with bluetooth")),
    family("family-crypto", "alg", Depends("a kernel with crypto sockets")),
];

fn connect(world: &World, attempt: &Attempt) -> Tried {
    speak(UnixStream::connect(world.expand(attempt.with)), attempt)
}

fn connect_abstract(_world: &World, attempt: &Attempt) -> Tried {
    let stream = SocketAddr::from_abstract_name(attempt.with)
        .and_then(|address| UnixStream::connect_addr(&address));
    speak(stream, attempt)
}

fn speak(stream: std::io::Result<UnixStream>, attempt: &Attempt) -> Tried {
    let said = stream.and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        writeln!(stream, "{}", attempt.token())?;
        stream.read(&mut [0; 8])
    });
    Tried::of(said)
}

fn open_family(_world: &World, attempt: &Attempt) -> Tried {
    // What the kernel tells of devices; its addresses may be asked for, and in a box are its own.
    let events = SockProtocol::NetlinkKObjectUEvent;
    let protocol = (attempt.with == "netlink").then_some(events);
    let (family, kind) = match attempt.with {
        "netlink" => (AddressFamily::Netlink, SockType::Raw),
        "packet" => (AddressFamily::Packet, SockType::Raw),
        "vsock" => (AddressFamily::Vsock, SockType::Stream),
        "bluetooth" => (AddressFamily::Bluetooth, SockType::Raw),
        _ => (AddressFamily::Alg, SockType::SeqPacket),
    };
    Tried::of(socket(family, kind, SockFlag::empty(), protocol))
}
