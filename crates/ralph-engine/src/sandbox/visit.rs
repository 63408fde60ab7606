//! One process's stay in a box, seen from outside: its gateway to the network, open until it leaves.

use std::{
    io,
    net::Shutdown,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
};

use ralph_core::isolation::Contact;

use super::group::Group;
use crate::{
    fence::door,
    network::{Gateway, Terms},
    sink::RedactedFiles,
};

/// A stay in a box. End it after the last process inside is gone.
#[derive(Default)]
pub struct Visit {
    gateway: Option<Waiting>,
    /// Removed with the stay.
    group: Option<Group>,
}

/// A gateway that opens as soon as the box hands out its listener.
struct Waiting {
    door: UnixStream,
    opening: JoinHandle<io::Result<Option<Gateway>>>,
}

impl Visit {
    /// Waits for the box's listener and opens a gateway on it. Gives the side of the door that the shim needs.
    pub(super) fn through(
        terms: Terms,
        log: (RedactedFiles, PathBuf),
    ) -> io::Result<(Self, Arc<OwnedFd>)> {
        let (door, theirs) = door::pair()?;
        let ours = door.try_clone()?;
        let opening = thread::Builder::new().name("door".into()).spawn(move || {
            let listener = door::receive(&ours)?;
            listener.map(|listener| Gateway::start(listener, terms, log)).transpose()
        })?;
        Ok((Self { gateway: Some(Waiting { door, opening }), group: None }, Arc::new(theirs)))
    }

    /// The same stay, in this control group.
    pub(super) fn in_group(self, group: Option<Group>) -> Self {
        Self { group, ..self }
    }

    /// What people should know of it: that something ended for want of memory.
    pub fn note(&self) -> Option<String> {
        let ran_out = self.group.as_ref().is_some_and(Group::ran_out);
        ran_out
            .then(|| "the box ran out of memory, and the kernel killed a process in it".to_owned())
    }

    /// Closes the gateway and reports what went through it, by host.
    pub fn end(self) -> Vec<Contact> {
        let Some(Waiting { door, opening }) = self.gateway else {
            return Vec::new();
        };
        // A box that never came up has handed nothing out, and the other side may still be held open.
        let _ = door.shutdown(Shutdown::Both);
        match opening.join() {
            Ok(Ok(Some(gateway))) => gateway.finish(),
            _ => Vec::new(),
        }
    }
}
