//! How a worker goes about its work, as its operator wants it.

use std::{net::SocketAddr, time::Duration};

use crate::hands::Say;

/// How a worker goes about it.
pub struct Manner {
    /// How long stints may go on after SIGTERM before they are asked to leave.
    pub grace: Duration,
    /// How often the server is probed.
    pub probe: Duration,
    pub metrics: Option<SocketAddr>,
    pub say: Say,
}
