//! What must work in every box, so that attempts that fail do not fail because nothing works.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::net::{UnixListener, UnixStream},
};

use super::{
    Alone::Works, Attempt, Proof, Tried, World, files::leave_mark, proxy, repository::git_program,
};

const fn welcome(
    name: &'static str,
    with: &'static str,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "welcome", with, proof: Proof::Word, alone: Works, call: 1, act }
}

/// Not attempts to get out: all of it must be reached.
pub const WELCOME: &[Attempt] = &[
    welcome("work-in-worktree", "{work}/escape/worked", leave_mark),
    welcome("write-private-tmp", "/tmp/private", leave_mark),
    welcome("write-private-home", "{home}/.cache/private", leave_mark),
    welcome("read-history", "log", run_git),
    welcome("see-status", "status", run_git),
    welcome("socket-of-its-own", "/tmp/own.sock", own_socket),
    welcome("loopback-of-its-own", "127.0.0.1:0", own_server),
    Attempt { proof: Proof::Mark, ..welcome("proxy-to-allowed-host", "allowed.test:443", allowed) },
];

fn run_git(world: &World, attempt: &Attempt) -> Tried {
    let output = git_program().arg(attempt.with).current_dir(world.work()).output();
    match output {
        Ok(output) if output.status.success() => Tried::Reached(String::new()),
        Ok(output) => Tried::Refused(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Tried::Refused(error.to_string()),
    }
}

fn own_socket(_world: &World, attempt: &Attempt) -> Tried {
    let talked: io::Result<()> = (|| {
        let listener = UnixListener::bind(attempt.with)?;
        let mut client = UnixStream::connect(attempt.with)?;
        client.write_all(b"x")?;
        listener.accept()?.0.read_exact(&mut [0])
    })();
    Tried::of(talked)
}

fn own_server(_world: &World, attempt: &Attempt) -> Tried {
    let talked: io::Result<()> = (|| {
        let listener = TcpListener::bind(attempt.with)?;
        let mut client = TcpStream::connect(listener.local_addr()?)?;
        client.write_all(b"x")?;
        listener.accept()?.0.read_exact(&mut [0])
    })();
    Tried::of(talked)
}

fn allowed(world: &World, attempt: &Attempt) -> Tried {
    proxy::tunnel(world, attempt)
}
