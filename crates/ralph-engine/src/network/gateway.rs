//! The gateway as a whole: begins, accepts, counts, ends.
//!
//! Invariant: after `finish` it accepts nothing more, and every tunnel is closed.

use std::{
    io::{self, PipeWriter},
    net::{TcpListener, TcpStream},
    os::fd::AsFd,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, atomic::AtomicU64},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::poll::PollFlags;
use ralph_core::{
    isolation::Contact,
    network::{NetworkRules, Why},
};

use crate::sink::RedactedFiles;

use super::{
    dial::World,
    inbound,
    ledger::{Ledger, Visit},
    proxy::Proxy,
    registries::Registries,
    shared::Shared,
    wait,
};

/// How long the end waits for connections that are just looking up a name or dialling.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest wait for the next client: forever, as far as a clock goes.
const FOREVER: Duration = Duration::from_secs(1 << 30);
/// Memory of each connection's thread beside its buffers.
const STACK: usize = 256 * 1024;

/// On which terms something leaves a box.
#[derive(Debug)]
pub struct Terms {
    pub rules: NetworkRules,
    /// Which hosts are registries, and which of them a person wrote down.
    pub registries: Option<Arc<Registries>>,
    /// Through which the machine itself reaches the internet.
    pub proxy: Option<Arc<Proxy>>,
}

/// The gateway of one box.
#[derive(Debug)]
pub struct Gateway {
    shared: Arc<Shared>,
    /// Closed to stop everything.
    stop: PipeWriter,
    acceptor: JoinHandle<()>,
}

impl Gateway {
    /// Opens a gateway to the real world on this listener.
    pub fn start(
        listener: TcpListener,
        terms: Terms,
        log: (RedactedFiles, PathBuf),
    ) -> io::Result<Self> {
        let world = World::default().behind(terms.proxy.clone());
        Self::start_in(world, listener, terms, log)
    }

    /// Opens a gateway to this world.
    pub(super) fn start_in(
        world: World,
        listener: TcpListener,
        terms: Terms,
        log: (RedactedFiles, PathBuf),
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let (reader, stop) = io::pipe()?;
        let shared = Arc::new(Shared {
            rules: terms.rules,
            registries: terms.registries,
            world,
            ledger: Ledger::new(log),
            stop: reader,
            relayed: AtomicU64::new(0),
            open: Mutex::new(0),
            one_ended: Condvar::new(),
        });
        let acceptor = thread::Builder::new().name("gateway".into()).spawn({
            let shared = Arc::clone(&shared);
            move || accept_all(&listener, &shared)
        })?;
        Ok(Self { shared, stop, acceptor })
    }

    /// Ends every connection and says what went through, by host.
    pub fn finish(self) -> Vec<Contact> {
        drop(self.stop);
        // It returns as soon as it sees the pipe closed; if it panicked there is nothing to wait for.
        self.acceptor.join().ok();
        let open = self.shared.count();
        drop(self.shared.one_ended.wait_timeout_while(open, PATIENCE, |open| *open > 0));
        self.shared.ledger.close()
    }
}

/// A connection that is counted; dropped when it is over, however that came about.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Option<Self> {
        let mut open = shared.count();
        (*open < shared.world.limits.connections).then(|| {
            *open += 1;
            Self(Arc::clone(shared))
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.count() -= 1;
        self.0.one_ended.notify_all();
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        match listener.accept() {
            Ok((client, _)) => admit(client, shared),
            Err(error) if wait::is_passing(&error) => {
                let wanted = [(listener.as_fd(), PollFlags::POLLIN)];
                let ready = wait::ready(&shared.stop, &wanted, Instant::now() + FOREVER);
                if ready.is_err() {
                    return;
                }
            }
            // A client that is gone again, or no descriptors left for the moment: the next one may do.
            Err(_) => {
                let until = Instant::now() + Duration::from_millis(50);
                if wait::ready(&shared.stop, &[], until) == Err(Why::Broken) {
                    return;
                }
            }
        }
    }
}

fn admit(client: TcpStream, shared: &Arc<Shared>) {
    let Some(counted) = Counted::new(shared) else {
        inbound::turn_away(&client);
        shared.ledger.note(&Visit::default(), Some(Why::Busy), Duration::ZERO);
        return;
    };
    let serve = move || inbound::serve(&client, &counted.0);
    // Without a thread the client is dropped, and with it the connection.
    thread::Builder::new().name("connection".into()).stack_size(STACK).spawn(serve).ok();
}
